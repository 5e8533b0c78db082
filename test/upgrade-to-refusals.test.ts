import { expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { makeInstallation } from './installation.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/** Upgrades a database from before refusals: suppressions get the class that their reason tells. */
test('what SendGrid said readers do not want stays refused, and what a member blocked is blocked', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const folder = await migrationFolder();
  await copyMigrations(folder, '0047');
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
    INSERT INTO suppression (account_id, kind, value, reason) VALUES
      (1, 'address', 'a@x.jp', '550 5.1.1 no such user'),
      (1, 'address', 'b@x.jp', '自社で禁止'),
      (1, 'address', 'c@x.jp', 'SendGrid: bounce (550 5.1.1)'),
      (1, 'address', 'd@x.jp', 'SendGrid: spamreport'),
      (1, 'address', 'e@x.jp', 'SendGrid: group_unsubscribe'),
      (1, 'address', 'f@x.jp', 'SendGrid: dropped (Spam Reporting Address)'),
      (1, 'address', 'g@x.jp', 'SendGrid: dropped (Unsubscribed Address)'),
      (1, 'address', 'h@x.jp', 'SendGrid: dropped (Bounced Address)')`);
  await prepareDatabase(access);
  const { rows } = await admin.pool.query('SELECT value, class, source FROM suppression ORDER BY value');
  expect(rows.map((row) => [row.value.slice(0, 1), row.class, row.source].join(' '))).toStrictEqual([
    'a undeliverable smtp',
    'b blocked manual',
    'c undeliverable sendgrid',
    'd refused complaint',
    'e refused sendgrid',
    'f refused complaint',
    'g refused sendgrid',
    'h undeliverable sendgrid',
  ]);
});
