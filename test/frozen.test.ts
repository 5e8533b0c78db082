import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PERIODIC_TASKS } from '#server/commands/tasks/periodic-tasks.ts';
import { clockDifference } from '#server/commands/tasks/watch-clock.ts';
import { readAccountHosts } from '#server/features/account-hosts/read-hosts.ts';
import { deleteOldEvents } from '#server/features/audit/old-events.command.ts';
import { sweepDead } from '#server/features/auth/sweep.ts';
import { backUpTo } from '#server/features/backup/backup-folder.ts';
import { claimBoxMails } from '#server/features/delivery/claim/box-claim-loop.ts';
import { claimDeliveries } from '#server/features/delivery/claim/claim.queries.ts';
import { receiptEraser } from '#server/features/delivery/guard/erase-receipts.command.ts';
import { keepMoveReceipts } from '#server/features/delivery/guard/move-receipts.ts';
import { receiptGuard } from '#server/features/delivery/guard/receipt-guard.ts';
import { receiptWatch } from '#server/features/delivery/guard/receipt-watch.command.ts';
import { tellMerged } from '#server/features/delivery/guard/receipts-loop.ts';
import type { KeepUnknown } from '#server/features/delivery/leases/claim.ts';
import { startRenewal } from '#server/features/delivery/leases/renewal.ts';
import { senderQueues } from '#server/features/delivery/leases/sender-queues.ts';
import { startSweeps, sweepWhenDue } from '#server/features/delivery/sweeps.ts';
import { checkDueDomains } from '#server/features/domain-health/daily-checks.ts';
import { deleteOldJobs } from '#server/features/jobs/job.queries.ts';
import { startJobWorker } from '#server/features/jobs/job-worker.ts';
import { leaseMailboxes } from '#server/features/mailbox-reading/reading.queries.ts';
import { deleteOldStarts } from '#server/features/mailbox-settings/consent.command.ts';
import { deleteOldInvitations } from '#server/features/members/invitation-list.queries.ts';
import { freeze } from '#server/features/moves/freeze.command.ts';
import { passOn } from '#server/features/moves/pass-on.command.ts';
import { thaw } from '#server/features/moves/thaw.command.ts';
import { deleteOldNotices } from '#server/features/notices/notice-list.queries.ts';
import { mailNotices, makeNotices } from '#server/features/notices/notice-worker.ts';
import { deleteUnusedSets } from '#server/features/own-fields/label-sets.queries.ts';
import { foldChanges } from '#server/features/reports/report-sums.command.ts';
import { findDue, startReservation } from '#server/features/reservations/due.command.ts';
import { blankBatch } from '#server/features/retention/blank.command.ts';
import { deleteDeadFiles } from '#server/features/stored-files/stored-file.queries.ts';
import { oldestProgram } from '#server/platform/database/migrate.ts';
import { Problem } from '#server/platform/problem.ts';
import { sourceFiles, textOf } from '../scripts/imports.ts';
import { emailOf, openSessionOf } from './accounts.ts';
import { addFullTenant, type FullTenant, tenantTables } from './authorization/full-tenant.ts';
import { clientAt, serveApp } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { TEST_MAILING } from './mailing.ts';
import { NO_DNS } from './no-dns.ts';
import { receiptMachine } from './receipt-machine.ts';
import { runCommand } from './run-command.ts';
import { testSecrets } from './secrets.ts';
import { eventually } from './sending.ts';

let database: TestDatabase;
let frozen: FullTenant;

const NOBODY = '00000000-0000-4000-8000-000000000001';
const silent = () => {};
const log = { error: silent, warn: silent, info: silent, debug: silent } as never;

beforeEach(async () => {
  database = await emptyDatabase();
  frozen = await addFullTenant(database.db, 'frozen');
});

async function freezeNow({ accountId }: FullTenant) {
  const done = await freeze(database.service.db, accountId);
  if (done instanceof Problem) throw new Error(done.message);
  return done;
}

/** Returns hashes of all rows of an account, by table. Items held for it are not part of a copy. */
async function hashes({ accountId }: FullTenant): Promise<Record<string, string>> {
  const tables = (await tenantTables(database.db)).filter((name) => name !== 'held_arrival');
  const { rows } = await database.pool.query<{ name: string; hash: string }>(
    tables
      .map((name) => {
        const key = name === 'account' ? 'id' : 'account_id';
        return `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS hash
          FROM ${name} AS t WHERE ${key} = ${accountId}`;
      })
      .join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

/** Makes every loop find work for the account, and moves all its times into the past. */
async function makeDue({ accountId, memberId, unknownDeliveryId, reservationId }: FullTenant): Promise<void> {
  const run = (text: string, ...values: unknown[]) => database.pool.query(text, [accountId, ...values]);
  await run(`INSERT INTO job (account_id, member_id, kind, input) VALUES ($1, $2, 'export', '{}')`, memberId);
  await run(
    `INSERT INTO notice (account_id, member_id, kind, count, subjects, first_at, last_at, on_screen, mail_due_at)
    VALUES ($1, $2, 'failures', 1, '{}', now(), now(), true, now())`,
    memberId,
  );
  await run(`UPDATE suppression SET cancels_mails = true WHERE account_id = $1`);
  await run(`UPDATE reply SET cancels_mails = true WHERE account_id = $1`);
  await run(`UPDATE mailbox SET imap_host = 'imap.example', reads_replies = true, takes_refusals = true
    WHERE account_id = $1`);
  // Mails of one of its persons wait for the first look into a mailbox.
  await run(`UPDATE sender_profile SET mailbox_id = (SELECT min(id) FROM mailbox WHERE account_id = $1)
    WHERE account_id = $1 AND id = (SELECT max(id) FROM sender_profile WHERE account_id = $1)`);
  await run(`INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT account_id, id, now() FROM sender WHERE account_id = $1`);
  const { rows } = await database.pool.query<{ name: string; column: string }>(`
    SELECT table_name AS name, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND table_name <> 'account'
      AND table_name IN (SELECT table_name FROM information_schema.columns WHERE column_name = 'account_id')`);
  for (const { name, column } of rows) {
    await run(`UPDATE ${name} SET ${column} = ${column} - interval '900 days'
      WHERE account_id = $1 AND isfinite(${column}) AND ${column} > '2000-01-01'`);
  }
  await run(`UPDATE audit_event SET at = at - interval '5 years' WHERE account_id = $1`);
  // The loops will find a receipt of this mail; and this reservation has just become due.
  await run(`UPDATE delivery SET worker_id = $2 WHERE account_id = $1 AND id = ${unknownDeliveryId}`, NOBODY);
  await run(
    `UPDATE reservation SET send_at = now() - interval '1 minute' WHERE account_id = $1 AND id = $2`,
    reservationId,
  );
}

/** Runs each loop and periodic task of the program once, by the name with which it is started. */
async function loops(): Promise<Record<string, () => Promise<unknown>>> {
  const { db } = database.service;
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-freeze-'));
  const machine = await receiptMachine(database);
  onTestFinished(() => {
    machine.remove();
    rmSync(folder, { recursive: true });
  });
  const context = { db, log, now: Date.now, workerId: NOBODY, queues: senderQueues(), stopping: AbortSignal.abort() };
  const guard = receiptGuard({ db, root: join(machine.dataDir, 'receipts'), now: Date.now, log });
  const mailer = async () => ({ kind: 'sent', reply: '250' }) as const;
  const { rows } = await sql`SELECT account_id AS "accountId", id, claim_no AS "claimNo", message_id AS "messageId",
    sender_group_id AS "senderGroupId", prospect_id AS "prospectId", mail_to AS "mailTo", 0 AS "claimedAt",
    attempts, test_send_mode AS test FROM delivery WHERE state = 'unknown'`.execute(database.db);
  machine.keep(rows as never);
  return {
    'sweep the claims of dead workers': () => sweepWhenDue(db),
    'merge delivery receipts': () => machine.merge(),
    'tell a freeze that delivery receipts are merged': () => tellMerged(context, folder, folder),
    'keep receipts of moved accounts': () => keepMoveReceipts(db, folder),
    'compare delivery receipts with the database': () => guard.compare(),
    'tell accounts that delivery receipts cannot be written': () => {
      const watch = receiptWatch({ db, log });
      for (const { accountId, id } of rows as { accountId: number; id: number }[])
        watch.onFault(new Error('disk full'), [{ accountId, id }]);
      return watch.tellAccounts();
    },
    'take erased addresses out of delivery receipts': () => receiptEraser(db)(folder),
    'renew leases': () => startRenewal(context).stop(),
    'claim mail': () => claimDeliveries(db, NOBODY, { connections: 5, rows: 5 }),
    'claim mail of mailboxes': () => claimBoxMails(db, NOBODY, { keys: testSecrets.keyIds }),
    'cancel mails to suppressed addresses and to companies that answered': () =>
      Promise.all(startSweeps({ db, log }).map(({ stop }) => stop())),
    'look for due reservations': async () => {
      for (const due of await findDue(db)) await startReservation(db, due, Date.now(), TEST_MAILING);
    },
    'lease mailboxes': () => leaseMailboxes(db, { workerId: NOBODY, keyIds: testSecrets.keyIds, limit: 10 }),
    'look for jobs': () =>
      startJobWorker({ db, log, handlers: { export: async () => new Problem('not_found', 'なし') } as never })(),
    'back up all accounts': () =>
      backUpTo(database.service.pool, folder, {
        root: folder,
        onFault: silent,
        keep: { daily: 1, weekly: 0 },
        now: Date.now(),
      }),
    'fold the sums of the reports': () => foldChanges(db),
    'make notices': () => makeNotices(db),
    'mail notices': () => mailNotices({ db, now: Date.now, mailer, urlOf: TEST_MAILING.urlOf, log }),
    'delete old notices': () => deleteOldNotices(db),
    'delete dead files': () => deleteDeadFiles(db),
    'delete old jobs': () => deleteOldJobs(db),
    'delete old invitations': () => deleteOldInvitations(db),
    'delete expired consents of mailboxes': () => deleteOldStarts(db),
    'delete audit events of five years ago': () => deleteOldEvents(db),
    'delete sets of labels that no company has': () => deleteUnusedSets(db),
    'blank old mails': () => blankBatch(db),
    "check the senders' domains": () =>
      checkDueDomains({ db, now: Date.now, log, urlOf: TEST_MAILING.urlOf, ...NO_DNS }),
    'delete expired sessions and counters': () => sweepDead(database.login, Date.now()),
    'pass on what came for accounts that have moved': () =>
      passOn({ db, smtp: null, onPassed: silent, onRefused: silent }),
    'read which programs the schema permits': () => oldestProgram(db),
    "compare the database's clock with this machine's": () => clockDifference(db),
    'read the hosts of accounts': async () =>
      (await readAccountHosts({ db, publicUrl: 'http://a.example', log })).stop(),
  };
}

/** Loops that change no row of an account. */
const READING = [
  'tell a freeze that delivery receipts are merged',
  'keep receipts of moved accounts',
  'compare delivery receipts with the database',
  'take erased addresses out of delivery receipts',
  'renew leases',
  'back up all accounts',
  'pass on what came for accounts that have moved',
  'read which programs the schema permits',
  "compare the database's clock with this machine's",
  'read the hosts of accounts',
];

test('no loop of the program, and no request, changes a frozen account', async () => {
  const free = await addFullTenant(database.db, 'free');
  await openSessionOf(database.login, free.accountId, Date.now());
  await openSessionOf(database.login, frozen.accountId, Date.now());
  await freezeNow(frozen);
  for (const tenant of [frozen, free]) await makeDue(tenant);
  // Old enough that its use is stored.
  const token = await openSessionOf(database.login, frozen.accountId, Date.now() - 120_000);
  // A frozen account has no leases.
  const held = sql<Date>`now() - interval '1 minute'`;
  const ofFree = database.db.updateTable('delivery').where('account_id', '=', free.accountId);
  await ofFree.where('state', '=', 'queued').set({ state: 'claimed', lease_until: held }).execute();
  const still = await hashes(frozen);
  let before = await hashes(free);
  const idle: string[] = [];
  for (const [task, run] of Object.entries(await loops())) {
    await run();
    expect([task, await hashes(frozen)]).toStrictEqual([task, still]);
    const after = await hashes(free);
    if (JSON.stringify(after) === JSON.stringify(before)) idle.push(task);
    before = after;
  }
  // Each of the other loops would have changed it.
  expect(idle).toStrictEqual(READING);
  const { address } = await serveApp(database);
  const client = clientAt(address, `Bearer ${token}`);
  for (const answer of [await client.get('/prospect/view'), await client.put(`/account/${frozen.accountId}`, {})]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'account_frozen' } });
  }
  const email = await emailOf(database.db, frozen.accountId);
  const logIn = { email, password: frozen.password };
  expect(await client.post('/auth/login', logIn)).toMatchObject({ status: 503, body: { code: 'account_frozen' } });
  const { code, err } = await runCommand(['template', 'list', '--account', email], { DATABASE_URL: database.url });
  expect([code, err]).toStrictEqual([1, expect.stringContaining('account thaw')]);
  expect(await hashes(frozen)).toStrictEqual(still);
});

test('the test above runs every loop and every periodic task that the program has', async () => {
  const started = sourceFiles()
    .filter((path) => path.startsWith('src/server/') && !path.endsWith('.test.ts') && !path.endsWith('/loop.ts'))
    .map(textOf)
    .filter((text) => text.includes('startLoop('))
    .flatMap((text) => [...text.matchAll(/(?:\btask:|\brepeat\()\s*(?:'([^']+)'|"([^"]+)")/g)])
    .map(([, one, other]) => one ?? other);
  const tasks = PERIODIC_TASKS.map(({ name }) => name);
  expect(new Set(Object.keys(await loops()))).toStrictEqual(new Set([...started, ...tasks]));
});

describe('freeze', () => {
  const state = () =>
    database.db
      .selectFrom('account')
      .select(['frozen_at', 'settled_at', 'move_number'])
      .where('id', '=', frozen.accountId)
      .executeTakeFirstOrThrow();

  test('waits for transactions, leases and jobs that have begun', async () => {
    const { accountId } = frozen;
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = database.account(accountId).transaction(async (tx) => {
      await sql`SELECT 1`.execute(tx);
      held.resolve();
      await release.promise;
      await tx.updateTable('account').set({ company: '遅れた変更' }).where('id', '=', accountId).execute();
    });
    await held.promise;
    const lease = sql<Date>`now() + interval '1 hour'`;
    const running = { state: 'running', lease_until: lease, claim_no: 1 };
    const mail = database.db.updateTable('delivery').where('account_id', '=', accountId).where('state', '=', 'queued');
    await mail.set({ state: 'claimed', lease_until: lease }).execute();
    const job = database.db.updateTable('job').where('account_id', '=', accountId);
    await job.set({ ...running, finished_at: null }).execute();
    const waits: string[] = [];
    const done = freeze(database.service.db, accountId, { onWait: (waitsFor) => waits.push(waitsFor) });
    await eventually(
      () => waits,
      (seen) => seen.includes('transactions'),
    );
    release.resolve();
    await writing;
    await eventually(
      () => waits,
      (seen) => seen.includes('work'),
    );
    await database.db
      .updateTable('delivery')
      .where('lease_until', 'is not', null)
      .set({ state: 'queued', lease_until: null })
      .execute();
    await job.set({ state: 'done', lease_until: null }).execute();
    expect(await done).toMatchObject({ moveNumber: 1, unknown: 1, deadMachines: [] });
    expect((await state()).settled_at).not.toBeNull();
  });

  test('stores receipts of the mails that its sweep makes unknown, before it does so', async () => {
    const kept: number[] = [];
    const mail = database.db.updateTable('delivery').where('state', '=', 'queued');
    await mail.set({ state: 'sending', lease_until: sql<Date>`now() - interval '1 second'` }).execute();
    const sending = await database.db.selectFrom('delivery').select('id').where('state', '=', 'sending').execute();
    expect(sending.length).toBeGreaterThan(0);
    const keepUnknown: KeepUnknown = (_, mails) => void kept.push(...mails.map(({ id }) => id));
    expect(await freeze(database.service.db, frozen.accountId, { keepUnknown })).toMatchObject({ moveNumber: 1 });
    expect(kept.toSorted((a, b) => a - b)).toStrictEqual(sending.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  test('waits until living workers have merged their receipts, and names the machines of dead ones', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kaitaku-freeze-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { db } = database.service;
    const worker = { db, log, now: Date.now, workerId: NOBODY };
    await tellMerged(worker, folder, folder);
    await database.db
      .insertInto('receipt_worker')
      .values({ worker_id: crypto.randomUUID(), machine: 'gone:/data', seen_at: sql<Date>`now() - interval '1 hour'` })
      .execute();
    const waits: string[] = [];
    const done = freeze(db, frozen.accountId, { onWait: (waitsFor) => waits.push(waitsFor) });
    await eventually(
      () => waits,
      (seen) => seen.includes('receipts'),
    );
    await tellMerged(worker, folder, folder);
    expect(await done).toMatchObject({ deadMachines: ['gone:/data'] });
    // A move of a frozen account repeats the freeze: the workers report their merged receipts again.
    waits.length = 0;
    const again = freeze(db, frozen.accountId, { onWait: (waitsFor) => waits.push(waitsFor) });
    await eventually(
      () => waits,
      (seen) => seen.includes('receipts'),
    );
    await tellMerged(worker, folder, folder);
    expect(await again).toMatchObject({ deadMachines: ['gone:/data'] });
  });

  test('can be repeated; a thaw changes the number; a moved account is refused', async () => {
    expect(await freezeNow(frozen)).toMatchObject({ moveNumber: 1 });
    expect(await freezeNow(frozen)).toMatchObject({ moveNumber: 1 });
    await database.db.deleteFrom('held_arrival').execute();
    const services = {
      db: database.service.db,
      accountDb: database.account as never,
      takeHeldMail: async () => 'ignored' as const,
    };
    expect(await thaw(services, frozen.accountId)).toBe(0);
    expect(await state()).toStrictEqual({ frozen_at: null, settled_at: null, move_number: 2 });
    expect(await thaw(services, frozen.accountId)).toMatchObject({ code: 'not_frozen' });
    await freezeNow(frozen);
    await database.db
      .updateTable('account')
      .set({ moved_to: 'https://b.example' })
      .where('id', '=', frozen.accountId)
      .execute();
    expect(await thaw(services, frozen.accountId)).toMatchObject({ code: 'moved' });
    expect(await freeze(database.service.db, frozen.accountId)).toMatchObject({ code: 'moved' });
  });
});
