import PostalMime from 'postal-mime';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashPassword } from '#server/features/auth/password.ts';
import { hashOf, newSecret } from '#server/features/auth/secret.ts';
import { sendResetLink } from '#server/features/mailed-keys/password-reset.command.ts';
import { mailNotices, makeNotices } from '#server/features/notices/notice-worker.ts';
import { accountSenderOf } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import type { Db } from '#server/platform/database/db.ts';
import { type Mailer, systemMailer } from '#server/platform/mail/system-mail.ts';
import { type SenderSettings, systemSender } from '#server/platform/mail/system-sender.ts';
import { openSessionOf, updateMember } from './accounts.ts';
import { type Answer, type Client, clientAt, PUBLIC_URL, serveApp } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { addSender, addTenant, changePerson, type Tenant } from './prospects.ts';
import { eventually, testSink } from './sending.ts';
import type { SmtpSink } from './smtp-sink.ts';

/** Sends each system mail through a real server: its From address follows each row of the rule (decisions/senders). */

const PASSWORD = '正しい馬 電池 ホチキス';
const [OLD, TARGET, TAKEN, NEW_SENDER] = ['old@a.example', 'new@b.example', 'taken@c.example', 'hana@d.example'];
const LOCAL = 'http://127.0.0.1:3000';

/** The system mails by their subjects. */
const SUBJECTS = {
  メールアドレスの確認: 'confirmation',
  メールアドレスの変更について: 'in use',
  差出人のメールアドレスの確認: 'sender confirmation',
  メールアドレスが変更されました: 'old address',
  パスワードが変更されました: 'password changed',
  パスワードの再設定: 'reset link',
  パスワードが再設定されました: 'password reset',
  送信が止まりました: 'notice',
} as const;
type MailName = (typeof SUBJECTS)[keyof typeof SUBJECTS];
const ANYBODY: readonly MailName[] = ['confirmation', 'in use'];
const MEMBER: readonly MailName[] = ['old address', 'password changed', 'reset link', 'password reset', 'notice'];

let passwordHash: string;
let database: TestDatabase;
let tenant: Tenant;
/** A sender whose address is not confirmed. */
let newSender: number;
let sink: SmtpSink;
/** The outcome of each system mail that the program tried to send. */
let tried: Promise<unknown>[];
let answers: Record<string, Answer>;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  sink = await testSink();
  tenant = await addTenant(database.db);
  await updateMember(database.db, tenant.accountId, { email: OLD, passwordHash });
  await updateMember(database.db, (await addTenant(database.db)).accountId, { email: TAKEN });
  newSender = await addSender(database.db, tenant);
  await changePerson(database.db, newSender, { email: NEW_SENDER });
  tried = [];
  answers = {};
});

const settingsOf = (given: Partial<SenderSettings> = {}): SenderSettings => ({
  mailFrom: null,
  smtp: { credentials: null },
  publicUrl: LOCAL,
  ...given,
});

/** The mailer as a process makes it. @param db its pool */
function mailerOf(settings: SenderSettings, db: Db): Mailer {
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const from = systemSender(settings, accountSenderOf(db));
  const mailer = systemMailer({ smtp, from, now: Date.now, log: { warn: () => {} } });
  return (...mail) => {
    const outcome = mailer(...mail);
    tried.push(outcome);
    return outcome;
  };
}

/** Makes the program send one system mail of each kind. @returns the sender of each that arrived, by kind */
async function sendEach(settings: SenderSettings): Promise<Partial<Record<MailName, string>>> {
  const { accountId, memberId } = tenant;
  const mailer = mailerOf(settings, database.api);
  const { address } = await serveApp({ ...database, mailer });
  const login = async () => clientAt(address, `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`);

  await database.db.insertInto('notice_event').values({ account_id: accountId, kind: 'stopped' }).execute();
  const { db } = database.service;
  await makeNotices(db);
  const log = { error: expect.unreachable, warn: () => {} };
  await mailNotices({ db, now: Date.now, mailer: mailerOf(settings, db), urlOf: () => PUBLIC_URL, log });

  const client = await login();
  answers['sender confirmation'] = await client.post(`/sender/${newSender}/confirmation`, {});
  const passwords = { current_password: PASSWORD, new_password: `${PASSWORD}！` };
  await client.put(`/auth/password/${accountId}`, passwords);
  await resetPassword(address, mailer);
  const again = await login();
  answers['in use'] = await askChange(again, TAKEN);
  answers.confirmation = await askChange(again, TARGET);
  // Even though no mail arrived.
  await database.db
    .updateTable('email_change')
    .set({ confirmed_at: new Date() })
    .where('member_id', '=', memberId)
    .execute();
  const update_info = { email: TARGET, email_before_confirmation: '', hashed_confirmation_token: '' };
  expect(await again.put(`/account/${accountId}`, { update_info })).toMatchObject({ status: 200 });
  await eventually(
    () => tried.length,
    (count) => count === Object.keys(SUBJECTS).length,
  );
  await Promise.all(tried);
  return arrived();
}

async function resetPassword(address: string, mailer: Mailer): Promise<void> {
  const { accountId, memberId } = tenant;
  const accountDb = accountDbOf(database.api);
  await sendResetLink({ login: database.login, now: Date.now, mailer, urlOf: () => PUBLIC_URL, accountDb }, OLD);
  const key = newSecret();
  const values = { secret_hash: hashOf(key), expires_at: new Date(Date.now() + 60_000) };
  await database.db
    .insertInto('password_reset')
    .values({ account_id: accountId, member_id: memberId, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'member_id']).doUpdateSet(values))
    .execute();
  const again = { new_password: `${PASSWORD}？`, new_password_confirmation: `${PASSWORD}？` };
  const reset = await clientAt(address, '').post('/auth/password_reset/confirm', { key, ...again });
  expect(reset).toMatchObject({ status: 200 });
}

async function askChange(client: Client, email: string): Promise<Answer> {
  const { accountId } = tenant;
  await client.put(`/account/${accountId}`, { update_info: { email_before_confirmation: email } });
  const { body } = await client.put(`/auth/confirmation_token/${accountId}`);
  return client.post(`/mail/send/confirmation/${accountId}`, {
    email_before_confirmation: email,
    ...(body as { confirmation_token: string }),
  });
}

/** The envelope and the From field match in each mail. */
async function arrived(): Promise<Partial<Record<MailName, string>>> {
  const read = sink.mails.map(async ({ from, source }) => {
    const mail = await PostalMime.parse(source);
    expect(mail.from?.address).toBe(from);
    const name = SUBJECTS[mail.subject?.replace('【Kaitaku】', '') as keyof typeof SUBJECTS];
    return [name, `${mail.from?.name} <${from}>`] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

const unconfirm = () => database.db.deleteFrom('confirmed_address').execute();
const all = (names: readonly MailName[], from: string) => Object.fromEntries(names.map((name) => [name, from]));
const EVERY = Object.values(SUBJECTS);
const OWN = 'Kaitaku <sender@example.com>';
const NO_REPLY = 'Kaitaku <no-reply@kaitaku.example.jp>';
const LOGIN = { credentials: { user: 'relay@host.example', pass: 'x' } };
const REFUSED = { status: 503, body: { code: 'no_system_sender', message: expect.stringContaining('設定が必要') } };
const MAIL_FROM = { name: '開拓の係', address: 'kakari@e.example' };

describe('system mails are sent from', () => {
  test('MAIL_FROM, with the highest priority', async () => {
    const settings = settingsOf({ mailFrom: MAIL_FROM, smtp: LOGIN, publicUrl: PUBLIC_URL });
    expect(await sendEach(settings)).toStrictEqual(all(EVERY, '開拓の係 <kakari@e.example>'));
  });

  test('the name of the log-in at the mail server, before an address of the account', async () => {
    const settings = settingsOf({ smtp: LOGIN, publicUrl: PUBLIC_URL });
    expect(await sendEach(settings)).toStrictEqual(all(EVERY, 'Kaitaku <relay@host.example>'));
  });

  test('the sender of the account for its own members, and no-reply@ of the public host for others', async () => {
    const smtp = { credentials: { user: 'apikey', pass: 'x' } };
    expect(await sendEach(settingsOf({ smtp, publicUrl: PUBLIC_URL }))).toStrictEqual({
      ...all(MEMBER, OWN),
      ...all([...ANYBODY, 'sender confirmation'], NO_REPLY),
    });
  });

  test('no-reply@ of the public host if the account has no confirmed sender', async () => {
    await unconfirm();
    expect(await sendEach(settingsOf({ publicUrl: PUBLIC_URL }))).toStrictEqual(all(EVERY, NO_REPLY));
  });

  test('the address itself for its own confirmation, and to nobody else before it is confirmed', async () => {
    expect(await sendEach(settingsOf())).toStrictEqual({
      ...all(MEMBER, OWN),
      'sender confirmation': `Kaitaku <${NEW_SENDER}>`,
    });
    expect(answers).toMatchObject({ confirmation: REFUSED, 'in use': REFUSED, 'sender confirmation': { status: 200 } });
  });

  test('nobody if there is no address: no mail is sent, and none counts', async () => {
    await unconfirm();
    expect(await sendEach(settingsOf())).toStrictEqual({ 'sender confirmation': `Kaitaku <${NEW_SENDER}>` });
    expect(await Promise.all(tried)).toContainEqual({ kind: 'no-sender', reply: expect.stringContaining('MAIL_FROM') });
    const { address } = await serveApp({ ...database, mailer: mailerOf(settingsOf(), database.api) });
    const token = await openSessionOf(database.login, tenant.accountId, Date.now());
    // Exceeds the mails that one address may receive in an hour.
    for (let n = 0; n < 4; n += 1)
      expect(await askChange(clientAt(address, `Bearer ${token}`), TAKEN)).toMatchObject(REFUSED);
  });
});

describe("the account's own sender", () => {
  const read = () => accountSenderOf(database.api)(tenant.accountId);

  test('is the first active one, in an active group, with a confirmed address', async () => {
    const second = await addSender(database.db, tenant);
    await changePerson(database.db, second, { email: 'Second@example.com' });
    await database.db
      .insertInto('confirmed_address')
      .values({ account_id: tenant.accountId, address_key: 'second@example.com' })
      .execute();
    expect(await read()).toBe('sender@example.com');
    await database.db.updateTable('sender').set({ active: false }).where('id', '=', tenant.senderId).execute();
    expect(await read()).toBe('Second@example.com');
    await database.db.updateTable('sender_group').set({ active: false }).execute();
    expect(await read()).toBeNull();
  });

  test('is never one of another account', async () => {
    await database.db.deleteFrom('confirmed_address').where('account_id', '=', tenant.accountId).execute();
    expect(await read()).toBeNull();
  });
});

test('a sender that the database cannot name now does not discard a notice', async () => {
  const settings = settingsOf();
  const broken = systemSender(settings, async () => Promise.reject(new Error('connection lost')));
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const mailer = systemMailer({ smtp, from: broken, now: Date.now, log: { warn: () => {} } });
  const mail = { to: OLD, subject: 's', text: 't', html: 'h', reader: { memberOf: tenant.accountId } };
  expect(await mailer(mail)).toStrictEqual({ kind: 'unmarked', reply: 'connection lost' });
});
