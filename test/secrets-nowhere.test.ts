import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import { hashPassword } from '#server/features/auth/password.ts';
import { sealMailbox } from '#server/features/mailboxes/mailbox.queries.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { Problem } from '#server/platform/problem.ts';
import { readSecretKey } from '#server/platform/secrets/secret-key.ts';
import { secretsWith } from '#server/platform/secrets/secrets.ts';
import { addAccount } from './accounts.ts';
import { type Client, clientAt } from './client.ts';
import { makeInstallation } from './installation.ts';
import { freePort, runToEnd, startProgram } from './program.ts';
import { codeAt, fromBase32 } from './second-step.ts';
import { eventually, testSink } from './sending.ts';

/**
 * What lets somebody in stands nowhere but in the answer to its call: a member logs in, connects mailboxes, and all
 * else is searched.
 */

const EMAIL = 'hanako@example.jp';
const PASSWORD = '正しい馬 電池 ホチキス';
const NEW_PASSWORD = '夜の灯台と三匹の黒い子猫';

/** Returns the forms in which bytes may be written. */
const formsOf = (bytes: Buffer): string[] => [
  bytes.toString('hex'),
  bytes.toString('base64').replace(/=+$/, ''),
  bytes.toString('base64url'),
];

async function open(sink: string) {
  const place = await makeInstallation();
  onTestFinished(place.drop);
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = randomBytes(32);
  const env = {
    DATABASE_URL: place.url,
    DATABASE_ROLE_PREFIX: place.prefix,
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: key.toString('base64'),
    SMTP_URL: sink,
    MAIL_FROM: 'kaitaku@example.com',
    LOG_LEVEL: 'info',
  };
  await runToEnd(['migrate'], env);
  const { db, pool, close } = openDatabase(place.adminUrl);
  onTestFinished(close);
  return { db, pool, env, key, folder };
}

/** Does all that makes a secret, or names one. @returns what must stand nowhere, and a client */
async function live(address: string): Promise<{ hidden: Map<string, string[]>; client: Client }> {
  const visitor = clientAt(address, '');
  const tokens: string[] = [];
  let accountId = 0;
  const device = randomBytes(32).toString('base64url');
  const enter = async (more: object, status: number, password = PASSWORD) => {
    const answer = await visitor.post('/auth/login', { email: EMAIL, password, device, ...more });
    expect([answer.status, answer.body]).toMatchObject([status, {}]);
    const { token = '', account_id } = answer.body as { token?: string; account_id?: number };
    if (token !== '') tokens.push(token);
    accountId = account_id ?? accountId;
    return clientAt(address, `Bearer ${token}`);
  };
  const first = await enter({}, 200);
  const { body } = await first.post('/auth/two_factor/start', { current_password: PASSWORD });
  const { secret } = body as { secret: string };
  const used = [codeAt(secret, Date.now())];
  const made = await first.post('/auth/two_factor/confirm', { code: used[0] });
  const codes = (made.body as { recovery_codes: string[] }).recovery_codes;
  await enter({ code: '000000' }, 401);
  await enter({}, 401, 'まちがったパスワード');
  used.push(codeAt(secret, Date.now() + 30_000));
  await enter({ code: used[1], trust: 1 }, 200);
  await enter({ code: codes[0], device: randomBytes(32).toString('base64url') }, 200);
  const renewed = await first.post('/auth/recovery_codes', { current_password: PASSWORD, code: codes[1] });
  codes.push(...(renewed.body as { recovery_codes: string[] }).recovery_codes);
  await first.post('/auth/two_factor/off', { current_password: 'まちがったパスワード', code: codes.at(-1) });
  // Refused requests, whose faults name what was sent.
  await visitor.post('/auth/login', { email: EMAIL, password: PASSWORD, code: { typed: codes[2] }, device: 1 });
  await visitor.get(`/account/${tokens[0]}?code=${codes[2]}&token=${tokens[0]}`);
  await first.put('/account_rule', { update_info: { login_networks: ['127.0.0.0/8'], two_factor_required: 1 } });
  const client = await enter({}, 200);
  const changed = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  expect((await client.put(`/auth/password/${accountId}`, changed)).status).toBe(200);
  await client.post('/session/end_others', {});
  const hidden = new Map([
    ['the secret of the second step', [secret, ...formsOf(fromBase32(secret))]],
    ['recovery codes', codes.flatMap((code) => [code, code.replaceAll('-', '')])],
    ['the browser', [device]],
    ['sessions', tokens],
    ['passwords', [PASSWORD, NEW_PASSWORD]],
    ['used codes', used],
  ]);
  return { hidden, client };
}

/** Reads all that a member may read, but for streams. */
async function readAnswers(client: Client): Promise<string> {
  const texts: string[] = [];
  for (const [method, path] of Object.values(CALLS)) {
    if (method !== 'GET' || /[:]|events/.test(path)) continue;
    texts.push(`${path} ${JSON.stringify((await client.get(path)).body)}`);
  }
  return texts.join('\n');
}

/**
 * Connects a mailbox by its password, registers the account at Google, and stores tokens as a consent does.
 * @returns what must stand nowhere, its hashes too: whoever has a hash may guess the password
 */
async function connectMailboxes({ db, key }: Awaited<ReturnType<typeof open>>, client: Client): Promise<string[]> {
  const [password, secret, refreshToken, accessToken] = ['箱 password', 'client', 'refresh', 'access'].map(
    (what) => `${what} ${randomBytes(24).toString('hex')}`,
  ) as [string, string, string, string];
  const add = async (info: object) => {
    const { status, body } = await client.post('/mailbox', { add_info: { name: '花子', ...info } });
    expect([status, body]).toMatchObject([200, {}]);
    return (body as { id: number }).id;
  };
  const id = await add({ kind: 'smtp', address: 'hanako@haru.example', smtp_host: 'smtp.haru.example' });
  // Refused requests, whose faults name what was sent.
  await client.post('/mailbox', { add_info: { kind: 'smtp', name: password, address: password, password } });
  await client.put(`/mailbox/${id}`, { version: 99, update_info: { password } });
  await client.put('/oauth_app/google', { update_info: { client_id: 1, secret, [secret]: secret } });
  expect((await client.put(`/mailbox/${id}`, { version: 1, update_info: { password } })).status).toBe(200);
  const app = { update_info: { client_id: 'client of haru', secret } };
  expect((await client.put('/oauth_app/google', app)).status).toBe(200);
  const google = await add({ kind: 'google', address: 'hanako@midori.example' });
  const secrets = secretsWith({ current: readSecretKey(key.toString('base64')), old: null });
  const { account_id: accountId } = await db
    .selectFrom('mailbox')
    .select('account_id')
    .where('id', '=', google)
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (tx) => {
    const sealed = await sealMailbox(tx, secrets, { accountId, id: google }, { refreshToken, accessToken, life: 3600 });
    if (sealed instanceof Problem) throw new Error(sealed.message);
    await tx.updateTable('mailbox').set(sealed).where('id', '=', google).execute();
  });
  for (const one of [id, google]) expect((await client.post(`/mailbox/${one}/check`, {})).status).toBe(200);
  await client.post('/mailbox/authorized', { state: refreshToken, code: accessToken });
  return [password, secret, refreshToken, accessToken].flatMap((text) => [
    text,
    ...formsOf(Buffer.from(text)),
    ...formsOf(createHash('sha256').update(text).digest()),
  ]);
}

async function exportAudit(address: string, client: Client, token: string): Promise<string> {
  await client.post('/export', { add_info: { what: 'audit', format: 'csv_utf8' } });
  type Listed = { id: number; state: string }[];
  const [done] = await eventually(
    async () => (await client.get('/export/list')).body as Listed,
    ([one]) => one?.state === 'done',
    60_000,
  );
  const file = await fetch(`${address}/export/${done?.id}/file`, { headers: { authorization: `Bearer ${token}` } });
  return file.text();
}

test('no secret of a log-in or a mailbox stands in logs, database, backup, audit, exports, answers or mails', async () => {
  const sink = await testSink();
  const place = await open(`smtp://127.0.0.1:${sink.port}`);
  const { db, pool, env, key, folder } = place;
  await addAccount(db, { email: EMAIL, passwordHash: await hashPassword(PASSWORD) });
  const port = await freePort();
  const program = startProgram(['all'], { ...env, PORT: `${port}` });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await program.until('終了するには');
  const address = `http://127.0.0.1:${port}/api/v1`;
  const { hidden, client } = await live(address);
  hidden.set('the key', [env.SECRET_KEY, ...formsOf(key)]);
  const token = hidden.get('sessions')?.at(-1) ?? '';
  hidden.set('log-ins of mailboxes', await connectMailboxes(place, client));
  const answers = (await readAnswers(client)) + JSON.stringify(await client.get('/oauth_app/google'));
  const exported = await exportAudit(address, client, token);
  await eventually(
    () => sink.mails.length,
    (count) => count >= 2,
  );
  program.child.kill('SIGTERM');
  expect(await program.ended, program.output()).toBe(0);
  const file = join(folder, 'backup');
  const printed = await runToEnd(['backup', file], env);
  const tables = await pool.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const dumped = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ text: string | null }>(
      `SELECT json_agg(one)::text AS text FROM ${name} AS one`,
    );
    dumped.push(`${name} ${rows[0]?.text ?? ''}`);
  }
  const places = {
    logs: program.output() + printed,
    database: dumped.join('\n'),
    backup: gunzipSync(readFileSync(file)).toString('utf8'),
    exports: exported,
    answers,
    mails: sink.mails.map((mail) => JSON.stringify(mail)).join('\n'),
  };
  // Each place has what it should: an empty one would hide everything.
  expect(places.logs).toContain('/auth/login');
  expect(places.database).toContain(createHash('sha256').update(token).digest('hex'));
  expect(places.backup).toContain('recovery_codes_made');
  // Two mailboxes, their registration, and the second step.
  expect(places.database.match(/"secret":"\\\\x[0-9a-f]{80,}/g)).toHaveLength(4);
  expect(places.backup).toContain('hanako@midori.example');
  expect(places.answers).toContain('client of haru');
  expect(places.exports).toContain('二段階認証を設定しました');
  expect(places.answers).toContain(EMAIL);
  expect(places.mails).toContain(EMAIL);
  for (const [place, text] of Object.entries(places)) {
    for (const [what, values] of hidden) {
      // Six digits may be a part of any number.
      const found = values.filter((value) =>
        /^\d{6}$/.test(value) ? RegExp(`\\b${value}\\b`).test(text) : text.includes(value),
      );
      expect([place, what, found]).toStrictEqual([place, what, []]);
    }
  }
}, 180_000);
