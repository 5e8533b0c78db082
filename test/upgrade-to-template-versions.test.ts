import { expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { makeInstallation } from './installation.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/** Upgrades a database from before subjects and versions of templates. */
test('a template takes the subject of an active sender, and its content is its first version', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const folder = await migrationFolder();
  await copyMigrations(folder, '0040');
  const admin = openDatabase(adminUrl, { connections: 1 });
  const owner = openDatabase(url, { connections: 1 });
  onTestFinished(async () => {
    for (const opened of [admin, owner]) await opened.close();
  });
  await ensureRoles(owner.pool, access);
  await migrate(owner.pool, { folder, rolePrefix: prefix });
  // As a superuser, as the owner of the tables sees no row.
  await admin.pool.query(`
    INSERT INTO account (company) VALUES ('会社');
    INSERT INTO sender_group (account_id, group_name) VALUES (1, 'g');
    INSERT INTO mail_template (account_id, name, text_body, html_body)
    VALUES (1, '両方', 't', '<p>t</p>'), (1, 'テキストだけ', 't', '');
    INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email, active)
    VALUES (1, 1, 1, '古い件名', 'p', 'a@x.jp', false), (1, 1, 1, '使う件名', 'p', 'b@x.jp', true);
    INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
    VALUES (1, 1, 2, false, 7, '{}', 0), (1, 1, NULL, false, 7, '{}', 0)`);
  await prepareDatabase(access);
  const versions = await admin.pool.query(
    'SELECT template_id, number, subject, editor, text_body FROM mail_template_version ORDER BY 1',
  );
  expect(versions.rows).toStrictEqual([
    { template_id: 1, number: 1, subject: '使う件名', editor: 'html', text_body: 't' },
    { template_id: 2, number: 1, subject: 'テキストだけ', editor: 'text', text_body: 't' },
  ]);
  const runs = await admin.pool.query('SELECT template_id FROM send_log ORDER BY id');
  expect(runs.rows).toStrictEqual([{ template_id: 1 }, { template_id: null }]);
});
