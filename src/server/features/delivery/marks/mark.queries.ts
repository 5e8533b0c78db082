import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { compiledQuery } from '../../../platform/database/driver/compiled-query.ts';
import { isSuppressed } from '../../suppressions/suppression.queries.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import { sendingLeaseEnd, wereChanged } from '../leases/lease.queries.ts';
import { isOutsideHours } from '../pauses/late.queries.ts';
import { writeResults } from './finish.queries.ts';

/** The account must not mail the address of a mail (the row `d`), perhaps only since its claim. */
const isRefused = isSuppressed(sql<number>`d.account_id`, sql<string | null>`d.address_key`);

/** A CASE, so that PostgreSQL finds the rows by their ids: else it reads all leases that last (delivery_lease_idx). */
const mayLeave = sql<SqlBool>`
  CASE d.state WHEN 'claimed' THEN d.lease_until > now() AND (d.test_send_mode OR NOT ${isRefused}) END`;

/** Locked by id, as in every statement that locks several deliveries, so that none of them deadlock. */
const updateRows = compiledQuery<Pick<ClaimedMail, 'id' | 'claimNo'>>(
  'delivery_marks',
  3,
  ([accountIds, ids, claimNos]) => sql`
    WITH ours AS (
      SELECT d.account_id, d.id
      FROM unnest(${accountIds}::bigint[], ${ids}::bigint[], ${claimNos}::integer[]) AS fence (account_id, id, claim_no)
      JOIN delivery d ON d.account_id = fence.account_id AND d.id = fence.id AND d.claim_no = fence.claim_no
      WHERE ${mayLeave}
      ORDER BY d.account_id, d.id
      FOR UPDATE OF d
    )
    UPDATE delivery d SET state = 'sending', lease_until = ${sendingLeaseEnd}
    FROM ours WHERE d.account_id = ours.account_id AND d.id = ours.id
    RETURNING d.id, d.claim_no AS "claimNo"`,
);

/**
 * Commits that the bodies of claimed mails are about to leave. Connections wait for it, so it does nothing else.
 *
 * A mark is refused when its claim was lost (lease over, run paused or cancelled), its sending hours are over, or its
 * address was suppressed after the claim: whoever stored the suppression cancels it (cancel-suppressed.queries.ts).
 * @param now epoch milliseconds, for the sending hours of reserved mail
 * @returns for each mail, in order, whether its body may leave
 */
export async function writeMarks(db: Db, claims: readonly ClaimedMail[], now: number): Promise<boolean[]> {
  // Claimed in time, but the mail server was slow.
  const late = new Set(claims.filter((claim) => isOutsideHours(claim, now)));
  if (late.size > 0) {
    const steps = [...late].map((claim) => ({ claim, outcome: null }));
    await writeResults(db, steps, now);
  }
  const inTime = claims.filter((claim) => !late.has(claim));
  const rows = await updateRows(db, [
    inTime.map(({ accountId }) => accountId),
    inTime.map(({ id }) => id),
    inTime.map(({ claimNo }) => claimNo),
  ]);
  return wereChanged(claims, rows);
}
