import { expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { makeInstallation } from './installation.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/** Upgrades a database from before rejections: mails that were refused for good within an interval count. */
test('mails that were refused for good before count, but for those whose reply blames something else', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const folder = await migrationFolder();
  await copyMigrations(folder, '0072');
  const admin = openDatabase(adminUrl, { connections: 1 });
  const owner = openDatabase(url, { connections: 1 });
  onTestFinished(async () => {
    for (const opened of [admin, owner]) await opened.close();
  });
  await ensureRoles(owner.pool, access);
  await migrate(owner.pool, { folder, rolePrefix: prefix });
  // As a superuser, as the owner of the tables sees no row.
  await admin.pool.query(`
    INSERT INTO account (company) VALUES ('a');
    INSERT INTO sender_group (account_id, group_name) VALUES (1, 'g');
    INSERT INTO mail_template (account_id, name, text_body, html_body) VALUES (1, 't', 't', 't');
    INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email)
    VALUES (1, 1, 1, 's', 'p', 's@x.jp');
    INSERT INTO prospect (account_id, identity_key, company_name) SELECT 1, n, n FROM generate_series(1, 14) AS n;
    INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail)
    VALUES (1, 1, 1, false, 7, '{}');
    INSERT INTO suppression (account_id, kind, value, reason) VALUES (1, 'address', 'dead@a.jp', '');
    INSERT INTO lifted_suppression
      (account_id, id, kind, value, class, source, reason, note, created_at)
    VALUES (1, 1, 'address', 'mended@a.jp', 'undeliverable', 'smtp', '', '', now());
    INSERT INTO address_contact VALUES (1, 1, 'bounced@a.jp', '2026-11-02Z');
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index,
      mail_to, company_name, person_in_charge, message_id, mail_date, state, smtp_reply, reason, finished_at)
    SELECT 1, 1, 1, 1, row_number() OVER (), test, 0, address, 'c', '', address, now(), state, reply, reason,
      '2026-11-02Z'
    FROM (VALUES
      ('Policy@a.jp', '550 5.7.1 blocked', 'failed', false, NULL),
      ('lines@a.jp', '550-5.7.26 unauthenticated', 'failed', false, NULL),
      ('full@a.jp', '552 5.2.2 mailbox full', 'failed', false, NULL),
      ('dead@a.jp', '550 5.1.1 no such user', 'failed', false, NULL),
      ('mended@a.jp', '550 5.1.1 no such user', 'failed', false, NULL),
      ('bounced@a.jp', '550 5.7.1 blocked', 'failed', false, NULL),
      ('quota@a.jp', '550 5.4.5 Daily user sending quota exceeded', 'failed', false, NULL),
      ('size@a.jp', '552 5.3.4 too much', 'failed', false, NULL),
      ('login@a.jp', '530 5.7.0 log in first', 'failed', false, NULL),
      ('later@a.jp', '450 4.2.0 greylisted', 'failed', false, NULL),
      ('ours@a.jp', 'メールを作成できませんでした', 'failed', false, 'legal_incomplete'),
      ('grid@a.jp', '400 no (personalizations)', 'failed', false, NULL),
      ('test@a.jp', '550 5.7.1 blocked', 'failed', true, NULL),
      ('sent@a.jp', '550 5.7.1 blocked', 'sent', false, NULL)
    ) AS d (address, reply, state, test, reason)`);
  await prepareDatabase(access);
  const { rows } = await admin.pool.query(`
    SELECT rejection.address_key || to_char(rejected_at AT TIME ZONE 'UTC', ' MM-DD') AS rejected
    FROM address_rejection AS rejection
    JOIN delivery ON delivery.id = delivery_id AND delivery.address_key = rejection.address_key
    ORDER BY delivery_id`);
  expect(rows.map(({ rejected }) => rejected)).toStrictEqual([
    'policy@a.jp 11-02',
    'lines@a.jp 11-02',
    'full@a.jp 11-02',
  ]);
});
