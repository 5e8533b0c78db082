import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { setAccounts } from '#test/accounts.ts';
import { addSentMail, refusedAt, takeAt, thawServicesOf } from '#test/cells.ts';
import { PUBLIC_URL, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { exchange } from '#test/raw-http.ts';
import { receiptMachine } from '#test/receipt-machine.ts';
import { runCommand } from '#test/run-command.ts';
import { giveTestKey } from '#test/secrets.ts';
import { testSink, WORKER_A } from '#test/sending.ts';
import { setCell } from '../../platform/database/cell.ts';
import { readAccountHosts } from '../account-hosts/read-hosts.ts';
import { claimDeliveries } from '../delivery/claim/claim.queries.ts';
import { keepMoveReceipts } from '../delivery/guard/move-receipts.ts';
import { receiptsOf } from '../delivery/guard/receipt-files.ts';
import { receiptGuard } from '../delivery/guard/receipt-guard.ts';
import { readInstallation } from '../delivery/pauses/installation.queries.ts';
import { type MoveParts, moveAccount } from './move-account.command.ts';
import { passOn } from './pass-on.command.ts';

const [OLD, NOW] = ['old.kaitaku.example.jp', 'acme.kaitaku.example.jp'];
const LATE = 'b-{key}@new.example';

let home: TestDatabase;
let target: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  home = await emptyDatabase();
  target = await testDatabase();
  await setCell(target.pool, 3);
  await giveTestKey(target.db);
  tenant = await addTenant(home.db);
  const { accountId: account_id } = tenant;
  await home.db
    .insertInto('account_host')
    .values([
      { account_id, host: OLD, is_current: false },
      { account_id, host: NOW, is_current: true },
    ])
    .execute();
});

const sentMail = (mailTo: string) => addSentMail(home, tenant, mailTo);

async function moveTo(url: string, onStep: MoveParts['onStep'] = () => {}) {
  const moved = await moveAccount(
    { home: home.service, target, url, lateMailTo: LATE, thawServices: thawServicesOf, onStep },
    tenant.accountId,
  );
  expect(moved).toMatchObject({ cell: 3 });
}

const held = () => home.db.selectFrom('held_arrival').select('kind').orderBy('id').execute();
const refused = (database: TestDatabase) => refusedAt({ database });

const take = (source: Buffer) => takeAt({ database: home, returnPattern: RETURN_PATTERN }, source);

test('what comes at the old home after a move is passed on to the new one, in its order', async () => {
  const [one, back, gone] = [
    await sentMail('a@a.example'),
    await sentMail('b@b.example'),
    await sentMail('c@c.example'),
  ];
  const { address: newHome } = await serveApp(target);
  const { address: oldHome } = await serveApp(home);
  await moveTo(new URL(newHome).origin);
  const post = async (path: string, body = '') =>
    (await fetch(`${new URL(oldHome).origin}/u/${path}`, { method: 'POST', body })).status;
  expect([await post(one.key), await post(back.key), await post(`${back.key}/undo`)]).toStrictEqual([200, 200, 200]);
  const bounce = dsnMail({ key: gone.key, groups: [postfixGroup(gone.mailTo, '5.1.1', 'smtp; 550 5.1.1 Unknown')] });
  expect(await take(bounce)).toBe('bounce');
  const sink = await testSink();
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const [passed, refusals]: [string[], unknown[]] = [[], []];
  const parts = {
    db: home.service.db,
    smtp,
    onPassed: (kind: string) => void passed.push(kind),
    onRefused: (why: object) => void refusals.push(why),
  };
  await passOn({ ...parts, smtp: null });
  expect([passed, refusals]).toStrictEqual([['refusal', 'refusal', 'undo'], []]);
  expect(await held()).toStrictEqual([{ kind: 'mail' }]);
  await passOn(parts);
  expect([await held(), refusals]).toStrictEqual([[], []]);
  expect(await refused(target)).toStrictEqual([{ value: one.mailTo, source: 'one_click', class: 'refused' }]);
  expect(await refused(home)).toStrictEqual([]);
  const [mail] = sink.mails;
  expect(mail).toMatchObject({ from: '', to: [`b-${gone.key}@new.example`] });
  // It arrives there as any other, and here it would be no news.
  const source = Buffer.from(mail?.source ?? '');
  expect(await takeAt({ database: target, returnPattern: LATE }, source, mail?.to[0])).toBe('bounce');
  expect(await take(source)).toBe('ignored');
  expect(await held()).toStrictEqual([]);
});

test('a refusal that comes during the move holds at the new home before a mail begins there', async () => {
  const { key, mailTo } = await sentMail('a@a.example');
  const { address } = await serveApp(home);
  await moveTo(`https://${NOW}`, async (step) => {
    if (step === 'thaw') await fetch(`${new URL(address).origin}/u/${key}`, { method: 'POST' });
  });
  expect(await held()).toStrictEqual([]);
  expect(await refused(target)).toMatchObject([{ value: mailTo }]);
});

test('a mail that its server refuses does not delay an opt-out', async () => {
  const [one, gone] = [await sentMail('a@a.example'), await sentMail('b@b.example')];
  const { address: newHome } = await serveApp(target);
  const { address: oldHome } = await serveApp(home);
  await moveTo(new URL(newHome).origin);
  const bounce = dsnMail({ key: gone.key, groups: [postfixGroup(gone.mailTo, '5.1.1', 'smtp; 550 5.1.1 Unknown')] });
  expect(await take(bounce)).toBe('bounce');
  await fetch(`${new URL(oldHome).origin}/u/${one.key}`, { method: 'POST' });
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'dot' ? '550 5.7.1 spam' : null);
  const [passed, refusals]: [string[], string[]] = [[], []];
  await passOn({
    db: home.service.db,
    smtp: { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null },
    onPassed: (kind) => passed.push(kind),
    onRefused: ({ answer }) => refusals.push(answer),
  });
  expect([passed, refusals]).toStrictEqual([['refusal'], [expect.stringContaining('spam')]]);
  expect(await held()).toStrictEqual([{ kind: 'mail' }]);
});

test('until the new home answers, what is held stays, and nothing overtakes it', async () => {
  const [one, two] = [await sentMail('a@a.example'), await sentMail('b@b.example')];
  const { address: oldHome } = await serveApp(home);
  await moveTo('http://127.0.0.1:1');
  for (const { key } of [one, two]) await fetch(`${new URL(oldHome).origin}/u/${key}`, { method: 'POST' });
  const refusals: unknown[] = [];
  await passOn({
    db: home.service.db,
    smtp: null,
    onPassed: expect.unreachable,
    onRefused: (why) => refusals.push(why),
  });
  expect(refusals).toHaveLength(1);
  expect(await held()).toHaveLength(2);
});

test('former hosts lead to the new home; at its own one the account is away; a second hop is refused', async () => {
  const { key } = await sentMail('a@a.example');
  await moveTo(`https://${NOW}`);
  const log = { error: (fault: unknown) => expect.unreachable(String(fault)) };
  const { accountHosts, stop } = await readAccountHosts({ db: home.login, publicUrl: PUBLIC_URL, log });
  onTestFinished(stop);
  const { address } = await serveApp({ ...home, accountHosts }, Date.now, { allowedHosts: [] });
  const ask = async (method: string, host: string, path: string, ...more: string[]) => {
    const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', 'Content-Length: 0', ...more];
    const { status, headers } = await exchange(address, [`${lines.join('\r\n')}\r\n\r\n`]);
    return [status, headers.get('location') ?? headers.get('retry-after')];
  };
  expect(await ask('GET', OLD, '/sends?page=2')).toStrictEqual([307, `https://${NOW}/sends?page=2`]);
  for (const host of [OLD, NOW, 'localhost']) {
    expect([host, await ask('GET', host, `/u/${key}`)]).toStrictEqual([host, [200, null]]);
    expect([host, await ask('POST', host, `/u/${key}`)]).toStrictEqual([host, [200, null]]);
  }
  expect(await held()).toHaveLength(1);
  expect(await ask('POST', NOW, `/u/${key}`, 'X-Kaitaku-Passed-On: yes')).toStrictEqual([503, '60']);
  // A mail that the new home has sent, before the map of the proxy leads there.
  for (const [host, answer] of [
    [NOW, [503, '60']],
    ['localhost', [404, null]],
  ] as const)
    expect(await ask('POST', host, `/u/${'f'.repeat(32)}`)).toStrictEqual(answer);
});

test('a database set back to before the move sends nothing, names the account, and learns of the move again', async () => {
  await moveTo(`https://${NOW}`);
  const { db } = home.service;
  const machine = await receiptMachine(home);
  onTestFinished(() => machine.remove());
  const root = join(machine.dataDir, 'receipts');
  const logged: unknown[] = [];
  const log = { error: (what: unknown) => logged.push(what), warn: () => {} } as never;
  const compare = () => receiptGuard({ db, root, now: Date.now, log }).compare();
  await keepMoveReceipts(db, receiptsOf(root, (await readInstallation(db)).id));
  await compare();
  expect(logged).toStrictEqual([]);
  const left = await home.db
    .selectFrom('account')
    .selectAll()
    .where('id', '=', tenant.accountId)
    .executeTakeFirstOrThrow();
  const before = { frozen_at: null, settled_at: null, moved_to: null, moved_at: null, late_mail_to: null };
  // A thaw there would raise the number: it decides nothing.
  const setBack = (more: object) => setAccounts(home.db, { ...before, move_number: 7, ...more });
  // It has come back since.
  await setBack({ moves: 2 });
  await compare();
  expect(logged).toStrictEqual([]);
  await setBack({ moves: 0 });
  await compare();
  expect(logged).toStrictEqual([{ accounts: [{ accountId: tenant.accountId, movedTo: `https://${NOW}` }] }]);
  expect(await claimDeliveries(db, WORKER_A, { connections: 1, rows: 1 })).toBe('paused');
  const receipts = (act: string) =>
    runCommand(['receipts', act], { DATABASE_URL: home.url, DATA_DIR: machine.dataDir });
  const named = `アカウントID ${tenant.accountId} は https://${NOW} に移行済み`;
  expect(await receipts('resume')).toMatchObject({ code: 1, err: expect.stringContaining(named) });
  expect(await receipts('merge')).toMatchObject({ code: 0, out: expect.stringContaining(named) });
  expect(await receipts('resume')).toMatchObject({ code: 0 });
  const again = await home.db
    .selectFrom('account')
    .selectAll()
    .where('id', '=', tenant.accountId)
    .executeTakeFirstOrThrow();
  const { moved_to, late_mail_to } = left;
  expect(again).toMatchObject({ moved_to, late_mail_to, frozen_at: expect.any(Date) });
  // Its time is that of the merge: what stays for a week after a move stays for a week after this.
  expect(Number(again.moved_at)).toBeGreaterThan(Number(left.moved_at));
});
