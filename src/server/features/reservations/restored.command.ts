import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { decideRestored as decideCall, getRestored } from '#contract/sending/restored.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockGroups } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { isHeldReservation, isHeldRun } from '../delivery/pauses/held.command.ts';
import { cancelRun, lockRun, resumeRun } from '../delivery/queue/run-rows.queries.ts';
import { removeLocked } from './reservation.command.ts';
import { LET_GO, lockReservation, updateReservation } from './reservation.queries.ts';

/** The members' decisions about everything held since their database was set back (decisions/backup). */

type Act = z.output<(typeof decideCall)['body']>['act'];

/** The most runs and reservations in one transaction. */
const DECIDED_MAX = 100;
/** A transaction ends after this many mails and targets. Its last run or reservation may exceed it. */
const ROWS_MAX = 5000;

/** Counts held runs and reservations. */
export const countRestored = (account: AccountDb): Promise<CallAnswer<typeof getRestored>> =>
  account.snapshot(async (tx) => {
    const { rows } = await sql<CallAnswer<typeof getRestored>>`
      SELECT runs.runs, runs.mails, planned.reservations, planned.over
      FROM (
        SELECT count(*)::integer AS runs, coalesce(sum(open.mails), 0)::integer AS mails
        FROM send_log CROSS JOIN LATERAL (${unsentOf(account.id)}) AS open
        WHERE ${isOfAccount(account.id)} AND open.mails > 0) AS runs
      CROSS JOIN (
        SELECT count(*)::integer AS reservations, (count(*) FILTER (WHERE ${isOver}))::integer AS over
        FROM reservation WHERE account_id = ${account.id} AND ${isHeldReservation}) AS planned`.execute(tx);
    return onlyRow(rows);
  });

/** Selects the number of unsent mails of a run. */
const unsentOf = (accountId: number) => sql`
  SELECT count(*) AS mails FROM delivery
  WHERE delivery.account_id = ${accountId} AND delivery.send_log_id = send_log.id AND delivery.state = 'queued'`;

/** Selects held runs along send_log_open_idx. A run whose mails were all sent, by receipts, has ended. */
const isOfAccount = (accountId: number) => sql<boolean>`send_log.account_id = ${accountId}
  AND send_log.ended_at IS NULL AND send_log.sender_id IS NOT NULL AND ${isHeldRun}`;

const isOver = sql<boolean>`reservation.send_at <= now()`;

/**
 * Releases everything held as planned, or drops it. A reservation whose time is over stays held.
 * @returns what was decided, and how many reservations stay
 */
export async function decideRestored(account: AccountDb, act: Act): Promise<CallAnswer<typeof decideCall>> {
  const done = { runs: 0, reservations: 0 };
  for (let isMore = true; isMore; ) {
    const { found, runs, reservations } = await account.transaction((tx) => decideSome(tx, account, act));
    done.runs += runs;
    done.reservations += reservations;
    isMore = found > 0;
  }
  const { over } = await countRestored(account);
  return { status: 'updated', ...done, over };
}

async function decideSome(tx: Tx, { id: accountId, memberId }: AccountDb, act: Act) {
  await lockGroups(tx, accountId);
  const done = { found: 0, runs: 0, reservations: 0 };
  let rows = 0;
  for (const id of await findRuns(tx, accountId)) {
    if (rows >= ROWS_MAX) return done;
    const mails = await decideRun(tx, { accountId, memberId, id }, act);
    done.found += 1;
    done.runs += mails === null ? 0 : 1;
    rows += mails ?? 0;
  }
  for (const id of await findReservations(tx, accountId, { act, limit: DECIDED_MAX - done.found })) {
    if (rows >= ROWS_MAX) return done;
    const targets = await decideReservation(tx, { accountId, memberId, id }, act);
    done.found += 1;
    done.reservations += targets === null ? 0 : 1;
    rows += targets ?? 0;
  }
  return done;
}

async function findRuns(tx: Tx, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM send_log
    WHERE ${isOfAccount(accountId)} AND EXISTS (
      SELECT FROM delivery
      WHERE delivery.account_id = ${accountId} AND delivery.send_log_id = send_log.id AND delivery.state = 'queued')
    ORDER BY id LIMIT ${DECIDED_MAX}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function findReservations(
  tx: Tx,
  accountId: number,
  { act, limit }: { readonly act: Act; readonly limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM reservation
    WHERE account_id = ${accountId} AND ${isHeldReservation} ${act === 'send' ? sql`AND NOT ${isOver}` : sql``}
    ORDER BY id LIMIT ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

interface Decided {
  readonly accountId: number;
  readonly memberId: number | null;
  readonly id: number;
}

/** @returns how many mails were decided; null: another member has decided meanwhile */
async function decideRun(tx: Tx, { accountId, memberId, id }: Decided, act: Act): Promise<number | null> {
  const key = { accountId, id };
  const run = await lockRun(tx, key);
  if (run?.paused_by !== 'restored') return null;
  const mails = act === 'send' ? await resumeRun(tx, { ...key, paused_by: run.paused_by }) : await cancelRun(tx, key);
  const kind = act === 'send' ? 'run_resumed' : 'run_cancelled';
  await recordAudit(tx, { accountId, memberId, kind, detail: { send_log_id: id } });
  return mails;
}

/** @returns how many targets were freed; null: another member has decided meanwhile */
async function decideReservation(tx: Tx, { accountId, memberId, id }: Decided, act: Act): Promise<number | null> {
  const stored = await lockReservation(tx, accountId, id);
  if (!stored?.isHeld) return null;
  if (act === 'drop') return removeLocked(tx, stored, memberId);
  await updateReservation(tx, stored, memberId, LET_GO);
  const detail = { reservation_id: id, targets: 0, is_test: stored.test, changes: { let_go: 1 as const } };
  await recordAudit(tx, { accountId, memberId, kind: 'reservation_changed', detail });
  return 0;
}
