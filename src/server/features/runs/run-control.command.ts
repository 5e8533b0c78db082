import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { steerRun as steerCall } from '#contract/runs-changes.ts';
import { OPEN_STATES } from '#domain/sending/delivery-state.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { cancelRun, lockRun, pauseRun, type RunKey, resumeRun } from '../delivery/queue/run-rows.queries.ts';

type Wanted = z.output<(typeof steerCall)['body']>['update_info']['state'];

/**
 * Pauses, resumes or cancels a run of the account.
 * After the answer to a pause or cancel no mail of the run begins; mails whose body is being sent are finished.
 * A repeated request succeeds. A cancellation counts, in its transaction, what it has stopped and what had left.
 * @returns 404 for an unknown run, 409 for a run that has ended
 */
export function steerRun(
  account: AccountDb,
  sendLogId: number,
  wanted: Wanted,
): Promise<CallAnswer<typeof steerCall> | Problem> {
  const { id: accountId, memberId } = account;
  const key = { accountId, id: sendLogId };
  return account.transaction(async (tx) => {
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    if (wanted === 'cancelled' && run.cancelled) return { status: 'updated', ...(await countCancelled(tx, key)) };
    if (!(await hasOpenMails(tx, key))) {
      return new Problem(409, 'run_finished', 'この送信はすでに終わっています。画面を読み込み直してください。');
    }
    // A pause would hide that it waits for a decision since a restore.
    if (wanted === 'paused' && run.paused_by === 'restored') return { status: 'updated' };
    const isAsWanted = wanted === 'paused' ? run.paused_by === 'user' : wanted === 'sending' && run.paused_by === null;
    if (wanted === 'paused') await pauseRun(tx, key, 'user');
    else if (wanted === 'sending') await resumeRun(tx, { ...key, paused_by: run.paused_by });
    else await cancelRun(tx, key);
    const kind = AUDIT_KINDS[wanted];
    if (!isAsWanted) await recordAudit(tx, { accountId, memberId, kind, detail: { send_log_id: sendLogId } });
    return { status: 'updated', ...(wanted === 'cancelled' && (await countCancelled(tx, key))) };
  });
}

const AUDIT_KINDS = { paused: 'run_paused', sending: 'run_resumed', cancelled: 'run_cancelled' } as const;

async function countCancelled(tx: Tx, { accountId, id }: RunKey): Promise<{ cancelled: number; left: number }> {
  const { rows } = await sql<{ cancelled: number; left: number }>`
    SELECT count(*) FILTER (WHERE state = 'cancelled' AND reason = 'run_cancelled')::integer AS cancelled,
      count(*) FILTER (WHERE state IN ('sending', 'sent', 'unknown'))::integer AS left
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
