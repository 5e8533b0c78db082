import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { selfSigned } from '#test/certificate.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { ImapServer } from '#test/imap-server.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { startProgram } from '#test/program.ts';
import { addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { keyOf, TEST_SECRET_KEY } from '#test/secrets.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { tlsBefore } from '#test/tls-front.ts';
import { readSettings, SECRET_SETTINGS } from '../../platform/settings.ts';
import { BACKUP_TASK, PROCESS_TASKS, WEB_TASKS, WORKER_TASKS } from '../tasks/periodic-tasks.ts';
import { checkSecretKey } from './database-checks.ts';

const GOOD = selfSigned({ days: 30 });
const SOON = selfSigned({ days: 13 });
const EXPIRED = selfSigned({ days: -1 });
const OF_ANOTHER = selfSigned({ host: 'www.example.com', days: 30 });
const UNKNOWN = selfSigned({ days: 30 });
// Does in this process what NODE_EXTRA_CA_CERTS does at startup.
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, ...[GOOD, SOON, EXPIRED, OF_ANOTHER].map(({ cert }) => cert)]);
afterAll(() => setDefaultCACertificates(authorities));

const OK_BODY = '{"status":"ok"}';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let zone: DnsZone;
let place: string;
let webPort: number;
let answer: RequestListener;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
  zone = await serveZone();
  place = mkdtempSync(join(tmpdir(), 'kaitaku-doctor-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  answer = (_request, response) => void response.end(OK_BODY);
  const web = createHttpServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void web.close());
  await once(web, 'listening');
  webPort = (web.address() as AddressInfo).port;
});

const env = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  DATA_DIR: place,
  SECRET_KEY: TEST_SECRET_KEY,
  PUBLIC_URL: `http://127.0.0.1:${webPort}`,
  SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  MAIL_FROM: 'no-reply@example.com',
  DNS_SERVERS: zone.server,
  ...more,
});

interface Line {
  readonly check: string;
  readonly state: 'ok' | 'look' | 'bad';
  readonly text: string;
  readonly cure: string;
}

/** Runs the command with --json. @returns its lines, and the exit code */
async function doctor(more: Record<string, string> = {}, given = env(more)) {
  const { code, out, err } = await runCommand(['doctor', '--json'], given);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Line[] };
  expect([err, ok, code]).toStrictEqual(['', !checks.some(({ state }) => state === 'bad'), ok ? 0 : 1]);
  // Nobody is left without a cure.
  expect(
    checks.filter(({ state, cure, text }) => state !== 'ok' && cure === '' && !/(?:ください|します)。$/.test(text)),
  ).toStrictEqual([]);
  return { code, of: (check: string) => checks.filter((line) => line.check === check), checks };
}

const recordRuns = (names: readonly string[], fault: string | null = null, age = '1 minute') =>
  sql`INSERT INTO task_run (name, began_at, ended_at, fault, succeeded_at)
    SELECT name, now(), now(), ${fault}::text, now() - ${age}::interval FROM unnest(${names}::text[]) AS name
    ON CONFLICT (name) DO UPDATE SET fault = excluded.fault, succeeded_at = excluded.succeeded_at`.execute(database.db);

/** Lets all that is asked be as it should be. */
async function makeGood() {
  await recordRuns([BACKUP_TASK, ...PROCESS_TASKS, ...WEB_TASKS, ...WORKER_TASKS].map(({ name }) => name));
  await addTestMailbox(database.db, tenant.accountId);
  const domain = 'example.com';
  zone.records = {
    [`MX ${domain}`]: [`mx.${domain}`],
    [`A mx.${domain}`]: ['192.0.2.1'],
    [`TXT ${domain}`]: ['v=spf1 ip4:127.0.0.1 -all'],
    [`TXT _dmarc.${domain}`]: ['v=DMARC1; p=none'],
  };
}

test('a good installation: a line a check, exit code 0, no mail, and nothing is changed', async () => {
  await makeGood();
  const state = async () => {
    const { rows } = await database.pool.query<{ query: string }>(
      `SELECT format('SELECT %L, t::text FROM %I AS t', relname, relname) AS query FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
    );
    const all = await database.pool.query(rows.map(({ query }) => query).join(' UNION ALL '));
    const text = all.rows.map((row) => JSON.stringify(row)).toSorted();
    return createHash('sha256')
      .update([...text, ...readdirSync(place)].join('\n'))
      .digest('hex');
  };
  const before = await state();
  const { checks } = await doctor();
  expect(checks.filter(({ state: found }) => found === 'bad')).toStrictEqual([]);
  expect(new Set(checks.map(({ check }) => check))).toStrictEqual(
    new Set([
      '版',
      '設定',
      'ファイルの権限',
      'データベース',
      'SECRET_KEY',
      '時計',
      'ディスク',
      '送信',
      '送信の記録',
      'バックアップ',
      '受信箱',
      'メールボックス',
      '差出人のDNS',
      'PUBLIC_URL',
      'メールサーバー',
    ]),
  );
  expect([await state(), sink.mails]).toStrictEqual([before, []]);
  const { out } = await runCommand(['doctor'], env());
  expect(out).toMatch(/^✓ 版：Kaitaku \S+、Node\.js \S+。\n/);
  expect(out).toMatch(
    /^✓ PUBLIC_URL：http:\S+ に、このマシンからつながりました。外からつながるかは、この確認では分かりません。/m,
  );
  expect(out).toMatch(/\n\n(?:問題は見つかりませんでした。|直す必要があるもの（✗）0件、要確認 \d+件です。)\n$/);
});

describe('no secret is printed:', () => {
  const hidden = (name: string) => `canary-${name.toLowerCase().replaceAll('_', '-')}-7d1f`;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const keys = {
    SECRET_KEY: Buffer.alloc(32, 201).toString('base64'),
    SECRET_KEY_OLD: Buffer.alloc(32, 202).toString('base64'),
  };
  const urlOf = (name: string) => `postgres://kaitaku_x:${hidden(name)}@127.0.0.1:1/none`;
  const urls = Object.fromEntries(
    ['DATABASE_URL', 'DATABASE_API_URL', 'DATABASE_LOGIN_URL', 'DATABASE_SERVICE_URL'].map((name) => [
      name,
      urlOf(name),
    ]),
  );

  test.each(['SMTP_URL', 'SENDGRID_API_KEY'])('all settings with secrets fail, by %s', async (way) => {
    const imap = await new ImapServer().start();
    imap.script = (command) =>
      /^(?:LOGIN|AUTHENTICATE)/.test(command) ? { say: `* OK ${hidden('INBOX_PASSWORD')}\r\n`, end: 'NO' } : undefined;
    sink.fault = (moment) => (moment === 'AUTH' ? `535 5.7.8 ${hidden('SMTP_PASSWORD')} is wrong` : null);
    const ways: Record<string, Record<string, string>> = {
      SMTP_URL: {
        SMTP_URL: `smtp://u:${hidden('SMTP_URL')}@127.0.0.1:${sink.port}`,
        SMTP_PASSWORD: hidden('SMTP_PASSWORD'),
        DKIM_DOMAIN: 'example.com',
        DKIM_SELECTOR: 'k',
        DKIM_PRIVATE_KEY: privateKey,
      },
      SENDGRID_API_KEY: { SENDGRID_API_KEY: `SG.${hidden('SENDGRID_API_KEY')}` },
    };
    const secret: Record<string, string> = {
      ...keys,
      ...ways[way],
      INBOX_URL: `imap://in@127.0.0.1:${imap.settings().port}/INBOX`,
      INBOX_PASSWORD: hidden('INBOX_PASSWORD'),
    };
    const { SMTP_URL: _, ...others } = env();
    const printed: string[] = [];
    for (const database of [urls, {}])
      for (const args of [['doctor'], ['doctor', '--json']]) {
        const { code, out, err } = await runCommand(args, { ...others, ...secret, ...database });
        printed.push(out, err);
        expect(code).toBe(1);
      }
    const text = printed.join('\n');
    expect(text).toContain('127.0.0.1:1');
    if (way === 'SMTP_URL') expect(text).toContain('535 5.7.8 ***');
    expect(text).toContain('受信箱：127.0.0.1');
    const values = [
      ...Object.keys(secret).map(hidden),
      ...Object.keys(urls).map(hidden),
      ...Object.values(keys),
      new URL(env().DATABASE_URL).password,
      ...privateKey.split('\n').filter((line) => line.length > 60),
    ].filter((value) => value !== '');
    expect(values.filter((value) => text.includes(value))).toStrictEqual([]);
  });

  test('the settings above are all that hold secrets', () => {
    expect(new Set<string>(SECRET_SETTINGS)).toStrictEqual(
      new Set([
        ...Object.keys(keys),
        'SMTP_URL',
        'SMTP_PASSWORD',
        'INBOX_PASSWORD',
        'SENDGRID_API_KEY',
        'DKIM_PRIVATE_KEY',
      ]),
    );
  });
});

describe('settings and database', () => {
  test('faulty settings are named, one a line', async () => {
    const { code, checks } = await doctor({ PORT: 'x', SMTP_URL: 'http://a' });
    expect([code, checks.map(({ check }) => check)]).toStrictEqual([1, ['設定', '設定']]);
    expect(checks[0]?.text).toMatch(/^PORT は/);
  });

  test.each([
    [['doctor', 'now'], '余分な引数があります: now'],
    [['doctor', '--jsn'], '「--jsn」というオプションはありません。'],
  ])('%j is misuse', async (args, message) => {
    const { code, err } = await runCommand(args, env());
    expect([code, err.trim().split('\n')[0]]).toStrictEqual([2, message]);
  });

  test('a server for others without TLS, proxy and sender', async () => {
    const { MAIL_FROM: _, ...others } = env({ PUBLIC_URL: 'http://crm.example.co.jp' });
    const { of } = await doctor({}, others as ReturnType<typeof env>);
    expect(of('設定').map(({ state, text }) => [state, text.slice(0, 10)])).toStrictEqual([
      ['look', 'PUBLIC_URL'],
      ['look', 'TRUST_PROX'],
      ['look', 'MAIL_FROM '],
    ]);
  });

  test('no database: one sentence, and the checks that need it are not made', async () => {
    const { code, of, checks } = await doctor({ DATABASE_URL: 'postgres://kaitaku:pw@127.0.0.1:1/none' });
    expect([code, of('データベース')]).toStrictEqual([
      1,
      [
        {
          check: 'データベース',
          state: 'bad',
          text: 'データベースに接続できませんでした（connect ECONNREFUSED 127.0.0.1:1）。',
          cure: 'DATABASE_URL を確認してください。',
        },
      ],
    ]);
    expect(checks.map(({ check }) => check)).toContain(
      'SECRET_KEY、時計、ディスク、送信、送信の記録、バックアップ、受信箱、メールボックス、差出人のDNS',
    );
  });

  test('the bundled database is not started', async () => {
    const { DATABASE_URL: _, ...without } = env();
    const { of } = await doctor({}, without as ReturnType<typeof env>);
    expect(of('データベース')).toMatchObject([
      { state: 'bad', text: `同梱のデータベース（${place}）が動いていません。` },
    ]);
    expect(readdirSync(place)).toStrictEqual([]);
  });

  test('a role without a right, and an old schema', async () => {
    const own = await testDatabase();
    await own.pool.query('REVOKE SELECT ON mailbox FROM kaitaku_service');
    const { of, code } = await doctor({ DATABASE_URL: own.url });
    expect([code, of('メールボックス')]).toMatchObject([
      1,
      [
        {
          state: 'bad',
          text: '確かめられませんでした（permission denied for table mailbox）。',
          cure: expect.stringContaining('GRANT'),
        },
      ],
    ]);
    await own.pool.query('DELETE FROM schema_migration WHERE version > 20');
    const old = await doctor({ DATABASE_URL: own.url });
    expect(old.of('データベース')).toMatchObject([
      {
        state: 'bad',
        text: expect.stringMatching(/^データベースの形が古いままです（データベース \d+、/),
        cure: expect.stringContaining('migrate'),
      },
    ]);
  });

  test('files that others may read, and a folder of another user', async () => {
    writeFileSync(join(place, 'secret.key'), TEST_SECRET_KEY);
    mkdirSync(join(place, 'receipts'), { mode: 0o755 });
    chmodSync(join(place, 'secret.key'), 0o644);
    const { of } = await doctor();
    expect(of('ファイルの権限')).toMatchObject([
      { state: 'bad', cure: `chmod go= '${place}/secret.key' を実行してください。` },
      { state: 'bad', cure: `chmod go= '${place}/receipts' を実行してください。` },
    ]);
  });
});

describe('SECRET_KEY', () => {
  const key = { SECRET_KEY: Buffer.alloc(32, 9).toString('base64') };
  const without = () => {
    const { SECRET_KEY: _, ...others } = env();
    return others as ReturnType<typeof env>;
  };
  const found = async (given = env()) => (await doctor({}, given)).of('SECRET_KEY');

  test('is missing, before and after something was sealed', async () => {
    expect(await found(without())).toMatchObject([
      { state: 'look', cure: expect.stringContaining('openssl rand -base64 32') },
    ]);
    await addTestMailbox(database.db, tenant.accountId);
    expect(await found(without())).toMatchObject([
      { state: 'bad', text: 'SECRET_KEY がありません。web は起動しません。' },
    ]);
  });

  test('is not made for the bundled database', async () => {
    const finding = await checkSecretKey(readSettings({ DATA_DIR: place }), database.service.db);
    expect([finding.state, readdirSync(place)]).toStrictEqual(['look', []]);
  });

  test('differs from the one of the database, or does not open what is stored', async () => {
    await addTestMailbox(database.db, tenant.accountId);
    expect(await found(env(key))).toMatchObject([
      { state: 'bad', text: 'SECRET_KEY が、データベースの値を暗号化した鍵と違います。web は起動しません。' },
    ]);
    expect(await found(env({ ...key, SECRET_KEY_OLD: TEST_SECRET_KEY }))).toMatchObject([
      { state: 'look', text: '鍵の交換が終わっていません。' },
    ]);
    await database.db
      .updateTable('installation')
      .set({ secret_key: keyOf(9).id })
      .execute();
    expect(await found(env(key))).toMatchObject([
      { state: 'bad', text: '暗号化した値 1件のうち 1件を、今の鍵で読めません。' },
    ]);
  });
});

describe('what workers have stored', () => {
  test('a backup: none, late, failed', async () => {
    const found = async () => (await doctor()).of('バックアップ');
    expect(await found()).toMatchObject([{ state: 'look', text: 'backup --to を実行した記録がありません。' }]);
    await recordRuns([BACKUP_TASK.name], null, '27 hours');
    expect(await found()).toMatchObject([
      { state: 'bad', text: expect.stringMatching(/^26時間以上、成功していません（最後の成功は 20/) },
    ]);
    await recordRuns([BACKUP_TASK.name], 'no room', '1 hour');
    expect(await found()).toMatchObject([
      { state: 'bad', text: expect.stringMatching(/^最後の1回が失敗しました（no room）。最後の成功は 20/) },
    ]);
  });

  test('a pause of all sending, processes that do not run, a lost mailbox, another clock', async () => {
    await makeGood();
    await sql`UPDATE installation SET rewound_at = now()`.execute(database.db);
    await sql`UPDATE transport SET paused_until = now() + interval '1 minute'`.execute(database.db);
    await sql`UPDATE mailbox SET state = 'reconnect'`.execute(database.db);
    await recordRuns([WORKER_TASKS[0]?.name ?? ''], null, '1 day');
    const real = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const { of } = await doctor();
    expect(of('送信')).toMatchObject([
      { state: 'bad', cure: expect.stringContaining('receipts merge') },
      { state: 'bad', text: expect.stringContaining('メールサーバーが答えない') },
      {
        state: 'look',
        text: `worker の定期的な処理 ${WORKER_TASKS.length}件のうち 1件が、動いていないか、失敗しています。`,
      },
    ]);
    expect(of('メールボックス')).toMatchObject([{ state: 'look', text: '1件は、つなぎ直しが必要です。' }]);
    expect(of('時計')).toMatchObject([
      {
        state: 'bad',
        text: expect.stringMatching(/^データベースの時計が、このマシンより 3(?:59|60)\d秒遅れています。$/),
      },
    ]);
    expect(of('PUBLIC_URL')).toContainEqual(
      expect.objectContaining({
        text: expect.stringMatching(/^答えたサーバーの時計が、このマシンと 3(?:59|60)\d秒違います。$/),
      }),
    );
  });
});

describe('PUBLIC_URL', () => {
  const found = async (PUBLIC_URL: string) => (await doctor({ PUBLIC_URL, TRUST_PROXY: '127.0.0.1' })).of('PUBLIC_URL');

  test.each([
    ['a good certificate', GOOD, [{ state: 'ok' }, { state: 'ok', text: '証明書は、あと29日有効です。' }]],
    ['one that ends soon', SOON, [{ state: 'ok' }, { state: 'look', text: '証明書が、あと12日で切れます。' }]],
    ['one that ended', EXPIRED, [{ state: 'bad', text: expect.stringContaining('証明書の期限が切れています。') }]],
    [
      'one of another name',
      OF_ANOTHER,
      [{ state: 'bad', text: expect.stringContaining('証明書が、ほかの名前のものです。') }],
    ],
    ['one that nobody knows', UNKNOWN, [{ state: 'bad', text: expect.stringContaining('証明書を確かめられません。') }]],
  ])('%s', async (_, certificate, expected) => {
    const port = await tlsBefore(webPort, certificate);
    expect(await found(`https://localhost:${port}`)).toMatchObject(expected);
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      'a proxy that answers 200 to all',
      (_request, response) => response.end('<h1>Welcome</h1>'),
      /に、Kaitakuではないものが答えました。/,
    ],
    [
      'a redirect',
      (_request, response) => response.writeHead(301, { location: 'https://a.example/' }).end(),
      /別のアドレスに転送されます（301）。/,
    ],
    ['a proxy without web', (_request, response) => response.writeHead(502).end(), /の答えが 502 でした。/],
    ['an endless answer', (_request, response) => void response.write('x'.repeat(5000)), /Kaitakuではないもの/],
  ])('%s', async (_, listener, text) => {
    answer = listener;
    expect(await found(`http://127.0.0.1:${webPort}`)).toMatchObject([
      { state: 'bad', text: expect.stringMatching(text) },
    ]);
  });

  test('plain text where TLS is expected, and nobody there', async () => {
    expect(await found(`https://127.0.0.1:${webPort}`)).toMatchObject([
      { state: 'bad', text: expect.stringContaining('TLSで答えません。') },
    ]);
    expect(await found('http://127.0.0.1:1')).toMatchObject([
      { state: 'bad', text: expect.stringContaining('つながりません（ECONNREFUSED）。') },
    ]);
  });
});

describe('mail', () => {
  test('the mail server refuses the log-in, or does not answer as one', async () => {
    sink.login = { user: 'u', pass: 'right' };
    const { of } = await doctor({ SMTP_USER: 'u', SMTP_PASSWORD: 'wrong' });
    expect(of('メールサーバー')).toMatchObject([
      {
        state: 'bad',
        text: expect.stringContaining('ユーザー名かパスワードが違います。'),
        cure: expect.stringContaining('SMTP_PASSWORD'),
      },
    ]);
    const other = await doctor({ SMTP_URL: 'smtp://127.0.0.1:1' });
    expect(other.of('メールサーバー')).toMatchObject([
      { state: 'bad', text: expect.stringMatching(/^127\.0\.0\.1:1：/) },
    ]);
  });

  test('the inbox is opened read-only, and no worker reads it', async () => {
    const imap = await new ImapServer().start();
    const INBOX_URL = `imap://in@127.0.0.1:${imap.settings().port}/INBOX`;
    const { of } = await doctor({ INBOX_URL, INBOX_PASSWORD: 'x', INBOX_DONE: 'Done' });
    expect(of('受信箱')).toMatchObject([{ state: 'look', text: 'つながりますが、worker が10分以上読んでいません。' }]);
    expect(imap.commands.filter((command) => /^(?:SELECT|CREATE|MOVE)/.test(command))).toStrictEqual([]);
    expect(imap.commands.join('\n')).toMatch(/EXAMINE/);
    imap.stop();
    const gone = await doctor({ INBOX_URL, INBOX_PASSWORD: 'x' });
    expect(gone.of('受信箱')).toMatchObject([{ state: 'bad', text: expect.stringContaining('つながりません。') }]);
  });

  test('the DNS of domains in use, of all accounts, without storing what it finds', async () => {
    await makeGood();
    const other = await addTenant(database.db);
    const senderGroupId = await addSenderGroup(database.db, other.accountId);
    const senderId = await addSender(database.db, { accountId: other.accountId, senderGroupId });
    await sql`UPDATE sender_profile SET email = 'a@broken.example'
      WHERE (account_id, id) = (SELECT account_id, profile_id FROM sender WHERE id = ${senderId})`.execute(database.db);
    const { of } = await doctor();
    const texts = of('差出人のDNS').map(({ state, text }) => `${state} ${text}`);
    expect(texts.some((text) => text.startsWith('bad broken.example：'))).toBe(true);
    expect(await database.db.selectFrom('domain_check').selectAll().execute()).toStrictEqual([]);
  });
});

test('a server that says nothing costs five seconds a check, and does not keep the program alive', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const program = startProgram(
    ['doctor'],
    env({ SMTP_URL: `smtp://127.0.0.1:${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` }),
  );
  onTestFinished(() => void program.child.kill('SIGKILL'));
  expect(await program.ended).toBe(1);
  for (const check of ['PUBLIC_URL', 'メールサーバー'])
    expect(program.output()).toContain(`✗ ${check}：5秒以内に答えがありません。\n`);
  expect(program.output()).toContain('✓ 時計：');
});
