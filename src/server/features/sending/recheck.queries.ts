import { type SqlBool, sql } from 'kysely';
import { type LeftOutReason, resendCutoff } from '#domain/eligibility.ts';
import type { Tx } from '../../platform/db.ts';
import { isSuppressed, leftOutReason } from '../attack-list/eligibility.queries.ts';
import type { ClaimedRow } from './claim.queries.ts';
import { cancelledState } from './run-control.queries.ts';

/**
 * The second check, at the claim: real mails whose company may no longer be mailed (switched off, suppressed, mailed by another
 * run since) are cancelled with the reason. One that is sent again after an unknown end counts as contacted because of itself, and
 * ends unknown again where it is stopped. @returns the claims that stay
 */
export async function cancelBlockedClaims(tx: Tx, claims: readonly ClaimedRow[], now: number): Promise<ClaimedRow[]> {
  const runs = Map.groupBy(
    claims.filter(({ test }) => !test),
    ({ sendLogId }) => sendLogId,
  );
  const cancelled = new Set<number>();
  for (const run of runs.values()) {
    for (const id of await cancelBlockedOfRun(tx, run, now)) cancelled.add(id);
  }
  return claims.filter(({ id }) => !cancelled.has(id));
}

/** The claims are of one run, so of one account, group and re-send interval. @returns ids of the cancelled ones */
async function cancelBlockedOfRun(tx: Tx, run: readonly ClaimedRow[], now: number): Promise<number[]> {
  const [first] = run;
  if (!first) return [];
  const { accountId, senderGroupId, sendLogId, daysFromLastday } = first;
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const judged = leftOutReason({ accountId, senderGroupId, cutoff, exceptSendLogId: sendLogId });
  // The mail goes to the address its company had when the run was made.
  const isRefused = isSuppressed(accountId, sql<string>`lower(delivery.mail_to)`);
  const reason = sql<LeftOutReason | null>`CASE WHEN ${isRefused} THEN 'suppressed' ELSE judged.reason END`;
  const rows = await tx
    .updateTable('delivery')
    .from((from) =>
      from
        .selectFrom('prospect')
        .select(['prospect.id', sql<LeftOutReason | null>`${judged}`.as('reason')])
        .where('prospect.account_id', '=', accountId)
        .where('prospect.id', '=', sql<number>`any(${run.map(({ prospectId }) => prospectId)}::bigint[])`)
        .as('judged'),
    )
    .set({
      state: cancelledState('delivery'),
      reason,
      lease_until: null,
      worker_id: null,
      finished_at: sql<Date>`now()`,
    })
    .where('delivery.account_id', '=', accountId)
    .where('delivery.send_log_id', '=', sendLogId)
    .whereRef('delivery.prospect_id', '=', 'judged.id')
    .where('delivery.state', '=', 'claimed')
    .where(reason, 'is not', null)
    .where(sql<SqlBool>`NOT (delivery.maybe_sent AND ${reason} = 'recently_sent')`)
    .returning('delivery.id')
    .execute();
  return rows.map(({ id }) => id);
}
