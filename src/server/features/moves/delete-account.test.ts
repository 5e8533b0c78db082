import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { addMember, agePastMoves, emailOf, setAccounts } from '#test/accounts.ts';
import { addFullTenant, type FullTenant, fingerprint } from '#test/authorization/full-tenant.ts';
import {
  addSentMail,
  type Cell,
  giveHost,
  heldAt,
  moveBetween,
  otherCell,
  passOnFrom,
  refusedAt,
  serveCell,
  takeAt,
} from '#test/cells.ts';
import { emptyDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, rawMail } from '#test/inbox-mails.ts';
import { addManyProspects } from '#test/prospects.ts';
import { exchange } from '#test/raw-http.ts';
import { runCommand } from '#test/run-command.ts';
import { eventually } from '#test/sending.ts';
import { Problem } from '../../platform/problem.ts';
import { readMoved } from './copy-account.command.ts';
import { deleteAccount, STAYS } from './delete-account.command.ts';

let home: Cell;
let there: Cell;
let tenant: FullTenant;

beforeEach(async () => {
  home = await serveCell(await emptyDatabase());
  there = await otherCell(3);
  tenant = await addFullTenant(home.database.db, 'moved');
  await giveHost(home.database, tenant.accountId);
  await home.database.db.deleteFrom('held_arrival').execute();
});

const remove = (onTable?: (table: string) => void | Promise<void>) =>
  deleteAccount({ db: home.database.service.db, ...(onTable && { onTable }) }, tenant.accountId);

/** Moves the account, and lets time pass. @param days since then */
async function moveAway(days = 8) {
  expect(await moveBetween(home, there, tenant.accountId)).toMatchObject({ cell: 3 });
  await agePastMoves(home.database.db, days);
  await untilLivesThere();
}

/** Cells read hosts once a second. */
async function untilLivesThere() {
  const asked = [home, there].map(({ origin }) => `${origin}/health/account/${tenant.accountId}`);
  await eventually(
    () => Promise.all(asked.map(async (url) => (await fetch(url, { redirect: 'manual' })).status === 200)),
    ([isHere, isThere]) => isThere === true && isHere === false,
  );
}

const set = (column: 'moved_to' | 'late_mail_to', value: string | null) =>
  setAccounts(home.database.db, { [column]: value });

/** The tables with rows of the account. */
async function tablesOfAccount(): Promise<string[]> {
  const { pool } = home.database;
  const { rows } = await pool.query<{ query: string }>(
    `SELECT format('SELECT %L AS name WHERE EXISTS (SELECT FROM %I WHERE %I = $1)', relname, relname, attname) AS query
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = CASE relname WHEN 'account' THEN 'id' ELSE 'account_id' END
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  const asked = rows.map(({ query }) => query).join(' UNION ALL ');
  return (await pool.query<{ name: string }>(`${asked} ORDER BY 1`, [tenant.accountId])).rows.map(({ name }) => name);
}

test('nothing stays of a deleted account but what finds its mails, and other accounts are unharmed', async () => {
  const { db, pool } = home.database;
  const other = await addFullTenant(db, 'other');
  const before = await fingerprint(db, other.accountId);
  const email = await emailOf(db, tenant.accountId);
  // More than one piece.
  await addManyProspects(db, tenant.accountId, 2500);
  await moveAway();
  const rows = await remove();
  expect(rows).toBeGreaterThan(2500);
  expect(await tablesOfAccount()).toStrictEqual(['account', 'account_host', 'moved_mail']);
  expect(Object.keys(STAYS)).toStrictEqual(expect.arrayContaining(await tablesOfAccount()));
  expect(await fingerprint(db, other.accountId)).toStrictEqual(before);
  // Each text of the account holds its marker. The host stays.
  const client = await pool.connect();
  const tables = (await readMoved(client)).filter(({ name }) => name !== 'account_host');
  client.release();
  for (const { name, account } of tables) {
    const found = await pool.query(`SELECT FROM ${name} AS t WHERE t::text ILIKE '%moved%' AND ${account} = $1`, [
      tenant.accountId,
    ]);
    expect([name, found.rowCount]).toStrictEqual([name, 0]);
  }
  await addMember(db, other.accountId, { email });
});

test('what keeps an account from being deleted is named, and nothing is deleted', async () => {
  const refusal = async () => {
    const done = await remove(() => expect.unreachable('the delete began'));
    return done instanceof Problem ? [done.code, done.message] : expect.unreachable();
  };
  const { db } = home.database;
  expect(await refusal()).toStrictEqual(['not_moved', expect.stringContaining('account move')]);
  await moveAway(5.5);
  expect(await refusal()).toStrictEqual(['moved_lately', expect.stringContaining('2日後')]);
  await agePastMoves(db, 8);
  const held = { account_id: tenant.accountId, head: '{}' };
  for (const [n, kind] of ['mail', 'events', 'mail'].entries())
    await db
      .insertInto('held_arrival')
      .values({ ...held, kind, digest: Buffer.of(n) })
      .execute();
  await set('late_mail_to', null);
  expect(await refusal()).toStrictEqual(['still_held', expect.stringContaining('3件あります（うちメール2通）')]);
  await db.deleteFrom('held_arrival').execute();
  // The map leads to the home that was left, to another cell, to a program that is not Kaitaku, nowhere.
  const another = await otherCell(4);
  const foreign = `${another.origin}/health/live?`;
  for (const [url, answer] of [
    [home.origin, '404'],
    [another.origin, '404'],
    [foreign, '200'],
    ['http://127.0.0.1:1', 'bad port'],
  ] as const) {
    await set('moved_to', url);
    expect([url, await refusal()]).toStrictEqual([
      url,
      ['home_away', expect.stringContaining(`（HTTP ${answer}）`.replace('HTTP bad port', 'bad port'))],
    ]);
  }
  // The account has another host since: its home answers under each.
  await there.database.db.updateTable('account_host').set({ is_current: false }).execute();
  await giveHost(there.database, tenant.accountId, 'acme.kaitaku.example.jp');
  const probe = `GET /health/account/${tenant.accountId} HTTP/1.1\r\nHost: acme.kaitaku.example.jp\r\nConnection: close\r\n\r\n`;
  await eventually(
    async () => (await exchange(there.origin, [probe])).status,
    (status) => status === 200,
  );
  await set('moved_to', there.origin);
  expect(await remove()).toEqual(expect.any(Number));
});

test('a delete that is killed anywhere can be repeated, and runs once at a time', async () => {
  const mail = await addSentMail(home.database, tenant, 'reader@a.example');
  await moveAway();
  for (const at of ['reply', 'delivery', 'send_log', 'sender_group']) {
    await expect(
      remove((table) => {
        if (table === at) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    const page = await fetch(`${home.origin.replace('127.0.0.1', 'localhost')}/u/${mail.key}`, { redirect: 'manual' });
    expect([at, page.status]).toStrictEqual([at, ['reply', 'delivery'].includes(at) ? 200 : 307]);
  }
  const beside: unknown[] = [];
  const back = { url: home.origin, lateMailTo: null };
  await remove(async (table) => {
    if (table !== 'sender_group') return;
    beside.push(await remove(), await moveBetween(home, there, tenant.accountId));
    beside.push(await moveBetween(there, home, tenant.accountId, back));
  });
  expect(beside).toMatchObject([{ code: 'moving' }, { code: 'moving' }, { code: 'moving' }]);
  expect(await tablesOfAccount()).toStrictEqual(['account', 'account_host', 'moved_mail']);
});

test('old links, bounces and answers of a deleted account reach its new home', async () => {
  const [form, click, undone, gone, answered] = await Promise.all(
    ['form', 'click', 'undone', 'gone', 'answered'].map((name) =>
      addSentMail(home.database, tenant, `${name}@${name}.example`),
    ),
  );
  if (!form || !click || !undone || !gone || !answered) return expect.unreachable();
  await moveAway();
  const refusedBefore = await refusedAt(there);
  await remove();
  const { host } = new URL(home.origin);
  const ask = async (method: string, path: string, { name = 'localhost', body = '' } = {}) => {
    const lines = [`${method} /u/${path} HTTP/1.1`, `Host: ${name}`, 'Connection: close'];
    const type = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`];
    const {
      status,
      headers,
      body: text,
    } = await exchange(`http://${host}`, [`${[...lines, ...type].join('\r\n')}\r\n\r\n${body}`]);
    return { status, location: headers.get('location'), text };
  };
  expect(await ask('GET', form.key)).toMatchObject({ status: 307, location: `${there.origin}/u/${form.key}` });
  // Under the account's own host it would be led to itself: the proxy's map is wrong again.
  const page = await ask('GET', form.key, { name: '127.0.0.1' });
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('配信を停止する') });
  for (const mail of [form, click, undone]) {
    const body = mail === form ? 'way=link&scope=domain&reason=too_many' : 'List-Unsubscribe=One-Click';
    expect(await ask('POST', mail.key, { body })).toMatchObject({
      status: 200,
      text: expect.stringContaining('受け付けました'),
    });
  }
  expect((await ask('GET', click.key, { name: '127.0.0.1' })).text).toContain('受け付け済みです');
  expect(await passOnFrom(home)).toMatchObject({ passed: ['refusal', 'refusal', 'refusal'], refused: [] });
  // Its refusal is no longer held here.
  expect(await ask('POST', `${undone.key}/undo`)).toMatchObject({
    status: 200,
    text: expect.stringContaining('取り消しました'),
  });
  expect(await passOnFrom(home)).toMatchObject({ passed: ['undo'], refused: [] });
  const bounce = dsnMail({ key: gone.key, groups: [postfixGroup(gone.mailTo, '5.1.1', 'smtp; 550 5.1.1 Unknown')] });
  // Without a key: its mail program answers the sender, whose mailbox the old home reads.
  const answer = rawMail(
    [
      ['From', answered.mailTo],
      ['To', 'sales@kaitaku.example'],
      ['Subject', 'Re: x'],
      ['In-Reply-To', `<${answered.uuid}@kaitaku.example>`],
    ],
    '配信停止してください。',
  );
  expect([await takeAt(home, bounce), await takeAt(home, answer)]).toStrictEqual(['bounce', 'reply']);
  expect(await heldAt(home)).toStrictEqual(['mail', 'mail']);
  const { passed, mails } = await passOnFrom(home);
  expect(passed).toStrictEqual(['mail', 'mail']);
  expect(mails.map(({ to }) => to)).toStrictEqual([
    [`b-${gone.key}@cell3.example`],
    [`b-${answered.key}@cell3.example`],
  ]);
  for (const { source, to } of mails) await takeAt(there, Buffer.from(source, 'latin1'), to[0]);
  const refused = (await refusedAt(there)).filter((one) => !refusedBefore.some(({ value }) => value === one.value));
  expect(refused.map(({ value, source }) => [value, source])).toStrictEqual([
    [answered.mailTo, 'reply'],
    [click.mailTo, 'one_click'],
    ['form.example', 'link'],
    [form.mailTo, 'link'],
    [gone.mailTo, 'dsn'],
  ]);
});

test('the command asks for the id, and the list names who has moved and what waits', async () => {
  const { db } = home.database;
  const email = await emailOf(db, tenant.accountId);
  const env = { DATABASE_URL: home.database.url };
  const list = async () => (await runCommand(['account', 'list'], env)).out.trim().split('\n').slice(1);
  const run = async (typed: string) => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
    Object.defineProperty(process, 'stdin', { value: Readable.from([`${typed}\n`]), configurable: true });
    onTestFinished(() => void Object.defineProperty(process, 'stdin', stdin));
    return runCommand(['account', 'delete', '--email', email], env);
  };
  expect(await run(`${tenant.accountId}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('先に account move'),
  });
  await moveAway();
  const held = { account_id: tenant.accountId, kind: 'mail', head: '{}', digest: Buffer.alloc(1) };
  await db.insertInto('held_arrival').values(held).execute();
  expect(await list()).toStrictEqual([
    expect.stringMatching(`^${tenant.accountId}\t${email}\t.*\t${there.origin}\t1$`),
  ]);
  await db.deleteFrom('held_arrival').execute();
  expect(await run('7')).toMatchObject({ code: 1, err: expect.stringContaining('アカウントIDが違う') });
  const deleted = await run(`${tenant.accountId}`);
  expect(deleted).toMatchObject({ code: 0, out: expect.stringContaining('削除しました') });
  // The log alone has it: its audit is gone.
  const logged = deleted.err.split('\n').filter((line) => line.startsWith('{'));
  expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'deleting an account that has moved away', account_id: tenant.accountId },
    { msg: 'account deleted', account_id: tenant.accountId, rows: expect.any(Number) },
  ]);
  expect(await list()).toStrictEqual([expect.stringMatching(`^${tenant.accountId}\t\t\t\t.*\t${there.origin}\t0$`)]);
});
