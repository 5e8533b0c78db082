import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addAccount, addMember } from '#test/accounts.ts';
import { type Answer, type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { openAs } from '#test/open-as.ts';
import { runCommand } from '#test/run-command.ts';
import { codeAt, setUpSecondStep } from '#test/second-step.ts';
import { testSecrets } from '#test/secrets.ts';
import { untilBlocked } from '#test/sending.ts';
import type { MemberKey } from '../../../platform/database/account-db.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { lockAccount } from '../../../platform/database/lock-account.ts';
import type { Mailer } from '../../../platform/mail/system-mail.ts';
import { Problem } from '../../../platform/problem.ts';
import { secretsWith } from '../../../platform/secrets/secrets.ts';
import { logIn as enter } from '../log-in.command.ts';
import { hashPassword } from '../password.ts';
import { openSession } from '../session.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const EMAIL = 'hanako@example.jp';
const DEVICE = 'd'.repeat(43);

let database: TestDatabase;
let address: string;
let passwordHash: string;
let member: MemberKey;
let now: number;
let mails: string[];

const mailer: Mailer = async (mail) => {
  mails.push(`${mail.to} ${mail.subject}`);
  return { kind: 'sent', reply: '250 OK' };
};

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  now = Date.UTC(2026, 10, 29, 3);
  mails = [];
  address = await serve({ ...database, mailer }, () => now);
  member = await addAccount(database.db, { email: EMAIL, passwordHash });
});

const visitor = () => clientAt(address, '');
const logIn = (more: object = {}, password = PASSWORD) =>
  visitor().post('/auth/login', { email: EMAIL, password, ...more });
const sessionOf = async (of = member) => clientAt(address, `Bearer ${await openSession(database.login, of, now)}`);
const codeOf = ({ status, body }: Answer): [number, string | undefined] => [status, (body as { code?: string }).code];
const setUp = async (client?: Client) => setUpSecondStep(client ?? (await sessionOf()), { password: PASSWORD, now });
const later = (seconds: number) => {
  now += seconds * 1000;
};
const audit = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute()).map(
    ({ kind, detail }) => [kind, detail],
  );

describe('the log-in', () => {
  test('without a second step is as before, whatever is sent beside', async () => {
    const { status, body } = await logIn({ code: '000000', device: DEVICE, trust: 1 });
    expect([status, Object.keys(body as object).toSorted()]).toStrictEqual([200, ['account_id', 'member', 'token']]);
    expect(await database.db.selectFrom('trusted_device').selectAll().execute()).toStrictEqual([]);
  });

  test('asks the code after the right password alone, and opens a session with it', async () => {
    const { secret } = await setUp();
    later(60);
    expect(codeOf(await logIn())).toStrictEqual([401, 'code_needed']);
    expect(codeOf(await logIn({ code: ' ' }))).toStrictEqual([401, 'code_needed']);
    // A wrong password tells nothing of the second step, with or without a code.
    for (const more of [{}, { code: codeAt(secret, now) }, { code: '000000' }]) {
      expect(codeOf(await logIn(more, 'wrong'))).toStrictEqual([401, 'wrong_credentials']);
    }
    expect(codeOf(await logIn({ code: '12345' }))).toStrictEqual([401, 'wrong_code']);
    expect((await logIn({ code: codeAt(secret, now) })).status).toBe(200);
    const ofLogIns = (await audit()).filter(([kind]) => kind === 'logged_in' || kind === 'log_in_refused');
    // Of the refusals, the first of the hour is written, and says what was wrong.
    expect(ofLogIns).toStrictEqual([
      ['log_in_refused', { network: '127.0.0.0/24', reason: 'password', refusals: 1 }],
      ['logged_in', { network: '127.0.0.0/24', way: 'password', second: 'code' }],
    ]);
  });

  test('takes a code once, also of two at the same time, and none that is older than the last', async () => {
    const { secret } = await setUp();
    // The code of the set-up is used.
    expect(codeOf(await logIn({ code: codeAt(secret, now) }))).toStrictEqual([401, 'wrong_code']);
    later(60);
    expect((await audit()).at(-1)).toStrictEqual([
      'log_in_refused',
      { network: '127.0.0.0/24', reason: 'code', refusals: 1 },
    ]);
    const both = await Promise.all([1, 2].map(() => logIn({ code: codeAt(secret, now) })));
    expect(countBy(both)).toStrictEqual({ 200: 1, 401: 1 });
    expect(codeOf(await logIn({ code: codeAt(secret, now - 30_000) }))).toStrictEqual([401, 'wrong_code']);
    later(30);
    expect(codeOf(await logIn({ code: codeAt(secret, now - 90_000) }))).toStrictEqual([401, 'wrong_code']);
    expect((await logIn({ code: codeAt(secret, now + 30_000) })).status).toBe(200);
  });

  test('takes each recovery code once, as it is typed; the last one is mailed', async () => {
    const { codes } = await setUp();
    const [first = '', ...others] = codes;
    const typed = first.toLowerCase().replaceAll('-', '　');
    const both = await Promise.all([typed, first].map((code) => logIn({ code })));
    expect(countBy(both)).toStrictEqual({ 200: 1, 401: 1 });
    expect(await audit()).toContainEqual(['recovery_code_used', { left: 9 }]);
    mails = [];
    for (const code of others) expect((await logIn({ code })).status).toBe(200);
    expect(mails).toStrictEqual([`${EMAIL} 【Kaitaku】最後の復旧コードが使われました`]);
    expect(codeOf(await logIn({ code: first }))).toStrictEqual([401, 'wrong_code']);
  });

  test('a frozen account is 503, before a code is asked or counted', async () => {
    await setUp();
    await database.db.updateTable('account').set({ frozen_at: new Date() }).execute();
    expect(codeOf(await logIn())).toStrictEqual([503, 'account_frozen']);
    expect(codeOf(await logIn({ code: '000000' }))).toStrictEqual([503, 'account_frozen']);
    expect(await triesOf()).toBe(0);
  });

  test('without the key the codes of apps are 503; a recovery code and the password of others still enter', async () => {
    const { secret, codes } = await setUp();
    await addMember(database.db, member.accountId, { email: 'other@example.jp', passwordHash });
    const secrets = secretsWith({ current: null, old: null });
    address = await serve({ ...database, mailer, secrets }, () => now);
    later(60);
    expect(codeOf(await logIn({ code: codeAt(secret, now) }))).toStrictEqual([503, 'no_secret_key']);
    expect((await logIn({ code: codes[0] })).status).toBe(200);
    expect((await logIn({ email: 'other@example.jp' })).status).toBe(200);
    const start = await (await sessionOf()).post('/auth/two_factor/start', { current_password: PASSWORD });
    expect(codeOf(start)).toStrictEqual([503, 'no_secret_key']);
  });

  /** Logs in, and changes the database once the password is right and before the session is opened. */
  async function logInAround(more: object, change: (tx: Tx) => Promise<unknown>): Promise<Answer> {
    let entering: Promise<Answer> | undefined;
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('member').select('id').where('id', '=', member.memberId).forUpdate().execute();
      entering = logIn(more);
      await untilBlocked(database);
      await change(tx);
    });
    return (await entering) as Answer;
  }

  test('asks a second step that was set up during the log-in', async () => {
    const client = await sessionOf();
    await client.post('/auth/two_factor/start', { current_password: PASSWORD });
    const entered = await logInAround({}, (tx) => sql`UPDATE member_totp SET confirmed_at = now()`.execute(tx));
    expect(codeOf(entered)).toStrictEqual([401, 'code_needed']);
    expect(await database.db.selectFrom('session').selectAll().execute()).toHaveLength(1);
  });

  test('lets no browser in whose trust ended during the log-in', async () => {
    const { secret } = await setUp();
    later(60);
    expect((await logIn({ code: codeAt(secret, now), device: DEVICE, trust: 1 })).status).toBe(200);
    const sessions = () => database.db.selectFrom('session').selectAll().execute();
    const before = await sessions();
    const entered = await logInAround({ device: DEVICE }, (tx) => tx.deleteFrom('trusted_device').execute());
    expect(codeOf(entered)).toStrictEqual([401, 'code_needed']);
    expect(await sessions()).toHaveLength(before.length);
  });

  test('takes no recovery code that was used during the log-in', async () => {
    const { codes } = await setUp();
    const used = await logInAround({ code: codes[0] }, (tx) =>
      tx.updateTable('recovery_code').set({ used_at: new Date() }).execute(),
    );
    expect(codeOf(used)).toStrictEqual([401, 'wrong_code']);
  });

  test('takes no code of a second step that was replaced during the log-in', async () => {
    const { secret } = await setUp();
    later(60);
    const code = codeAt(secret, now);
    const replaced = await logInAround({ code }, (tx) =>
      sql`UPDATE member_totp SET secret = ${Buffer.from('another')}, last_step = 0`.execute(tx),
    );
    expect(codeOf(replaced)).toStrictEqual([401, 'wrong_code']);
  });
});

/** Counts answers by status. */
const countBy = (answers: readonly Answer[]): object =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

const triesOf = async () =>
  (await database.db.selectFrom('member_totp').select('tries').executeTakeFirstOrThrow()).tries;

test('the set-up ends all sessions but its own, which the password alone opened', async () => {
  const others = [await sessionOf(), await sessionOf()];
  const own = await sessionOf();
  const colleague = { ...member, memberId: await addMember(database.db, member.accountId) };
  const theirs = await sessionOf(colleague);
  await setUp(own);
  const statusOf = async (client: Client) => (await client.get(`/account/${member.accountId}`)).status;
  expect(await Promise.all([own, theirs, ...others].map(statusOf))).toStrictEqual([200, 200, 401, 401]);
});

test('log-ins of an hour from one network are audited once for each second step', async () => {
  const { codes, secret } = await setUp();
  later(60);
  for (const code of codes.slice(0, 2)) expect((await logIn({ code })).status).toBe(200);
  expect((await logIn({ code: codeAt(secret, now), device: DEVICE, trust: 1 })).status).toBe(200);
  for (let n = 0; n < 2; n += 1) expect((await logIn({ device: DEVICE })).status).toBe(200);
  const seconds = (await audit()).filter(([kind]) => kind === 'logged_in').map(([, detail]) => detail);
  expect(seconds).toMatchObject([{ second: 'recovery' }, { second: 'code' }, { second: 'device' }]);
});

describe('guesses of codes', () => {
  test('five are free, then the waits double to 15 minutes, in any process and from any network', async () => {
    await setUp();
    const waits: string[] = [];
    for (let n = 0; n < 18; n += 1) {
      expect(codeOf(await logIn({ code: '000000' }))).toStrictEqual([401, 'wrong_code']);
      const { status, body } = await logIn({ code: '000000' });
      if (status === 401) n += 1;
      else {
        const [, wait = '', unit] = /(\d+)(秒|分)後/.exec((body as { message: string }).message) ?? [];
        waits.push(wait + unit);
        later(Number(wait) * (unit === '分' ? 60 : 1));
      }
    }
    const doubling = ['1秒', '2秒', '4秒', '8秒', '16秒', '32秒', '2分', '3分', '5分', '9分', '15分', '15分'];
    expect(waits.slice(0, 12)).toStrictEqual(doubling);
    expect(mails.filter((mail) => mail.includes('認証コードの間違いが続いています'))).toHaveLength(1);
  });

  test('only a right code begins anew, no right password, no new one; and a day without a try', async () => {
    const { secret } = await setUp();
    for (let n = 0; n < 5; n += 1) await logIn({ code: '000000' });
    expect(codeOf(await logIn())).toStrictEqual([401, 'code_needed']);
    await database.db.updateTable('member').set({ updated_at: new Date() }).execute();
    // During the wait the right code is refused too, and not counted.
    expect(codeOf(await logIn({ code: codeAt(secret, now + 30_000) }))).toStrictEqual([429, 'too_many_codes']);
    expect(await triesOf()).toBe(5);
    later(31);
    expect((await logIn({ code: codeAt(secret, now) })).status).toBe(200);
    expect(await triesOf()).toBe(0);
    for (let n = 0; n < 5; n += 1) await logIn({ code: '000000' });
    later(24 * 3600);
    expect(codeOf(await logIn({ code: '000000' }))).toStrictEqual([401, 'wrong_code']);
    expect(await triesOf()).toBe(1);
  });

  test('from 50 networks and by 4 processes at most 120 codes a day are compared', async () => {
    await setUp();
    const accountHosts = noAccountHosts(PUBLIC_URL);
    const server = () => {
      const { db: login, close } = openAs('login', database.url, 2);
      onTestFinished(close);
      return { login, now: () => now, accountHosts, log: { info: () => {} }, mailer, secrets: testSecrets };
    };
    const servers = [server(), server(), server(), server()];
    let network = 0;
    /** Tries by all processes at once, each from the next network. @returns the codes, and the shortest wait */
    const tryAll = async () => {
      const guess = () => {
        network = (network % 50) + 1;
        return { email: EMAIL, password: PASSWORD, host: '', code: '000000', ip: `203.0.113.${network}` };
      };
      const answers = await Promise.all(servers.map((one) => enter(one, guess())));
      const refusals = answers.filter((answer) => answer instanceof Problem);
      const waits = refusals.flatMap(({ code, retryAfter = 0 }) => (code === 'too_many_codes' ? [retryAfter] : []));
      return { codes: refusals.map(({ code }) => code as string), wait: Math.max(1, Math.min(...waits)) };
    };
    const compared = (codes: readonly string[]) => codes.filter((code) => code === 'wrong_code').length;
    const first = [];
    for (let n = 0; n < 50; n += 4) first.push(...(await tryAll()).codes);
    expect([compared(first), await triesOf()]).toStrictEqual([5, 5]);
    let all = 5;
    const end = now + 24 * 3600 * 1000;
    for (let wait = 1; now + wait * 1000 < end; ) {
      later(wait);
      const tried = await tryAll();
      // Of four at once one is compared; the others say how long the next must wait.
      expect(compared(tried.codes)).toBe(1);
      all += 1;
      ({ wait } = tried);
    }
    expect(await triesOf()).toBe(all);
    expect(all).toBeLessThanOrEqual(120);
    expect(all).toBeGreaterThan(100);
  }, 180_000);
});

describe('a trusted browser', () => {
  test('enters without a code for 30 days, also while codes must wait; another browser does not', async () => {
    const { secret } = await setUp();
    later(60);
    expect((await logIn({ code: codeAt(secret, now), device: DEVICE, trust: 1 })).status).toBe(200);
    expect((await logIn({ device: DEVICE })).status).toBe(200);
    for (let n = 0; n < 6; n += 1) await logIn({ code: '000000' });
    expect((await logIn({ device: DEVICE })).status).toBe(200);
    expect(codeOf(await logIn({ device: 'e'.repeat(43) }))).toStrictEqual([401, 'code_needed']);
    expect(codeOf(await logIn({ device: DEVICE }, 'wrong'))).toStrictEqual([401, 'wrong_credentials']);
    later(30 * 24 * 3600);
    expect(codeOf(await logIn({ device: DEVICE }))).toStrictEqual([401, 'code_needed']);
  });

  test('is not trusted without trust, by another member, or beyond 20', async () => {
    const { codes } = await setUp();
    expect((await logIn({ code: codes[0], device: DEVICE })).status).toBe(200);
    expect(codeOf(await logIn({ device: DEVICE }))).toStrictEqual([401, 'code_needed']);
    expect((await logIn({ code: codes[1], device: DEVICE, trust: 1 })).status).toBe(200);
    later(1);
    const row = { account_id: member.accountId, member_id: member.memberId };
    const others = Array.from({ length: 20 }, (_, n) => ({
      ...row,
      hash: Buffer.of(n),
      expires_at: new Date(now + 40 * 24 * 3600 * 1000),
    }));
    await database.db.insertInto('trusted_device').values(others).execute();
    expect((await logIn({ code: codes[2], device: 'f'.repeat(43), trust: 1 })).status).toBe(200);
    expect(await database.db.selectFrom('trusted_device').selectAll().execute()).toHaveLength(20);
    expect(codeOf(await logIn({ device: DEVICE }))).toStrictEqual([401, 'code_needed']);
  });

  test.each([{ device: 'short' }, { device: `${'d'.repeat(42)}!` }, { trust: 2 }, { code: 'x'.repeat(65) }])(
    '%j is refused before a guess is counted',
    async (more) => {
      expect((await logIn(more)).status).toBe(400);
    },
  );

  test('is forgotten by a new password, off, and the switch of an admin', async () => {
    const { codes } = await setUp();
    const count = async () => (await database.db.selectFrom('trusted_device').selectAll().execute()).length;
    await logIn({ code: codes[0], device: DEVICE, trust: 1 });
    const { body } = await logIn({ device: DEVICE });
    const client = clientAt(address, `Bearer ${(body as { token: string }).token}`);
    await logIn({ code: codes[1], device: 'e'.repeat(43), trust: 1 });
    expect(await count()).toBe(2);
    const passwords = { current_password: PASSWORD, new_password: '次の馬 電池 ホチキス 橋' };
    expect((await client.put(`/auth/password/${member.accountId}`, passwords)).status).toBe(200);
    // The browser that changed it is kept, like its session.
    expect(await count()).toBe(1);
    const off = { current_password: passwords.new_password, code: codes[2] };
    expect((await client.post('/auth/two_factor/off', off)).status).toBe(200);
    expect(await count()).toBe(0);
  });
});

describe('set-up', () => {
  test('needs the password, gives an app its secret, and is off until the first code', async () => {
    const client = await sessionOf();
    const start = (current_password: string) => client.post('/auth/two_factor/start', { current_password });
    expect(codeOf(await start('wrong'))).toStrictEqual([400, 'wrong_password']);
    expect(codeOf(await client.post('/auth/two_factor/confirm', { code: '123456' }))).toStrictEqual([
      409,
      'two_factor_not_set',
    ]);
    const [first, second] = [(await start(PASSWORD)).body, (await start(PASSWORD)).body] as { secret: string }[];
    expect(first?.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(second).toStrictEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: `otpauth://totp/Kaitaku:hanako%40example.jp?secret=${second?.secret}&issuer=Kaitaku`,
    });
    expect((await logIn()).status).toBe(200);
    const confirm = (code: string) => client.post('/auth/two_factor/confirm', { code });
    // The second start replaced the first secret.
    expect(codeOf(await confirm(codeAt(first?.secret ?? '', now)))).toStrictEqual([400, 'invalid_code']);
    const both = await Promise.all([1, 2].map(() => confirm(codeAt(second?.secret ?? '', now))));
    expect(both.map(({ status }) => status)).toContain(200);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(codeOf(await start(PASSWORD))).toStrictEqual([409, 'two_factor_on']);
    expect(await database.db.selectFrom('recovery_code').selectAll().execute()).toHaveLength(10);
    expect((await audit()).filter(([kind]) => kind === 'two_factor_on')).toHaveLength(1);
    expect(mails).toStrictEqual([`${EMAIL} 【Kaitaku】二段階認証がオンになりました`]);
    const me = await client.get(`/account/${member.accountId}`);
    expect(me.body).toMatchObject({ member: { two_factor: 1, recovery_codes_left: 10, two_factor_required: 0 } });
  });

  test('a wrong code inside the product is 400 and ends no session; guesses wait there too', async () => {
    const client = await sessionOf();
    await setUp(client);
    const off = () => client.post('/auth/two_factor/off', { current_password: PASSWORD, code: '000000' });
    const answers = [];
    for (let n = 0; n < 6; n += 1) answers.push(codeOf(await off()));
    expect(answers).toStrictEqual([...Array.from({ length: 5 }, () => [400, 'invalid_code']), [429, 'too_many_codes']]);
    expect((await client.get(`/account/${member.accountId}`)).status).toBe(200);
  });

  test('off and new recovery codes need password and code; the old codes end', async () => {
    const client = await sessionOf();
    const { codes } = await setUp(client);
    const renew = (more: object) => client.post('/auth/recovery_codes', { current_password: PASSWORD, ...more });
    expect(codeOf(await renew({ code: codes[0], current_password: 'wrong' }))).toStrictEqual([400, 'wrong_password']);
    const renewed = await renew({ code: codes[0] });
    const { recovery_codes } = renewed.body as { recovery_codes: string[] };
    expect(recovery_codes).toHaveLength(10);
    expect(codeOf(await logIn({ code: codes[1] }))).toStrictEqual([401, 'wrong_code']);
    const off = { current_password: PASSWORD, code: recovery_codes[0] };
    expect(await client.post('/auth/two_factor/off', off)).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(codeOf(await client.post('/auth/two_factor/off', off))).toStrictEqual([409, 'two_factor_not_set']);
    expect((await logIn()).status).toBe(200);
    expect((await audit()).map(([kind]) => kind)).toStrictEqual(
      expect.arrayContaining(['recovery_codes_made', 'two_factor_off']),
    );
  });

  test('no secret or code stands in the database, the audit or the mails', async () => {
    const { secret, codes } = await setUp();
    const { rows } = await database.pool.query<{ dump: string }>(
      `SELECT concat((SELECT json_agg(t) FROM member_totp t), (SELECT json_agg(r) FROM recovery_code r),
        (SELECT json_agg(a) FROM audit_event a), (SELECT json_agg(s) FROM session s)) AS dump`,
    );
    const all = `${rows[0]?.dump} ${mails.join(' ')}`;
    const bytes = Buffer.from(secret).toString('hex');
    for (const hidden of [secret, bytes, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
      expect(all).not.toContain(hidden);
  });
});

describe('required of all', () => {
  const require = (client: Client, two_factor_required: 0 | 1) =>
    client.put('/account_rule', { update_info: { two_factor_required } });

  test('by an admin who has one; it holds in open sessions, and ends with the set-up', async () => {
    const admin = await sessionOf();
    expect(codeOf(await require(admin, 1))).toStrictEqual([409, 'own_two_factor_missing']);
    const { codes } = await setUp(admin);
    const colleague = { ...member, memberId: await addMember(database.db, member.accountId, { passwordHash }) };
    const theirs = await sessionOf(colleague);
    expect((await theirs.get('/sender_group/list')).status).toBe(200);
    expect((await require(admin, 1)).status).toBe(200);
    expect((await admin.get('/sender_group/list')).status).toBe(200);
    for (const path of ['/sender_group/list', '/member/list', '/session/list', '/notice/list']) {
      expect([path, ...codeOf(await theirs.get(path))]).toStrictEqual([path, 403, 'two_factor_setup']);
    }
    expect(codeOf(await theirs.put(`/account/${member.accountId}`, { update_info: { name: '田中' } }))).toStrictEqual([
      403,
      'two_factor_setup',
    ]);
    for (const path of [`/account/${member.accountId}`, '/first_steps', '/notice/unread'])
      expect([path, (await theirs.get(path)).status]).toStrictEqual([path, 200]);
    const off = { current_password: PASSWORD, code: codes[0] };
    expect(codeOf(await admin.post('/auth/two_factor/off', off))).toStrictEqual([409, 'two_factor_required']);
    await setUp(theirs);
    expect((await theirs.get('/sender_group/list')).status).toBe(200);
    expect((await require(admin, 0)).status).toBe(200);
    expect((await admin.post('/auth/two_factor/off', off)).status).toBe(200);
  });

  test('is ended, as networks and passwords are changed, by the owner alone, and mailed to all admins', async () => {
    const admin = await sessionOf();
    await setUp(admin);
    await addMember(database.db, member.accountId, { email: 'second@example.jp', name: '夏目 太郎' });
    await addMember(database.db, member.accountId, { email: 'sales@example.jp', role: 'sales' });
    expect((await require(admin, 1)).status).toBe(200);
    later(16 * 60);
    mails = [];
    const put = (update_info: object, more: object = {}) => admin.put('/account_rule', { update_info, ...more });
    const ofOwner = [{ two_factor_required: 0 }, { login_networks: ['127.0.0.0/8'] }, { password_off: 0 }];
    for (const update_info of ofOwner) {
      expect(codeOf(await put(update_info))).toStrictEqual([400, 'password_needed']);
      expect(codeOf(await put(update_info, { current_password: 'no' }))).toStrictEqual([400, 'wrong_password']);
    }
    expect((await put({ two_factor_required: 1, undo_seconds: 10 })).status).toBe(200);
    expect((await admin.get('/account_rule')).body).toMatchObject({ two_factor_required: 1, login_networks: [] });
    expect(mails).toStrictEqual([]);
    for (const update_info of ofOwner)
      expect((await put(update_info, { current_password: PASSWORD })).status).toBe(200);
    const subject = '【Kaitaku】ログインの決まりが変更されました';
    const toBoth = [`${EMAIL} ${subject}`, `second@example.jp ${subject}`];
    // Passwords were on before.
    expect(mails.toSorted()).toStrictEqual([...toBoth, ...toBoth].toSorted());
  });

  test('its change and the end of a second step wait for each other', async () => {
    const admin = await sessionOf();
    const { codes } = await setUp(admin);
    const off = { current_password: PASSWORD, code: codes[0] };
    const beside = (asked: () => Promise<Answer>, change: (tx: Tx) => Promise<unknown>) =>
      database.db.transaction().execute(async (tx) => {
        await lockAccount(tx, member.accountId);
        const answer = asked();
        await untilBlocked(database);
        await change(tx);
        return { answer };
      });
    const ended = await beside(
      () => admin.post('/auth/two_factor/off', off),
      (tx) => tx.insertInto('account_rule').values({ account_id: member.accountId, password_off: true }).execute(),
    );
    expect(codeOf(await ended.answer)).toStrictEqual([409, 'two_factor_required']);
    const asked = await beside(
      () => require(admin, 1),
      (tx) => tx.deleteFrom('member_totp').execute(),
    );
    expect(codeOf(await asked.answer)).toStrictEqual([409, 'own_two_factor_missing']);
  });

  test('a set-up that was begun is not enough', async () => {
    await database.db
      .insertInto('account_rule')
      .values({ account_id: member.accountId, two_factor_required: true })
      .execute();
    const client = await sessionOf();
    expect((await client.post('/auth/two_factor/start', { current_password: PASSWORD })).status).toBe(200);
    expect(codeOf(await client.get('/member/list'))).toStrictEqual([403, 'two_factor_setup']);
  });

  test('who must set it up may log out', async () => {
    await database.db
      .insertInto('account_rule')
      .values({ account_id: member.accountId, two_factor_required: true })
      .execute();
    const client = await sessionOf();
    expect(codeOf(await client.get('/member/list'))).toStrictEqual([403, 'two_factor_setup']);
    expect((await client.post('/auth/logout', {})).status).toBe(200);
    expect((await client.get(`/account/${member.accountId}`)).status).toBe(401);
  });
});

describe('a lost telephone', () => {
  const versionOf = async (client: Client, id: number) =>
    ((await client.get('/member/list')).body as { id: number; version: string; two_factor: 0 | 1 }[]).find(
      (one) => one.id === id,
    );

  test('an admin removes the second step of a colleague, never the own; sessions end and a mail goes out', async () => {
    const email = 'ken@example.jp';
    const colleague = {
      ...member,
      memberId: await addMember(database.db, member.accountId, { email, passwordHash, role: 'sales' }),
    };
    const theirs = await sessionOf(colleague);
    await setUp(theirs);
    const admin = await sessionOf();
    const remove = async (id: number) => {
      const seen = await versionOf(admin, id);
      const update_info = { two_factor: 0 };
      return [seen?.two_factor, await admin.put(`/member/${id}`, { version: seen?.version, update_info })] as const;
    };
    mails = [];
    const [had, removed] = await remove(colleague.memberId);
    expect([had, removed.status, removed.body]).toMatchObject([1, 200, { sessions_ended: 1 }]);
    expect((await theirs.get(`/account/${member.accountId}`)).status).toBe(401);
    expect(mails).toStrictEqual([`${email} 【Kaitaku】二段階認証が解除されました`]);
    expect((await logIn({ email })).status).toBe(200);
    // Again: nothing to remove, no session ends, no mail.
    expect(await remove(colleague.memberId)).toMatchObject([0, { status: 200, body: { sessions_ended: 0 } }]);
    expect(mails).toHaveLength(1);
    await setUp(admin);
    expect((await remove(member.memberId))[1]).toMatchObject({ status: 400 });
    expect((await audit()).filter(([kind]) => kind === 'member_two_factor_removed')).toStrictEqual([
      ['member_two_factor_removed', { member_id: colleague.memberId }],
    ]);
  });

  test('a refused change of a member keeps the second step', async () => {
    const colleague = { ...member, memberId: await addMember(database.db, member.accountId, { passwordHash }) };
    const theirs = await sessionOf(colleague);
    await setUp(theirs);
    const admin = await sessionOf();
    mails = [];
    const update_info = { two_factor: 0, role: 'viewer' };
    const answer = await admin.put(`/member/${colleague.memberId}`, { version: 'stale', update_info });
    expect(codeOf(answer)).toStrictEqual([409, 'member_changed']);
    expect(await versionOf(admin, colleague.memberId)).toMatchObject({ two_factor: 1 });
    expect((await theirs.get(`/account/${member.accountId}`)).status).toBe(200);
    expect(mails).toStrictEqual([]);
  });

  test('a log-in of more than 15 minutes ago does not remove it without the password', async () => {
    const email = 'ken@example.jp';
    const memberId = await addMember(database.db, member.accountId, { email, passwordHash });
    await setUp(await sessionOf({ ...member, memberId }));
    const admin = await sessionOf();
    const { version } = (await versionOf(admin, memberId)) ?? expect.unreachable();
    later(16 * 60);
    const change = (update_info: object, more: object = {}) =>
      admin.put(`/member/${memberId}`, { version, update_info, ...more });
    expect(codeOf(await change({ two_factor: 0 }))).toStrictEqual([400, 'password_needed']);
    const wrong = await change({ two_factor: 0 }, { current_password: 'wrong' });
    expect(codeOf(wrong)).toStrictEqual([400, 'wrong_password']);
    expect(await versionOf(admin, memberId)).toMatchObject({ two_factor: 1 });
    expect((await change({ role: 'admin' })).status).toBe(200);
    expect((await change({ two_factor: 0 }, { current_password: PASSWORD })).status).toBe(200);
    expect(await versionOf(admin, memberId)).toMatchObject({ two_factor: 0 });
  });

  test('the operator removes it of the only admin', async () => {
    const client = await sessionOf();
    await setUp(client);
    const run = (email: string) =>
      runCommand(['account', 'two-factor-off', '--email', email], { DATABASE_URL: database.url });
    expect(await run(EMAIL)).toStrictEqual({ code: 0, out: `${EMAIL} の二段階認証を解除しました。\n`, err: '' });
    expect((await logIn()).status).toBe(200);
    expect((await client.get(`/account/${member.accountId}`)).status).toBe(401);
    expect((await audit()).at(-2)).toStrictEqual([
      'member_two_factor_removed_by_operator',
      { member_id: member.memberId },
    ]);
    expect(await run('nobody@example.jp')).toMatchObject({ code: 1 });
  });
});
