import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { hashPassword } from '#server/features/auth/password.ts';
import { startReservation } from '#server/features/reservations/due.command.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ROLES } from '#server/platform/database/roles/database-roles.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { type Client, clientAt, serve } from './client.ts';
import { makeInstallation } from './installation.ts';
import { TEST_MAILING } from './mailing.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/**
 * Upgrades a database from before members, with open sessions and open work. Both continue.
 * The tests share it: the first two change nothing, and the last ends the sessions.
 */

const PASSWORD = '正しい馬 電池 ホチキス';
const TOKENS = { taro: 'taro'.padEnd(43, '_'), hana: 'hana'.padEnd(43, '_') };
const SECRET = 'secret'.padEnd(43, '_');
const NEW_ADDRESS = 'taro.new@example.jp';
const sha256 = (text: string) => createHash('sha256').update(text).digest();

let scene: { admin: Database; service: Database; address: string };
let taro: Client;
let hana: Client;

/** Fills it as a superuser, as the owner of the tables sees no row. */
async function fill({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO account (email, email_before_confirmation, name, company, password_hash) VALUES
       ('Hana@example.jp', NULL, '鈴木 花子', '花商店', 'none'), ('taro@example.jp', $2, '山田 太郎', '山田工業', $1)`,
    [await hashPassword(PASSWORD), NEW_ADDRESS],
  );
  await pool.query('INSERT INTO session (token_hash, account_id) VALUES ($1, 1), ($2, 2)', [
    sha256(TOKENS.hana),
    sha256(TOKENS.taro),
  ]);
  await pool.query(
    `INSERT INTO email_change (account_id, email, secret_hash, secret_expires_at)
     VALUES (2, $1, $2, now() + interval '1 hour')`,
    [NEW_ADDRESS, sha256(SECRET)],
  );
  await pool.query(`
    INSERT INTO sender_group (account_id, group_name) VALUES (2, 'g');
    INSERT INTO mail_template (account_id, name, text_body, html_body)
    VALUES (2, 't', '私は {{ account.name }}', '<p>弊社は {{ account.company }}</p>');
    INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email)
    VALUES (2, 1, 1, 's', 'p', 's@x.jp');
    INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search)
    SELECT 2, n, n, n || '@a.jp', n || '@a.jp' FROM generate_series(1, 2) AS n;
    INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
    VALUES (2, 1, 1, false, 7, '{}', 1);
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index,
      mail_to, company_name, person_in_charge, message_id, mail_date)
    VALUES (2, 1, 1, 1, 1, false, 0, '1@a.jp', '1', '', '<m@x.jp>', now());
    INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode)
    VALUES (2, 1, 1, now() - interval '1 second', false);
    INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode)
    VALUES (2, 1, 2, 1, false);
    INSERT INTO audit_event (account_id, kind, created_at)
    VALUES (2, 'password_changed', '2026-11-01Z'), (2, 'password_set_by_operator', '2026-11-02Z')`);
}

beforeAll(async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  const folder = await migrationFolder();
  await copyMigrations(folder, '0029');
  const admin = openDatabase(adminUrl, { connections: 1 });
  const owner = openDatabase(url, { connections: 1 });
  await ensureRoles(owner.pool, access);
  await migrate(owner.pool, { folder, rolePrefix: prefix });
  await fill(admin);
  await prepareDatabase(access);

  const opened = ROLES.map((role) => openDatabase(access.urlOf(role), { role }));
  const [api, login, service] = opened as [Database, Database, Database];
  const address = await serve({ api: api.db, login: login.db });
  [taro, hana] = [TOKENS.taro, TOKENS.hana].map((token) => clientAt(address, `Bearer ${token}`)) as [Client, Client];
  scene = { admin, service, address };
  return async () => {
    for (const one of [admin, owner, ...opened]) await one.close();
    await drop();
  };
});

const profile = (id: number, email: string, name: string, company: string, pending: string | null = null) => ({
  status: 200,
  body: { id, email, name, company, email_before_confirmation: pending, version: expect.any(String) },
});

test('who was logged in stays so, each as themselves', async () => {
  expect(await taro.get('/account/2')).toStrictEqual(
    profile(2, 'taro@example.jp', '山田 太郎', '山田工業', NEW_ADDRESS),
  );
  expect(await hana.get('/account/1')).toStrictEqual(profile(1, 'Hana@example.jp', '鈴木 花子', '花商店'));
  expect(await hana.get('/account/2')).toMatchObject({ status: 404 });
});

test('what was written down names the person where it was theirs', async () => {
  const { rows } = await scene.admin.pool.query<{ event: string }>(`
    SELECT concat_ws(' ', kind, email, to_char(at AT TIME ZONE 'UTC', 'MM-DD')) AS event
    FROM audit_event LEFT JOIN member ON member.account_id = audit_event.account_id AND member.id = member_id
    ORDER BY audit_event.id`);
  expect(rows.map(({ event }) => event)).toStrictEqual([
    'password_changed taro@example.jp 11-01',
    'password_set_by_operator 11-02',
  ]);
});

test('runs and reservations go on, in the name of who asked for them', async () => {
  expect(await taro.get('/send_log/1')).toMatchObject({ status: 200, body: { targets: 1, queued: 1 } });
  expect(await taro.put('/send_log/1', { update_info: { state: 'paused' } })).toMatchObject({ status: 200 });
  const legal = {
    official_name: '山田工業',
    postal_code: '100-0001',
    postal_address: '東京都千代田区1-1',
    confirmed: 1,
  };
  const update_info = { ...legal, contact_phone: '03-0000-0000' };
  const { rows: groups } = await scene.admin.pool.query<{ id: number }>(
    'SELECT id FROM sender_group WHERE account_id = 2',
  );
  for (const { id } of groups)
    expect(await taro.put(`/legal_profile/${id}`, { update_info })).toMatchObject({ status: 200 });
  expect(await startReservation(scene.service.db, { accountId: 2, id: 1 }, Date.now(), TEST_MAILING)).toStrictEqual({
    sendLogId: 2,
  });
  const { rows } = await scene.admin.pool.query<object>(`
    SELECT send_log.id, member.name, mail -> 'account' AS account
    FROM send_log JOIN member ON member.account_id = send_log.account_id AND member.id = send_log.member_id
    ORDER BY send_log.id`);
  expect(rows).toStrictEqual([
    { id: 1, name: '山田 太郎', account: null },
    { id: 2, name: '山田 太郎', account: { name: '山田 太郎', company: '山田工業' } },
  ]);
});

test('the link of a mail that was sent before still confirms the address, and the old password logs in with it', async () => {
  const body = { confirmation_token: SECRET };
  expect(await hana.post('/auth/confirmation_token/1/confirm', body)).toMatchObject({ status: 400 });
  expect(await taro.post('/auth/confirmation_token/2/confirm', body)).toMatchObject({ status: 200 });
  const update_info = { email: NEW_ADDRESS, email_before_confirmation: '', hashed_confirmation_token: '' };
  expect(await taro.put('/account/2', { update_info })).toMatchObject({ status: 200 });
  expect(await taro.get('/account/2')).toMatchObject({ status: 401 });
  const login = await clientAt(scene.address, '').post('/auth/login', { email: NEW_ADDRESS, password: PASSWORD });
  expect(login).toMatchObject({ status: 200, body: { account_id: 2 } });
});
