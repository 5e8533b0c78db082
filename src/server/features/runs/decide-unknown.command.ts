import { type SqlBool, sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type LockedRun, lockRun, type RunKey, reopenRun } from '../delivery/queue/run-rows.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { type CheckedMail, checkEligibility, findRunOf, requeue } from './send-again.queries.ts';

/**
 * Settles a mail in state `unknown`: it counts as sent, or is sent again with the same Message-ID.
 * @param claimNo the claim number that the user saw. A decision about an earlier claim is refused, so that two tabs
 * cannot send the mail twice
 * @param now epoch milliseconds
 * @returns 404; 409 if the mail is no longer unknown, may not be mailed or conflicts with another run
 */
export function decideUnknown(
  account: AccountDb,
  deliveryId: number,
  { state, claimNo }: { state: 'sent' | 'queued'; claimNo: number },
  now: number,
): Promise<{ status: 'updated' } | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const key = await findRunOf(tx, accountId, deliveryId);
    if (!key) return notFound();
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    const refused = await groupProblem(tx, account, 'send_log', key.id);
    if (refused) return refused;
    const isAsSeen = sql<SqlBool>`d.id = ${deliveryId} AND d.state = 'unknown' AND d.claim_no = ${claimNo}`;
    const [mail] = await checkEligibility(tx, key, run, now, isAsSeen);
    if (!mail) return notUnknown();
    const problem =
      state === 'sent' ? await countAsSent(tx, accountId, deliveryId) : await sendAgain(tx, key, run, mail);
    if (problem) return problem;
    const detail = { send_log_id: key.id, delivery_id: deliveryId, decision: state };
    await recordAudit(tx, { accountId, memberId, kind: 'unknown_decided', detail });
    return { status: 'updated' };
  });
}

const notUnknown = () =>
  new Problem('not_unknown', 'このメールはすでに処理されています。画面を読み込み直してください。');

/** Queues an unknown mail again. @returns null if it was queued; 409 */
async function sendAgain(tx: Tx, key: RunKey, run: LockedRun, mail: CheckedMail): Promise<Problem | null> {
  if (mail.reason !== null) {
    return new Problem(
      'left_out',
      'この見込み客には、いま送信できません（アーカイブ済み、無効、配信停止、返信あり、予約中など）。見込み客リストを確認してください。',
    );
  }
  const problem = await requeue(tx, key, run, [mail]);
  if (!problem) await reopenRun(tx, key);
  return problem;
}

async function countAsSent(tx: Tx, accountId: number, deliveryId: number): Promise<null> {
  await tx
    .updateTable('delivery')
    .set({ state: 'sent', reason: 'counted_as_sent' })
    .where('account_id', '=', accountId)
    .where('id', '=', deliveryId)
    .where('state', '=', 'unknown')
    .execute();
  return null;
}
