import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';
import { fenced } from '../leases/lease.queries.ts';
import { lockRun, PAUSED, pauseRun } from '../queue/run-rows.queries.ts';

/** Pauses the runs whose sender the mail server refused: it would refuse their other mails too. */
export async function pauseRunsOfRejectedSenders(db: Db, results: readonly DeliveryResult[]): Promise<void> {
  const refused = results.filter(({ outcome }) => outcome.kind === 'sender-refused').map(({ claim }) => claim);
  for (const mails of Map.groupBy(refused, ({ sendLogId }) => sendLogId).values()) {
    const [{ accountId, sendLogId: id }] = mails as [ClaimedMail, ...ClaimedMail[]];
    await db.transaction().execute(async (tx) => {
      const key = { accountId, id };
      const run = await lockRun(tx, key);
      if (run?.paused_by === null && (await isRetryPending(tx, mails))) await pauseRun(tx, key, 'sender_refused');
    });
  }
}

/**
 * Whether one of these mails still waits for its retry after the refusal.
 * Otherwise the run was paused and resumed meanwhile, so its owner knows of the refusal. Uses clock_timestamp(): this
 * transaction may have waited for a lock, so that now() may precede the resume.
 */
async function isRetryPending(tx: Tx, mails: readonly ClaimedMail[]): Promise<boolean> {
  const isPending = sql<boolean>`d.state = 'queued' AND d.not_before > clock_timestamp() AND d.not_before <> ${PAUSED}`;
  const { rows } = await sql`SELECT FROM (${fenced(mails, isPending)}) AS ours LIMIT 1`.execute(tx);
  return rows.length > 0;
}
