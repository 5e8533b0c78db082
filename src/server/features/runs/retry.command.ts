import { type Expression, type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { retryFailures as retryCall } from '#contract/sending/runs-changes.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { lockRun, type RunKey, reopenRun } from '../delivery/queue/run-rows.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { checkEligibility, findRunOf, requeue } from './send-again.queries.ts';

/**
 * Queues a run's failed mails again, to the current addresses of their prospects.
 * Mails to prospects that may not be mailed now stay failed. A repeated request finds no failed mail.
 * @param now epoch milliseconds
 * @returns how many were queued, and the reason for each other; 404; or 409 for a conflict with another run
 */
export function retryFailures(
  account: AccountDb,
  sendLogId: number,
  now: number,
): Promise<CallAnswer<typeof retryCall> | Problem> {
  const key = { accountId: account.id, id: sendLogId };
  return account.transaction((tx) => retryFailed(tx, account, key, { condition: sql<SqlBool>`true`, now }));
}

/** Queues one failed mail again, as `retryFailures` does. Other mails are unchanged. */
export function retryDelivery(
  account: AccountDb,
  deliveryId: number,
  now: number,
): Promise<CallAnswer<typeof retryCall> | Problem> {
  return account.transaction(async (tx) => {
    const key = await findRunOf(tx, account.id, deliveryId);
    return key ? retryFailed(tx, account, key, { condition: sql<SqlBool>`d.id = ${deliveryId}`, now }) : notFound();
  });
}

interface Retried {
  /** On a row `d` of `delivery`. */
  readonly condition: Expression<SqlBool>;
  readonly now: number;
}

async function retryFailed(
  tx: Tx,
  account: AccountDb,
  key: RunKey,
  { condition, now }: Retried,
): Promise<CallAnswer<typeof retryCall> | Problem> {
  const { id: accountId, memberId } = account;
  const run = await lockRun(tx, key);
  if (!run) return notFound();
  const refused = await groupProblem(tx, account, 'send_log', key.id);
  if (refused) return refused;
  const failed = await checkEligibility(tx, key, run, now, sql<SqlBool>`d.state = 'failed' AND ${condition}`);
  const eligible = failed.filter(({ reason }) => reason === null);
  if (eligible.length > 0) {
    const queued = await requeue(tx, key, run, eligible);
    if (queued instanceof Problem) return queued;
    await reopenRun(tx, key);
    const detail = { send_log_id: key.id, mails: eligible.length };
    await recordAudit(tx, { accountId, memberId, kind: 'run_retried', detail });
  }
  const skipped = failed.flatMap(({ prospect_id, reason }) => (reason === null ? [] : [{ prospect_id, reason }]));
  return { status: eligible.length > 0 ? 'accepted' : 'no-added', accepted: eligible.length, skipped };
}
