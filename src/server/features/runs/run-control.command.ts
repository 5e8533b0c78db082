import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { steerRun as steerCall } from '#contract/sending/runs-changes.ts';
import { OPEN_STATES } from '#domain/sending/delivery-state.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockGroupOf } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { cancelRun, lockRun, pauseRun, type RunKey, resumeRun } from '../delivery/queue/run-rows.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';

type Wanted = z.output<(typeof steerCall)['body']>['update_info']['state'];
type SteerAnswer = CallAnswer<typeof steerCall>;

/** What a cancellation answers about a reservation that was sent early. */
export type GivenBack = Pick<SteerAnswer, 'reservation' | 'reservation_id' | 'reserved_for' | 'reserved_elsewhere'>;

/**
 * Restores the reservation of a cancelled run without a sent mail. The room `reservations` implements it and uses this
 * room, so app.ts injects it.
 * @param tx with the locks of the run and of its group
 * @param memberId the cancelling member
 */
export type GiveBack = (tx: Tx, run: RunKey, memberId: number | null) => Promise<GivenBack>;

/**
 * Pauses, resumes or cancels a run of the account.
 * After the answer to a pause or cancel no mail of the run is started; mails whose body is being sent are finished.
 * A repeated request succeeds. A cancellation counts, in its transaction, the stopped and the sent mails.
 * @returns 404 for an unknown run, 409 for a run that has ended
 */
export function steerRun(
  account: AccountDb,
  sendLogId: number,
  wanted: Wanted,
  giveBack: GiveBack,
): Promise<SteerAnswer | Problem> {
  const { id: accountId, memberId } = account;
  const key = { accountId, id: sendLogId };
  return account.transaction(async (tx) => {
    const isSentNow = wanted === 'cancelled' && (await lockSentNow(tx, key));
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    const refused = await groupProblem(tx, account, 'send_log', sendLogId);
    if (refused) return refused;
    if (wanted === 'cancelled' && run.cancelled) {
      const { cancelled, left } = await countCancelled(tx, key);
      return { status: 'updated', cancelled, left, ...(isSentNow && (await readGivenBack(tx, key))) };
    }
    if (!(await hasOpenMails(tx, key))) {
      return new Problem('run_finished', 'この送信はすでに終わっています。画面を読み込み直してください。');
    }
    // A pause would hide that the run waits for a decision since a restore.
    if (wanted === 'paused' && run.paused_by === 'restored') return { status: 'updated' };
    const { kind, pausedBy, write } = CHANGES[wanted];
    await write(tx, { ...key, paused_by: run.paused_by });
    if (run.paused_by !== pausedBy)
      await recordAudit(tx, { accountId, memberId, kind, detail: { send_log_id: sendLogId } });
    if (wanted !== 'cancelled') return { status: 'updated' };
    const { cancelled, left, failed } = await countCancelled(tx, key);
    // After a restore it is unknown which mails were sent. A failed mail may have been sent and have bounced.
    const isGivenBack = isSentNow && left + failed === 0 && run.paused_by !== 'restored';
    return { status: 'updated', cancelled, left, ...(isGivenBack && (await giveBack(tx, key, memberId))) };
  });
}

/**
 * Locks the group of a run whose reservation was sent early. The reservation is restored under this lock, which
 * precedes the run's.
 * @returns false for any other run: its cancellation need not wait for orders of its group
 */
async function lockSentNow(tx: Tx, { accountId, id }: RunKey): Promise<boolean> {
  const run = await tx
    .selectFrom('send_log')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('was_reserved_for', 'is not', null)
    .executeTakeFirst();
  return run !== undefined && lockGroupOf(tx, accountId, 'send_log', id);
}

/** Reads what the cancellation of a run answered about its reservation. */
async function readGivenBack(tx: Tx, { accountId, id }: RunKey): Promise<GivenBack | null> {
  const { given_back } = await tx
    .selectFrom('send_log')
    .select('given_back')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return given_back as GivenBack | null;
}

/** How a run gets each state. `pausedBy`: what a run has that is in it already, of which nothing is recorded. */
const CHANGES = {
  paused: { kind: 'run_paused', pausedBy: 'user', write: (tx: Tx, run: RunKey) => pauseRun(tx, run, 'user') },
  sending: { kind: 'run_resumed', pausedBy: null, write: resumeRun },
  cancelled: { kind: 'run_cancelled', pausedBy: undefined, write: cancelRun },
} as const;

type Counts = Readonly<Record<'cancelled' | 'left' | 'failed', number>>;

async function countCancelled(tx: Tx, { accountId, id }: RunKey): Promise<Counts> {
  const { rows } = await sql<Counts>`
    SELECT count(*) FILTER (WHERE state = 'cancelled' AND reason = 'run_cancelled')::integer AS cancelled,
      count(*) FILTER (WHERE state IN ('sending', 'sent', 'unknown'))::integer AS left,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed
    FROM delivery WHERE account_id = ${accountId} AND send_log_id = ${id}`.execute(tx);
  return onlyRow(rows);
}

async function hasOpenMails(tx: Tx, { accountId, id }: RunKey): Promise<boolean> {
  const open = await tx
    .selectFrom('delivery')
    .select('id')
    .where('account_id', '=', accountId)
    .where('send_log_id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}
