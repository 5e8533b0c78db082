/*
 * Freezes an account, so that it can be copied to another cell (decisions/cells):
 *
 * 1. Mark     frozen_at: after the commit no work of the account starts. Loops and claims skip it
 *             (isNotFrozen), calls get 503, and requests from outside are held (held-arrivals).
 * 2. Wait     for the transactions that began before the commit; then for leases of mails and of notices, and for
 *             running jobs. Leases of dead workers are swept here too.
 * 3. Receipts each living worker merges its receipts: a mail whose result was lost gets it.
 * 4. Settle   settled_at: from now on no receipt changes the account. Waits for the transactions again.
 *
 * A killed freeze can be repeated. A thaw ends it (thaw.command.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { ROLES } from '../../platform/database/roles/database-roles.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { WORK_CHANNEL } from '../../platform/work-signal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readMachines } from '../delivery/guard/receipt-workers.queries.ts';
import type { KeepUnknown } from '../delivery/leases/claim.ts';
import { sweepLostClaims } from '../delivery/results/sweep.queries.ts';
import { isThawing, lockMoving, movedAway, thawedMeanwhile, underWay } from './moving.queries.ts';

export interface Frozen {
  readonly moveNumber: number;
  /** Mails with an unknown outcome: they stay unknown, whatever receipts are found later. */
  readonly unknown: number;
  /** Machines without a living worker, whose receipts may prove the outcome of some mails. */
  readonly deadMachines: readonly string[];
}

/** What a freeze waits for. */
export type WaitsFor = 'transactions' | 'work' | 'receipts';

const LOOK_EVERY_MS = 200;

/** Callbacks of a freeze. */
export interface FreezeCalls {
  /** Called when the freeze waits for something else than before. */
  readonly onWait?: ((waitsFor: WaitsFor) => void) | undefined;
  /** The freeze's sweep makes mails unknown, of any account. */
  readonly keepUnknown?: KeepUnknown | undefined;
}

/**
 * Freezes an account. Resolves when no work of it is running any more.
 * @param db a pool of the role kaitaku_service
 * @returns a refusal for an account that has moved
 */
export async function freeze(
  db: Db,
  accountId: number,
  { onWait = () => {}, keepUnknown }: FreezeCalls = {},
): Promise<Frozen | Refusal> {
  const begun = await begin(db, accountId);
  if (!('moveNumber' in begun)) return begun;
  await notifyWorkers(db);
  await waitForOlder(db, onWait);
  await until(
    async () => {
      await sweepLostClaims(db, keepUnknown);
      return !(await isUnderWay(db, accountId));
    },
    () => onWait('work'),
  );
  const deadMachines = await waitForReceipts(db, onWait);
  const unknown = await settle(db, { accountId, moveNumber: begun.moveNumber });
  if (unknown instanceof Problem) return unknown;
  await waitForOlder(db, onWait);
  return { moveNumber: begun.moveNumber, unknown, deadMachines };
}

/** Marks the account as frozen. A frozen one keeps its move number. */
const begin = (db: Db, accountId: number): Promise<{ readonly moveNumber: number } | Refusal> =>
  db.transaction().execute(async (tx) => {
    const account = await lockMoving(tx, accountId);
    if (account.movedTo !== null) return movedAway(account.movedTo);
    if (account.isFrozen) {
      // Workers report their merged receipts only for accounts that are not settled.
      await tx.updateTable('account').set({ settled_at: null }).where('id', '=', accountId).execute();
      return account;
    }
    const moveNumber = account.moveNumber + 1;
    await tx
      .updateTable('account')
      .set({ frozen_at: sql<Date>`now()`, move_number: moveNumber })
      .where('id', '=', accountId)
      .execute();
    const detail = { move_number: moveNumber };
    await recordAudit(tx, { accountId, memberId: null, kind: 'frozen_by_operator', detail });
    return { moveNumber };
  });

/** Wakes the loops that wait for work. */
export const notifyWorkers = (db: Db) => sql`SELECT pg_notify(${WORK_CHANNEL}, '')`.execute(db);

async function until(isDone: () => Promise<boolean>, onWait: () => void): Promise<void> {
  if (await isDone()) return;
  onWait();
  while (!(await isDone())) await sleep(LOOK_EVERY_MS);
}

/**
 * Waits for the program's running transactions: they may have read the account before it was frozen.
 * Waits as CREATE INDEX CONCURRENTLY does, by the lock that each transaction has on itself. Transactions of other
 * users, such as a backup, only read.
 */
async function waitForOlder(db: Db, onWait: (waitsFor: WaitsFor) => void): Promise<void> {
  const older = await readTransactions(db);
  await until(
    async () => {
      const present = new Set(await readTransactions(db));
      return !older.some((id) => present.has(id));
    },
    () => onWait('transactions'),
  );
}

/** Reads the other transactions of the three roles in this database. */
async function readTransactions(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT held.virtualxid AS id
    FROM pg_locks AS held JOIN pg_stat_activity AS client ON client.pid = held.pid
    WHERE held.locktype = 'virtualxid' AND held.mode = 'ExclusiveLock' AND held.granted
      AND held.pid <> pg_backend_pid() AND client.datname = current_database()
      AND client.usename IN (
        SELECT regexp_replace(current_user, 'service$', role) FROM unnest(${ROLES}::text[]) AS role)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether a mail is leased, a notice being sent, or a job running. Dead workers' notices and jobs do not count. */
async function isUnderWay(db: Db, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    SELECT EXISTS (SELECT FROM delivery WHERE lease_until IS NOT NULL AND account_id = ${accountId})
      OR EXISTS (SELECT FROM notice_member WHERE account_id = ${accountId} AND mail_lease_until > now())
      OR EXISTS (SELECT FROM job WHERE account_id = ${accountId} AND state = 'running' AND lease_until > now())
      AS is`.execute(db);
  return onlyRow(rows).is;
}

/** Waits until all living workers have merged their receipts up to now. @returns the machines without one */
async function waitForReceipts(db: Db, onWait: (waitsFor: WaitsFor) => void): Promise<readonly string[]> {
  const { rows } = await sql<{ now: Date }>`SELECT now() AS now`.execute(db);
  const since = onlyRow(rows).now;
  await notifyWorkers(db);
  let machines = await readMachines(db, since);
  await until(
    async () => {
      machines = await readMachines(db, since);
      return machines.behind === 0;
    },
    () => onWait('receipts'),
  );
  return machines.dead;
}

interface Begun {
  readonly accountId: number;
  readonly moveNumber: number;
}

/** Settles the account after ending dead work. @returns the number of unknown mails; a refusal during a thaw */
const settle = (db: Db, { accountId, moveNumber }: Begun): Promise<number | Refusal> =>
  db.transaction().execute(async (tx) => {
    const now = await lockMoving(tx, accountId);
    if (!now.isFrozen || now.moveNumber !== moveNumber) return thawedMeanwhile();
    // The copy would lack what a thaw has processed here.
    if (await isThawing(tx, accountId)) return underWay();
    // Connection shares of workers: idle, or expired.
    await tx.deleteFrom('sender_connection').where('account_id', '=', accountId).execute();
    await tx
      .updateTable('account')
      .set({ settled_at: sql<Date>`coalesce(settled_at, now())` })
      .where('id', '=', accountId)
      .execute();
    const { rows } = await sql<{ unknown: number }>`
      SELECT count(*)::integer AS unknown FROM delivery
      WHERE account_id = ${accountId} AND state = 'unknown' AND NOT test_send_mode`.execute(tx);
    return onlyRow(rows).unknown;
  });
