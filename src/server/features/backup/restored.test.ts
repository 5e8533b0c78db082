import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { ask, type Installation, makeInstallation } from '#test/installation.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { testSecrets } from '#test/secrets.ts';
import { acceptRun, claimMails, eventually, markSending, testSink, testWorker, unbalancedRuns } from '#test/sending.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { claimDeliveries } from '../delivery/claim/claim.queries.ts';
import type { Receipt } from '../delivery/guard/receipts.ts';
import { recordServer } from '../delivery/pauses/installation.queries.ts';
import { clearRewound, markRewound } from '../delivery/pauses/rewound.queries.ts';
import { findDue, sendNow, startReservation } from '../reservations/due.command.ts';
import { startReservationScheduler } from '../reservations/reservation-scheduler.ts';
import { countRestored, decideRestored } from '../reservations/restored.command.ts';
import { decideUnknown } from '../runs/decide-unknown.command.ts';
import { checkBackup } from './check-backup.ts';

let database: TestDatabase;
let tenant: Tenant;
let folder: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  folder = mkdtempSync(join(tmpdir(), 'kaitaku-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const file = () => join(folder, 'backup');
const backup = () => runCommand(['backup', file()], { DATABASE_URL: database.url, DATA_DIR: join(folder, 'here') });

const MINUTE_MS = 60_000;
const fromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

interface Restored extends Installation {
  readonly service: Database;
  /** Runs `receipts …` on it. @param machine the name of the DATA_DIR */
  readonly receipts: (machine: string, ...args: string[]) => Promise<{ code: number; text: string }>;
}

/** Restores the backup. @param machine the name of the DATA_DIR */
async function restored(machine: string): Promise<Restored> {
  const target = await makeInstallation();
  onTestFinished(target.drop);
  const env = (name: string) => ({
    DATABASE_URL: target.url,
    DATABASE_ROLE_PREFIX: target.prefix,
    DATA_DIR: join(folder, name),
  });
  expect(await runCommand(['restore', file()], env(machine))).toMatchObject({ code: 0, err: '' });
  const service = openDatabase(target.access.urlOf('service'), { role: 'service' });
  onTestFinished(() => service.close());
  const receipts = async (name: string, ...args: string[]) => {
    const { code, out, err } = await runCommand(['receipts', ...args], env(name));
    return { code, text: out + err };
  };
  return { ...target, service, receipts };
}

const states = async ({ adminUrl }: Pick<Installation, 'adminUrl'>) => {
  const rows = await ask<{ state: string }>(adminUrl, 'SELECT state FROM delivery ORDER BY id');
  return rows.map(({ state }) => state);
};

/** Sends all that is due from this machine. */
async function send(mails: number): Promise<void> {
  const sink = await testSink();
  const worker = testWorker(database, sink, { receiptsFolder: join(folder, 'here', 'receipts') });
  await eventually(
    () => states({ adminUrl: database.url }),
    (all) => all.filter((state) => state === 'sent').length === mails,
  );
  await worker.stop();
}

/** The receipt files of a machine, with what they hold. */
function receiptFiles(machine: string): Record<string, string> {
  const root = join(folder, machine, 'receipts');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

const isPaused = async ({ service }: Restored) =>
  (await claimDeliveries(service.db, crypto.randomUUID(), { connections: 1, rows: 1 })) === 'paused';

test.each([
  ['of its installation deny what it lacks', 'SELECT', /3通分あります。先に receipts merge/],
  [
    'of another one say nothing',
    'UPDATE installation SET id = gen_random_uuid()',
    /バックアップより後の送信の記録がありません/,
  ],
])('beside newer receipts sending is paused; those %s', async (_, change, refusal) => {
  await acceptRun(database, tenant, 3);
  expect(await backup()).toMatchObject({ code: 0 });
  await send(3);
  const before = receiptFiles('here');
  const target = await restored('here');
  expect(receiptFiles('here')).toStrictEqual(before);
  await ask(target.adminUrl, change);
  expect(await isPaused(target)).toBe(true);
  expect(await target.receipts('here', 'resume')).toMatchObject({ code: 1, text: expect.stringMatching(refusal) });
  expect(await isPaused(target)).toBe(true);
  expect(await states(target)).toStrictEqual(['queued', 'queued', 'queued']);
});

test('the restore and that sending was resumed stand in the audit of each account that lives there', async () => {
  const other = await addTenant(database.db);
  const gone = await addTenant(database.db);
  await ask(
    database.url,
    `UPDATE account SET frozen_at = now(), settled_at = now(), moved_to = 'https://there.example' WHERE id = ${gone.accountId}`,
  );
  await backup();
  const target = await restored('here');
  const events = () =>
    ask<{ account_id: number; kind: string; member_id: null; detail: object }>(
      target.adminUrl,
      `SELECT account_id, kind, member_id, detail FROM audit_event
       WHERE kind IN ('restored', 'sending_resumed') ORDER BY account_id, id`,
    );
  const ids = [tenant.accountId, other.accountId];
  const { head } = await checkBackup(file());
  const restoredRow = { kind: 'restored', member_id: null, detail: { backup_at: head.at } };
  expect(await events()).toStrictEqual(ids.map((account_id) => ({ account_id, ...restoredRow })));
  for (const _ of ['resumes', 'changes nothing'])
    expect(await target.receipts('here', 'resume', '--receipts-complete')).toMatchObject({ code: 0 });
  const resumed = { kind: 'sending_resumed', member_id: null, detail: {} };
  expect(await events()).toStrictEqual(
    ids.flatMap((account_id) => [
      { account_id, ...restoredRow },
      { account_id, ...resumed },
    ]),
  );
});

test('merged receipts that are newer than the backup let sending resume', async () => {
  await acceptRun(database, tenant, 3);
  await backup();
  await send(3);
  const target = await restored('here');
  await target.receipts('here', 'merge');
  const { code, text } = await target.receipts('here', 'resume');
  expect(text).toMatch(
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d のバックアップから復元したデータベースです。\n送信を再開しました。\n$/,
  );
  expect(code).toBe(0);
  expect(await states(target)).toStrictEqual(['sent', 'sent', 'sent']);
  expect(await target.receipts('here', 'resume')).toStrictEqual({ code: 0, text: '送信は止まっていません。\n' });
});

describe('a later receipt is no proof', () => {
  let target: Restored;

  beforeEach(async () => {
    await acceptRun(database, tenant, 2);
    await database.db
      .updateTable('delivery')
      .set({ not_before: fromNow(60) })
      .where('id', '=', (query) => query.selectFrom('delivery').select((of) => of.fn.min('id').as('id')))
      .execute();
    await backup();
    await send(1);
    target = await restored('here');
    await target.receipts('here', 'merge');
  });

  const age = (days: number) =>
    ask(
      target.adminUrl,
      `UPDATE installation SET receipts_until = now() - interval '${days} days' + interval '1 minute'`,
    );
  const refused = (why: string) => ({
    code: 1,
    text: expect.stringMatching(new RegExp(`${why}.*--receipts-complete.*--without-receipts`, 's')),
  });

  test('where the backup is older than receipts are kept', async () => {
    await age(3);
    const kept = await target.receipts('here', 'resume');
    expect(kept).toMatchObject({ code: 0, text: expect.stringContaining('送信を再開しました') });
    const second = await restored('here');
    await ask(second.adminUrl, `UPDATE installation SET receipts_until = now() - interval '3 days'`);
    await second.receipts('here', 'merge');
    expect(await second.receipts('here', 'resume')).toMatchObject(refused('3日より前のバックアップです'));
    expect(await isPaused(second)).toBe(true);
    expect(await second.receipts('here', 'resume', '--without-receipts')).toMatchObject({ code: 0 });
    expect((await states(second)).toSorted()).toStrictEqual(['sent', 'unknown']);
  });

  test.each(['kept', 'unknown'])('where a line of %s cannot be read', async (name) => {
    const [path = ''] = Object.keys(receiptFiles('here'));
    const of = dirname(path.replace('/kept/', '/'));
    mkdirSync(join(of, name), { recursive: true });
    writeFileSync(join(of, name, '1'), '{"accountId": 1, \n');
    expect(await target.receipts('here', 'resume')).toMatchObject(refused('読み取れない送信の記録があるため'));
    expect(await isPaused(target)).toBe(true);
    expect(await target.receipts('here', 'resume', '--receipts-complete')).toMatchObject({ code: 0 });
    expect((await states(target)).toSorted()).toStrictEqual(['queued', 'sent']);
  });
});

test('receipts of the backup come to the machine, and are no proof that it has the later ones', async () => {
  await acceptRun(database, tenant, 3);
  await send(3);
  await backup();
  const target = await restored('new');
  const lines = (machine: string) =>
    Object.values(receiptFiles(machine))
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Receipt)
      .toSorted((a, b) => a.id - b.id);
  expect(lines('new')).toStrictEqual(lines('here'));
  // As if these mails had left between the snapshot and the reading of the receipts.
  await ask(target.adminUrl, `UPDATE installation SET restored_from = restored_from - interval '1 hour'`);
  expect(await target.receipts('new', 'resume')).toMatchObject({ code: 1 });
  expect(await isPaused(target)).toBe(true);
  expect(await target.receipts('new', 'resume', '--receipts-complete')).toMatchObject({ code: 0 });
  const [row] = await ask(target.adminUrl, 'SELECT rewound_at, restored_from, receipts_until FROM installation');
  expect(row).toStrictEqual({ rewound_at: null, restored_from: null, receipts_until: null });
});

test('without receipts what was open may have left: mails are unknown, reservations held', async () => {
  await acceptRun(database, tenant, 3);
  const claims = await claimMails(database, { rows: 2 });
  await markSending(database.service.db, claims.slice(0, 1));
  await acceptRun(database, tenant, 1);
  await database.pool.query(`
    UPDATE send_log SET paused_by = 'user' WHERE id = (SELECT max(id) FROM send_log);
    UPDATE delivery SET not_before = 'infinity' WHERE send_log_id = (SELECT max(id) FROM send_log)`);
  const reserved = await addProspects(database.db, tenant.accountId, [{ company_name: 'A' }, { company_name: 'B' }]);
  const due = await addReservation(database.db, tenant, reserved.slice(0, 1), { sendAt: fromNow(-10) });
  const later = await addReservation(database.db, tenant, reserved.slice(1), { sendAt: fromNow(10) });
  await backup();
  const target = await restored('new');
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const { db } = target.service;
  expect(await findDue(db)).toStrictEqual([]);
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  await acceptRun({ ...database, db: owner.db, account: () => account }, tenant, 1);
  expect(await states(target)).toStrictEqual(['sending', 'queued', 'queued', 'queued', 'queued']);

  expect(await target.receipts('new', 'resume')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/まで止まっているもの: 4件\n.*--receipts-complete.*--without-receipts/s),
  });
  expect(await target.receipts('new', 'resume', '--without-receipts')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/「不明」にしたメール: 4通.*まで止まっているもの: 2件\n.*送信を再開しました/s),
  });
  expect(await states(target)).toStrictEqual(['unknown', 'unknown', 'unknown', 'unknown', 'queued']);
  const contacts = await ask(target.adminUrl, 'SELECT FROM contact_state');
  expect(contacts).toHaveLength(4);
  expect(await unbalancedRuns(owner.db)).toStrictEqual([]);
  const held = await ask(target.adminUrl, 'SELECT id FROM reservation WHERE held_by_restore ORDER BY id');
  expect(held).toStrictEqual([{ id: due }, { id: later }]);
  await owner.pool.query('UPDATE reservation SET send_at = now() WHERE id = $1', [later]);
  expect(await findDue(db)).toStrictEqual([]);
  // Its two actions.
  const mails = await ask<{ id: number; claim_no: number }>(
    target.adminUrl,
    'SELECT id, claim_no FROM delivery ORDER BY id',
  );
  const decide = (n: number, state: 'sent' | 'queued') => {
    const { id = 0, claim_no = 0 } = mails[n] ?? {};
    return decideUnknown(account, id, { state, claimNo: claim_no }, Date.now());
  };
  expect(await decide(0, 'sent')).toStrictEqual({ status: 'updated' });
  expect(await decide(1, 'queued')).toStrictEqual({ status: 'updated' });
  expect(await states(target)).toStrictEqual(['sent', 'queued', 'unknown', 'unknown', 'queued']);
});

test('the server process that answers after a restore is in no older state: what is made goes on', async () => {
  await acceptRun(database, tenant, 3);
  await recordServer(database.service.db);
  await backup();
  const target = await restored('here');
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  await recordServer(target.service.db);
  await decideRestored(account, 'send');
  await acceptRun({ ...database, db: owner.db, account: () => account }, tenant, 1);
  const { code, text } = await target.receipts('here', 'resume', '--receipts-complete');
  expect([code, text]).toStrictEqual([0, expect.stringMatching(/復元したデータベースです。\n送信を再開しました。\n$/)]);
});

test('both options at once are refused', async () => {
  const { code, err } = await runCommand(['receipts', 'resume', '--receipts-complete', '--without-receipts'], {
    DATABASE_URL: database.url,
  });
  expect([code, err]).toStrictEqual([2, expect.stringContaining('どちらか一方だけ')]);
});

test('without receipts, only a database that was restored by us is resumed', async () => {
  await database.db.updateTable('installation').set({ rewound_at: new Date() }).execute();
  const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'here') };
  expect(await runCommand(['receipts', 'resume', '--without-receipts'], env)).toMatchObject({ code: 1 });
  const { rewound_at } = await database.db.selectFrom('installation').select('rewound_at').executeTakeFirstOrThrow();
  expect(rewound_at).not.toBeNull();
  await database.db.updateTable('installation').set({ rewound_at: null }).execute();
});

test('what was taken back after the backup does not leave: a run, a deleted reservation, one that was moved', async () => {
  const client = await clientOf(database, tenant.accountId);
  const { id: run } = await acceptRun(database, tenant, 10);
  const companies = Array.from({ length: 10 }, (_, n) => ({ company_email: `r${n}@r.example` }));
  const reserved = await addProspects(database.db, tenant.accountId, companies);
  const [gone, moved] = [
    await addReservation(database.db, tenant, reserved.slice(0, 5), { sendAt: fromNow(10) }),
    await addReservation(database.db, tenant, reserved.slice(5), { sendAt: fromNow(20) }),
  ];
  await backup();
  await client.put(`/send_log/${run}`, { update_info: { state: 'cancelled' } });
  await client.put(`/reservation/${gone}`, { update_info: { active: 0 } });
  await database.db
    .updateTable('reservation')
    .set({ send_at: fromNow(10_000) })
    .where('id', '=', moved)
    .execute();

  const target = await restored('here');
  const { db } = target.service;
  const { text } = await target.receipts('here', 'resume', '--receipts-complete');
  expect(text).toMatch(
    /まで止まっているもの: 3件\n( {2}\d{4}.*アカウントID \d+（.+） (予約 5社|送信 メール10通)「.+」\n){3}送信を再開/,
  );
  // Their hour comes.
  await ask(target.adminUrl, `UPDATE reservation SET send_at = now() - id * interval '1 second'`);
  await ask(target.adminUrl, `UPDATE installation SET server_since = '-infinity'`);
  const sink = await testSink();
  const scheduler = startReservationScheduler({ db, now: Date.now, log: pino({ level: 'silent' }), ...TEST_MAILING });
  onTestFinished(scheduler);
  testWorker({ ...database, service: target.service }, sink);
  await sleep(1500);
  expect(sink.mails).toStrictEqual([]);
  // A run that is made now leaves, so the worker is at work.
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  await acceptRun({ ...database, db: owner.db, account: () => account }, tenant, 2, { domain: 'new.example' });
  await eventually(
    () => sink.mails.length,
    (mails) => mails === 2,
  );
  // As a member wants it.
  expect(await decideRestored(account, 'drop')).toMatchObject({ runs: 1, reservations: 2 });
  await sleep(1000);
  expect(sink.mails.flatMap(({ to }) => to).toSorted()).toStrictEqual(['info0@new.example', 'info1@new.example']);
});

test('a reservation that was sent early after the backup does not leave again, whatever its interval', async () => {
  const client = await clientOf(database, tenant.accountId);
  const companies = Array.from({ length: 3 }, (_, n) => ({ company_email: `r${n}@r.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  const whole = await addReservation(database.db, tenant, ids.slice(0, 1), { sendAt: fromNow(60) });
  const part = await addReservation(database.db, tenant, ids.slice(1), { sendAt: fromNow(120) });
  await database.db.updateTable('reservation').set({ days_from_lastday: 0 }).execute();
  await backup();
  for (const id of [whole, part])
    expect(await client.post(`/reservation/${id}/send_now`, { version: 1 })).toMatchObject({ status: 200 });
  await database.db
    .updateTable('delivery')
    .set({ not_before: fromNow(60) })
    .where('prospect_id', '=', ids[2] ?? 0)
    .execute();
  await send(2);

  const target = await restored('here');
  const owner = openDatabase(target.adminUrl);
  onTestFinished(() => owner.close());
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  // No member starts it before the receipts are there.
  expect(await sendNow(account, part, { version: 2 }, Date.now(), TEST_MAILING)).toMatchObject({
    code: 'sending_paused',
  });
  expect(await target.receipts('here', 'merge')).toMatchObject({
    code: 0,
    text: expect.stringContaining('予約から外した会社: 2社'),
  });
  await target.receipts('here', 'resume');
  await decideRestored(account, 'send');
  await owner.pool.query(`UPDATE reservation SET send_at = now() WHERE active;
    UPDATE installation SET server_since = '-infinity'`);
  expect(await findDue(target.service.db)).toStrictEqual([{ accountId: tenant.accountId, id: part }]);
  await startReservation(target.service.db, { accountId: tenant.accountId, id: part }, Date.now(), TEST_MAILING);
  const sink = await testSink();
  testWorker({ ...database, service: target.service }, sink);
  await eventually(
    () => states(target),
    (all) => all.includes('sent'),
  );
  expect(sink.mails.flatMap(({ to }) => to)).toStrictEqual(['r2@r.example']);
  expect(await states(target)).toStrictEqual(['sent']);
});

test('receipts of what is held set it to sent, and the rest goes on when a member says so', async () => {
  await acceptRun(database, tenant, 4);
  await backup();
  await database.db
    .updateTable('delivery')
    .set({ not_before: fromNow(60) })
    .where('id', 'in', (query) => query.selectFrom('delivery').select('id').orderBy('id').limit(2))
    .execute();
  await send(2);
  const target = await restored('here');
  await target.receipts('here', 'merge');
  await target.receipts('here', 'resume');
  expect(await states(target)).toStrictEqual(['queued', 'queued', 'sent', 'sent']);
  const api = openDatabase(target.access.urlOf('api'), { role: 'api' });
  onTestFinished(() => api.close());
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  expect(await countRestored(account)).toStrictEqual({ runs: 1, mails: 2, reservations: 0, over: 0 });
  expect(await decideRestored(account, 'send')).toMatchObject({ runs: 1, reservations: 0 });
  await ask(target.adminUrl, `UPDATE installation SET server_since = '-infinity'`);
  const sink = await testSink();
  testWorker({ ...database, service: target.service }, sink);
  await eventually(
    () => states(target),
    (all) => all.every((state) => state === 'sent'),
  );
  expect(sink.mails).toHaveLength(2);
});

describe('a database that was set back otherwise', () => {
  const receipts = async (...args: string[]) => {
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'here') };
    const { code, out, err } = await runCommand(['receipts', ...args], env);
    return { code, text: out + err };
  };
  const pausedBy = async () => {
    const rows = await database.db.selectFrom('send_log').select('paused_by').orderBy('id').execute();
    return rows.map(({ paused_by }) => paused_by);
  };

  beforeEach(async () => {
    await acceptRun(database, tenant, 3);
    const reserved = await addProspects(database.db, tenant.accountId, [{ company_name: 'A' }]);
    await addReservation(database.db, tenant, reserved, { sendAt: fromNow(10) });
    await markRewound(database.service.db);
    return () => clearRewound(database.service.db);
  });

  test('is not resumed before somebody says that nothing was taken back', async () => {
    expect(await receipts('resume')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/送信が1件（メール3通）、予約が1件.*receipts hold.*--nothing-taken-back/s),
    });
    expect(await pausedBy()).toStrictEqual([null]);
    expect((await receipts('resume', '--nothing-taken-back')).text).toBe('送信を再開しました。\n');
    expect([await pausedBy(), await receipts('resume')]).toStrictEqual([
      [null],
      { code: 0, text: '送信は止まっていません。\n' },
    ]);
  });

  test('is resumed without what `hold` has held; what is made since goes on', async () => {
    expect(await receipts('hold')).toMatchObject({ code: 0, text: expect.stringContaining('止まっているもの: 2件') });
    // A member may decide before the end of the pause: a second `hold` does not undo that.
    await decideRestored(database.account(tenant.accountId, tenant.memberId), 'send');
    await acceptRun(database, tenant, 1);
    expect(await receipts('hold')).toStrictEqual({ code: 0, text: '' });
    expect(await pausedBy()).toStrictEqual([null, null]);
    expect((await receipts('resume')).text).toBe('送信を再開しました。\n');
    // Set back once more: all that is open is in doubt again.
    await markRewound(database.service.db);
    expect((await receipts('resume')).text).toContain('送信が2件（メール4通）');
    await receipts('hold');
    expect(await pausedBy()).toStrictEqual(['restored', 'restored']);
    const { code, text } = await receipts('resume');
    expect([code, text]).toStrictEqual([0, expect.stringMatching(/止まっているもの: 3件.*送信を再開しました/s)]);
  });

  describe('once more while it is paused, by a standby or a snapshot', () => {
    const account = () => database.account(tenant.accountId, tenant.memberId);
    /** As if another server process answers. */
    const answersAnew = () => database.db.updateTable('installation').set({ server: 'before' }).execute();
    const open = async () => (await pausedBy()).filter((by) => by === null).length;

    beforeEach(async () => {
      await receipts('hold');
      await decideRestored(account(), 'send');
      await acceptRun(database, tenant, 1);
    });

    test('is not resumed before what members had let go or made is held, or said not to be taken back', async () => {
      expect(await receipts('hold')).toStrictEqual({ code: 0, text: '' });
      await answersAnew();
      const asked = { code: 1, text: expect.stringMatching(/送信が2件（メール4通）、予約が1件.*receipts hold/s) };
      expect([await receipts('resume'), await receipts('resume')]).toStrictEqual([asked, asked]);
      expect(await receipts('hold')).toMatchObject({ code: 0, text: expect.stringContaining('止まっているもの: 3件') });
      expect(await open()).toBe(0);
      await decideRestored(account(), 'send');
      await answersAnew();
      expect((await receipts('resume', '--nothing-taken-back')).text).toBe('送信を再開しました。\n');
      expect(await open()).toBe(2);
    });

    test('what members decide in its new state is not held, and needs no answer', async () => {
      const client = await clientOf(database, tenant.accountId);
      await answersAnew();
      await receipts('resume');
      for (const { id } of await database.db.selectFrom('send_log').select('id').execute())
        for (const state of ['paused', 'sending'])
          expect(await client.put(`/send_log/${id}`, { update_info: { state } })).toMatchObject({ status: 200 });
      const reservation = database.db.selectFrom('reservation').select(['id', 'version']);
      const { id, version } = await reservation.executeTakeFirstOrThrow();
      const other = { version, update_info: { sender_id: await addSender(database.db, tenant) } };
      expect(await client.put(`/reservation/${id}`, other)).toMatchObject({ status: 200 });
      expect((await receipts('resume')).text).toContain('送信が0件（メール0通）、予約が1件');
      const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'new@r.example' }]);
      const moved = await addReservation(database.db, tenant, [company], { sendAt: fromNow(20) });
      expect((await receipts('resume')).text).toContain('送信が0件（メール0通）、予約が2件');
      const send_at = new Date(defaultSendAt(Date.now())).toISOString();
      const body = { version: 1, update_info: { send_at } };
      expect(await client.put(`/reservation/${moved}`, body)).toMatchObject({ status: 200 });
      expect((await receipts('resume')).text).toContain('送信が0件（メール0通）、予約が1件');
      await receipts('hold');
      expect(await pausedBy()).toStrictEqual([null, null]);
      expect((await receipts('resume')).text).toMatch(/止まっているもの: 1件\n.*予約 1社.*\n送信を再開しました/);
    });
  });

  test('starts no reservation before it is resumed: receipts may show that it was sent', async () => {
    const { db } = database.service;
    await database.db
      .updateTable('reservation')
      .set({ send_at: fromNow(0) })
      .execute();
    const due = await database.db
      .selectFrom('reservation')
      .select(['account_id as accountId', 'id'])
      .executeTakeFirstOrThrow();
    const start = () => startReservation(db, due, Date.now(), TEST_MAILING);
    expect([await findDue(db), await start()]).toStrictEqual([[], null]);
    await receipts('resume', '--nothing-taken-back');
    // Workers of all machines compare first.
    expect([await findDue(db), await start()]).toStrictEqual([[], null]);
    await database.db
      .updateTable('installation')
      .set({ server_since: new Date(0) })
      .execute();
    expect(await findDue(db)).toStrictEqual([due]);
    // Another server answers, perhaps in an older state, and nobody has noticed yet.
    await database.db.updateTable('installation').set({ server: 'before' }).execute();
    expect([await findDue(db), await start()]).toStrictEqual([[], null]);
    await recordServer(db);
    expect(await findDue(db)).toStrictEqual([]);
    await database.db
      .updateTable('installation')
      .set({ server_since: new Date(0) })
      .execute();
    expect(await start()).toMatchObject({ sendLogId: expect.any(Number) });
  });

  test('is held also where nothing is open: what is made since goes on', async () => {
    await database.db.updateTable('delivery').set({ state: 'cancelled', reason: 'run_cancelled' }).execute();
    await database.db.updateTable('reservation').set({ active: false }).execute();
    expect(await receipts('hold')).toStrictEqual({ code: 0, text: '' });
    await acceptRun(database, tenant, 1);
    expect(await receipts('hold')).toStrictEqual({ code: 0, text: '' });
    expect((await receipts('resume')).text).toBe('送信を再開しました。\n');
    expect(await pausedBy()).toStrictEqual([null, null]);
  });

  test('lists 20 of what is held, and nothing in it speaks to the terminal', async () => {
    await database.db
      .updateTable('send_log')
      .set({ mail: sql`mail || '{"subject": "a\\u001b[2Jb\\u202ec"}'` })
      .execute();
    for (let n = 0; n < 24; n += 1) await acceptRun(database, tenant, 1);
    const { text } = await receipts('hold');
    expect(text).toMatch(/止まっているもの: 26件\n( {2}\d.*\n){20} {2}ほか6件\n$/);
    await database.db
      .updateTable('send_log')
      .set({ sent_at: fromNow(100) })
      .where(sql<boolean>`mail ->> 'subject' LIKE 'a%'`)
      .execute();
    expect((await receipts('hold')).text).toContain('メール3通「a [2Jb c」');
  });

  test('an old hold of a backup says nothing of what it has', async () => {
    await database.db
      .updateTable('installation')
      .set({ held_at: fromNow(-10) })
      .execute();
    expect(await receipts('resume')).toMatchObject({ code: 1, text: expect.stringContaining('receipts hold') });
  });

  test('is not held while sending goes on', async () => {
    await clearRewound(database.service.db);
    expect(await receipts('hold')).toMatchObject({ code: 1, text: expect.stringContaining('止まっていません') });
    expect(await pausedBy()).toStrictEqual([null]);
  });

  test('what waits here of an account that has moved is left alone', async () => {
    const moved = {
      frozen_at: new Date(),
      settled_at: new Date(),
      moved_to: 'https://b.example',
      moved_at: new Date(),
    };
    await database.db.updateTable('account').set(moved).execute();
    expect(await receipts('hold')).toStrictEqual({ code: 0, text: '' });
    expect(await pausedBy()).toStrictEqual([null]);
    expect((await receipts('resume')).text).toBe('送信を再開しました。\n');
  });
});

test('a restore says whether the present key opens what was sealed, and a backup that it has no key', async () => {
  const { accountId: account_id, memberId: member_id } = tenant;
  const sealed = await testSecrets.seal(
    database.db,
    { accountId: account_id, row: member_id, kind: 'totp' },
    Buffer.from('the secret'),
  );
  if (sealed instanceof Problem) return expect.unreachable();
  await database.db
    .insertInto('member_totp')
    .values({ account_id, member_id, ...sealed })
    .execute();
  await database.db
    .insertInto('trusted_device')
    .values({ account_id, member_id, hash: Buffer.of(1), expires_at: fromNow(60) })
    .execute();
  expect((await backup()).out).toContain('二段階認証などの値の鍵（SECRET_KEY か ');
  for (const [byte, says] of [
    [7, /暗号化した値 1件は、今の鍵で読めます。.*復旧コードは、もう一度使えます。/],
    [8, /暗号化した値 1件のうち 1件は、今の鍵で読めません。.*secrets reset/],
  ] as const) {
    const target = await makeInstallation();
    onTestFinished(target.drop);
    const env = { DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix, DATA_DIR: join(folder, `key${byte}`) };
    const SECRET_KEY = Buffer.alloc(32, byte).toString('base64');
    const { code, out } = await runCommand(['restore', file()], { ...env, SECRET_KEY });
    expect(code).toBe(0);
    expect(out).toMatch(says);
    const kept = `SELECT (SELECT secret_key FROM installation) AS key, (SELECT count(*)::integer FROM trusted_device) AS trusted`;
    expect(await ask(target.adminUrl, kept)).toStrictEqual([{ key: sealed.secret_key, trusted: 0 }]);
  }
});

test('restored mailboxes are as they were; without the key they must be connected anew, and a copy has none', async () => {
  const { accountId } = tenant;
  const [own, off] = [await addTestMailbox(database.db, accountId), await addTestMailbox(database.db, accountId, OFF)];
  await database.db.updateTable('mailbox').set({ secret: null, secret_key: null }).where('id', '=', off).execute();
  await backup();
  const restore = async (byte: number, ...options: string[]) => {
    const target = await makeInstallation();
    onTestFinished(target.drop);
    const name = `boxes${byte}${options.length}`;
    const env = { DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix, DATA_DIR: join(folder, name) };
    const SECRET_KEY = Buffer.alloc(32, byte).toString('base64');
    const { code, out } = await runCommand(['restore', file(), ...options], { ...env, SECRET_KEY });
    expect(code).toBe(0);
    const boxes = await ask(target.adminUrl, `SELECT id, state, secret IS NULL AS empty FROM mailbox ORDER BY id`);
    const lost = await ask(
      target.adminUrl,
      `SELECT detail->>'mailbox_id' AS id FROM audit_event WHERE kind = 'mailbox_lost'`,
    );
    return { out, boxes, lost };
  };
  const gone = { id: off, state: 'off', empty: true };
  const kept = await restore(7);
  expect([kept.boxes, kept.lost]).toStrictEqual([[{ id: own, state: 'ok', empty: false }, gone], []]);
  expect(kept.out).not.toContain('つなぎ直し');
  const lost = await restore(8);
  expect([lost.boxes, lost.lost]).toStrictEqual([
    [{ id: own, state: 'reconnect', empty: false }, gone],
    [{ id: `${own}` }],
  ]);
  expect(lost.out).toContain('メールボックス 1件は、つなぎ直しが必要です。');
  const copy = await restore(7, '--without-mailboxes');
  expect(copy.boxes).toStrictEqual([{ id: own, state: 'off', empty: true }, gone]);
});

const OFF = { address: 'off@haru.example', state: 'off' };
