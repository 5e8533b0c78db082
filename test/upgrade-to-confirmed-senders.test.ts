import { expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { makeInstallation } from './installation.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/** Upgrades a database from before confirmations: addresses in use count as confirmed. */
test('addresses of senders and of real runs count as confirmed after the upgrade', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const folder = await migrationFolder();
  await copyMigrations(folder, '0033');
  const admin = openDatabase(adminUrl, { connections: 1 });
  const owner = openDatabase(url, { connections: 1 });
  onTestFinished(async () => {
    for (const opened of [admin, owner]) await opened.close();
  });
  await ensureRoles(owner.pool, access);
  await migrate(owner.pool, { folder, rolePrefix: prefix });
  // As a superuser, as the owner of the tables sees no row.
  await admin.pool.query(`
    INSERT INTO account (company) VALUES ('会社'), ('別会社');
    INSERT INTO sender_group (account_id, group_name) VALUES (1, 'g'), (2, 'g');
    INSERT INTO mail_template (account_id, name, text_body, html_body) VALUES (1, 't', 't', ''), (2, 't', 't', '');
    INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email, active)
    VALUES (1, 1, 1, 's', 'p', 'Taro@x.jp', true), (1, 1, 1, 's', 'p', 'taro@x.jp', false),
      (2, 2, 2, 's', 'p', 'hana@x.jp', true);
    INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
    VALUES (1, 1, 1, false, 7, '{"sender": {"email": "Former@x.jp"}}', 0),
      (1, 1, 1, true, 7, '{"sender": {"email": "test@x.jp"}}', 0), (1, 1, NULL, false, 7, '{}', 0)`);
  await prepareDatabase(access);
  const confirmed = await admin.pool.query('SELECT account_id, address_key FROM confirmed_address ORDER BY 1, 2');
  expect(confirmed.rows).toStrictEqual([
    { account_id: 1, address_key: 'former@x.jp' },
    { account_id: 1, address_key: 'taro@x.jp' },
    { account_id: 2, address_key: 'hana@x.jp' },
  ]);
});
