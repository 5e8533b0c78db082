import { sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import { resendCutoff } from '#domain/sending/eligibility.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { blockReason, isContactedAddress } from '../../attack-list/eligibility.queries.ts';
import { followUpReason } from '../../attack-list/follow-up.queries.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import { isConfirmedAddress } from '../../sender-addresses/confirmed-address.queries.ts';
import { isSuppressed } from '../../suppressions/suppression.queries.ts';
import type { ClaimedRow } from '../leases/claim.ts';
import { cancelledState, HELD, PAUSED } from '../leases/run-rows.queries.ts';

/**
 * Cancels claimed real mails whose company may no longer be mailed, with the reason. Where an answer is in doubt they
 * are held: queued, and found by no claim until a member has decided (cancel-replied.queries.ts).
 * Reasons: it was archived, switched off, suppressed or mailed by another run after the mail was accepted; it answered;
 * or the address that the run sends from is not confirmed. A mail that is sent again after an unknown result
 * (`maybe_sent`) is not cancelled for the contact of its own earlier try; cancelled for another reason, it becomes
 * unknown again.
 * @returns the claims that stay
 */
export async function cancelBlockedClaims(
  tx: Tx,
  claims: readonly ClaimedRow[],
  mails: ReadonlyMap<number, RunMail>,
  now: number,
): Promise<ClaimedRow[]> {
  const runs = Map.groupBy(
    claims.filter(({ test }) => !test),
    ({ sendLogId }) => sendLogId,
  );
  const cancelled = new Set<number>();
  for (const [sendLogId, run] of runs) {
    const from = mails.get(sendLogId)?.sender.email ?? '';
    for (const id of await cancelBlockedOfRun(tx, run, from, now)) cancelled.add(id);
  }
  return claims.filter(({ id }) => !cancelled.has(id));
}

/**
 * @param run claims of one run, so of one account, group and re-send interval
 * @param from the address that the run sends from
 * @returns ids of the cancelled and held ones
 */
async function cancelBlockedOfRun(tx: Tx, run: readonly ClaimedRow[], from: string, now: number): Promise<number[]> {
  const [first] = run;
  if (!first) return [];
  const { accountId, senderGroupId, sendLogId, daysFromLastday } = first;
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const scope = { accountId, senderGroupId, cutoff, exceptSendLogId: sendLogId };
  // The address that the mail goes to: since followAddresses, that of its company.
  const address = sql<string | null>`d.address_key`;
  const isRefused = isSuppressed(accountId, address);
  const query = sql<{ id: number }>`
    WITH checked AS MATERIALIZED (
      SELECT d.id, CASE WHEN NOT ${isConfirmedAddress(accountId, addressKey(from))} THEN 'sender_unconfirmed'
        WHEN ${isRefused} THEN 'suppressed'
        ELSE coalesce(
          ${blockReason(scope)},
          ${followUpReason},
          CASE WHEN ${isContactedAddress(scope, address)} THEN 'recently_sent' END) END AS reason
      FROM delivery d JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      WHERE d.account_id = ${accountId} AND d.id = ANY (${run.map(({ id }) => id)}::bigint[])
    )
    UPDATE delivery d
    SET state = CASE WHEN checked.reason = ${HELD} THEN 'queued' ELSE ${cancelledState} END, reason = checked.reason,
      not_before = CASE WHEN checked.reason = ${HELD} THEN ${PAUSED} ELSE d.not_before END,
      finished_at = CASE WHEN checked.reason <> ${HELD} THEN now() END, lease_until = NULL, worker_id = NULL
    FROM checked
    WHERE d.account_id = ${accountId} AND d.id = checked.id AND checked.reason IS NOT NULL
      AND NOT (d.maybe_sent AND checked.reason = 'recently_sent')
    RETURNING d.id`;
  // Planning takes 5 ms, as long as checking 200 mails. The rows are found by their keys, whatever the values are.
  const rows = await runPrepared(tx, 'delivery_recheck', query);
  return rows.map(({ id }) => id);
}
