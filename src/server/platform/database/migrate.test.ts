import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { identityKey } from '#domain/company/prospect-identity.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { copyMigrations, migrationFolder } from '#test/migrations.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { StartupError } from '../startup-error.ts';
import { MigrationFault, migrate, newestVersion } from './migrate.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

beforeEach(async () => {
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  folder = await migrationFolder();
});

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const versions = async () =>
  (await database.pool.query<{ version: number }>('SELECT version FROM schema_migration ORDER BY version')).rows.map(
    ({ version }) => version,
  );

test('applies what is missing, once, in order', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  expect(await migrate(database.pool, { folder })).toStrictEqual([1]);
  await write('0002_second.sql', 'ALTER TABLE a ADD COLUMN m integer');
  expect(await migrate(database.pool, { folder })).toStrictEqual([2]);
  expect(await migrate(database.pool, { folder })).toStrictEqual([]);
  expect(await versions()).toStrictEqual([1, 2]);
});

test('bad-inputs 130: ten processes at once apply each migration once', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(database.pool, { folder })));
  expect(applied.flat()).toStrictEqual([1]);
});

test('a process that comes while another migrates says so, waits, and goes on', async () => {
  await write('0001_slow.sql', 'SELECT pg_advisory_xact_lock(7)');
  const held = await database.pool.connect();
  await held.query('SELECT pg_advisory_lock(7)');
  const waiters: string[] = [];
  const first = migrate(database.pool, { folder, onWait: () => waiters.push('first') });
  await untilBlocked(database);
  const second = migrate(database.pool, { folder, onWait: () => waiters.push('second') });
  await eventually(
    () => waiters,
    ({ length }) => length > 0,
  );
  held.release(true);
  expect([await first, await second]).toStrictEqual([[1], []]);
  expect(waiters).toStrictEqual(['second']);
});

test('a migration that fails leaves nothing of itself', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await write('0002_broken.sql', 'CREATE TABLE b (n integer); SELECT nonsense');
  await expect(migrate(database.pool, { folder })).rejects.toThrow('2_broken');
  expect(await versions()).toStrictEqual([1]);
  const { rows } = await database.pool.query(`SELECT to_regclass('b') AS b`);
  expect(rows).toStrictEqual([{ b: null }]);
});

test('two migrations with one number are both named, and none is applied', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await write('0002_mine.sql', 'CREATE TABLE b (n integer)');
  await write('0002_yours.sql', 'CREATE TABLE c (n integer)');
  for (const ask of [() => migrate(database.pool, { folder }), () => newestVersion(folder)]) {
    const asked = ask();
    await expect(asked).rejects.toThrow(MigrationFault);
    await expect(asked).rejects.toThrow('0002_mine.sql and 0002_yours.sql have the same number');
  }
  expect((await database.pool.query(`SELECT to_regclass('a') AS a`)).rows).toStrictEqual([{ a: null }]);
});

test('a migration that comes after a newer one was applied is refused, not skipped', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await write('0003_third.sql', 'CREATE TABLE c (n integer)');
  await migrate(database.pool, { folder });
  await write('0002_second.sql', 'CREATE TABLE b (n integer)');
  await expect(migrate(database.pool, { folder })).rejects.toThrow('2_second is older than 3');
});

test('bad-inputs 129: a database newer than the program is refused', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await migrate(database.pool, { folder });
  await database.pool.query(`INSERT INTO schema_migration (version, name) VALUES (7, 'later')`);
  await expect(migrate(database.pool, { folder })).rejects.toThrow(StartupError);
  await expect(migrate(database.pool, { folder })).rejects.toThrow('データベース 7');
});

/** Applies the program's own migrations up to this number. */
async function until(last: string): Promise<number[]> {
  await copyMigrations(folder, last);
  return migrate(database.pool, { folder });
}

test('0014 makes one number of each industry value, on companies that are there already', async () => {
  await until('0013');
  await database.pool.query(`
    INSERT INTO account (email, name, company, password_hash) VALUES ('a@x.jp', 'a', 'a', 'x'), ('b@x.jp', 'b', 'b', 'x');
    INSERT INTO industry (account_id, name_search) VALUES (1, '製造'), (1, 'it'), (1, '建設'), (2, 'it');
    INSERT INTO prospect (account_id, identity_key, company_name, major_industry_ids, included_industry_ids) VALUES
      (1, '1', '甲', '{1}', '{2,1}'), (1, '2', '乙', '{2}', '{2,1}'), (1, '3', '丙', '{}', '{1}'), (2, '1', '丁', '{4}', '{}')`);
  expect(await until('0014')).toStrictEqual([14]);
  const { rows } = await database.pool.query<{ values: string }>(`
    SELECT concat_ws(' ', company_name, major.name_search, included.name_search) AS values
    FROM prospect_search AS search JOIN prospect USING (account_id, id)
    LEFT JOIN industry AS major ON major.account_id = search.account_id AND major.id = search.major_industry_id
    LEFT JOIN industry AS included ON included.account_id = search.account_id AND included.id = prospect.included_industry_id
    ORDER BY prospect.id`);
  expect(rows.map(({ values }) => values)).toStrictEqual(['甲 製造 it、製造', '乙 it it、製造', '丙 製造', '丁 it']);
  // No company had 建設.
  expect((await database.pool.query('SELECT FROM industry')).rowCount).toBe(4);
});

test('0018 knows which addresses were mailed before, and keeps open mails that share one', async () => {
  await until('0017');
  await database.pool.query(`
    INSERT INTO account (email, name, company, password_hash) VALUES ('a@x.jp', 'a', 'a', 'x');
    INSERT INTO sender_group (account_id, group_name) VALUES (1, 'g');
    INSERT INTO mail_template (account_id, name, text_body, html_body) VALUES (1, 't', 't', 't');
    INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email)
    VALUES (1, 1, 1, 's', 'p', 's@x.jp');
    INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search)
    SELECT 1, n, n, n || '@a.jp', n || '@a.jp' FROM generate_series(1, 8) AS n;
    UPDATE prospect SET email_search = 'twin@a.jp' WHERE id = 7;
    INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search)
    VALUES (1, '9', '9', 'OLD@a.jp', 'old@a.jp'), (1, '10', '10', '7@a.jp', 'twin@a.jp');
    INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, sent_at)
    SELECT 1, 1, sender_id, false, 7, '{}', '2026-11-05Z' FROM unnest(ARRAY[1, 1, NULL]::bigint[]) AS sender_id;
    INSERT INTO recorded_contact (account_id, send_log_id, prospect_id) VALUES (1, 3, 8);
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at) VALUES (1, 1, 5, '2026-11-04Z');
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index, mail_to,
      company_name, person_in_charge, message_id, mail_date, state, maybe_sent, finished_at)
    SELECT 1, log, 1, 1, company, test, 0, address, 'c', '', id, now(), state, again, finished
    FROM (VALUES
      (1, 1, false, 'Old@a.jp', 'a', 'sent', false, '2026-11-01Z'::timestamptz),
      (2, 1, false, 'old@a.jp', 'b', 'sent', false, '2026-11-02Z'),
      (1, 2, true, 'test@a.jp', 'c', 'sent', false, '2026-11-02Z'),
      (1, 3, false, 'failed@a.jp', 'd', 'failed', false, '2026-11-02Z'),
      (1, 4, false, 'twin@a.jp', 'e', 'unknown', false, '2026-11-02Z'),
      (1, 5, false, 'again@a.jp', 'f', 'queued', true, NULL),
      (2, 6, false, 'TWIN@a.jp', 'g', 'queued', false, NULL),
      (2, 7, false, NULL, 'h', 'cancelled', false, '2026-11-02Z')
    ) AS d (log, company, test, address, id, state, again, finished)`);
  expect(await until('0018')).toStrictEqual([18]);
  const known = await database.pool.query<{ address: string }>(
    `SELECT address_key || to_char(last_sent_at AT TIME ZONE 'UTC', ' MM-DD') AS address FROM address_contact ORDER BY 1`,
  );
  expect(known.rows.map(({ address }) => address)).toStrictEqual([
    '8@a.jp 11-05',
    'again@a.jp 11-04',
    'old@a.jp 11-02',
  ]);
  const shared = await database.pool.query('SELECT message_id FROM delivery WHERE shares_address');
  expect(shared.rows).toStrictEqual([{ message_id: 'g' }]);
  const sharers = await database.pool.query('SELECT prospect_id::integer AS id FROM shared_address ORDER BY 1');
  expect(sharers.rows).toStrictEqual([{ id: 7 }, { id: 9 }, { id: 10 }]);
});

test('0072 takes the dashes of stored addresses as one, as new keys do', async () => {
  await until('0071');
  const companies = [
    { company_name: '甲', address: '港区1‐2ー3' },
    { company_name: '乙', address: 'スーパー通り1―2' },
    { company_name: '丙ー', address: '港区1-2' },
  ];
  await database.pool.query(`
    INSERT INTO account (company) VALUES ('a');
    INSERT INTO prospect (account_id, identity_key, company_name, address) VALUES
      (1, E'甲\\n港区1‐2ー3', '甲', '港区1‐2ー3'), (1, E'乙\\nスーパー通り1―2', '乙', 'スーパー通り1―2'),
      (1, E'丙ー\\n港区1-2', '丙ー', '港区1-2'), (1, E'甲\\n港区1–2―3', '甲', '港区1–2―3')`);
  await until('0072');
  const { rows } = await database.pool.query<{ key: string }>('SELECT identity_key AS key FROM prospect ORDER BY id');
  // The second of two that are now one keeps its key.
  expect(rows.map(({ key }) => key)).toStrictEqual([...companies.map(identityKey), '甲\n港区1–2―3']);
});
