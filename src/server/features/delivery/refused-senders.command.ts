import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { ClaimedMail } from './claim.ts';
import type { Finished } from './finish.queries.ts';
import { fenced } from './lease.queries.ts';
import { HELD, holdRun, lockRun } from './run-rows.queries.ts';

/** Pauses the runs whose sender the mail server refused, so that it is not asked again for each mail. */
export async function pauseRefusedRuns(db: Db, finished: readonly Finished[]): Promise<void> {
  const refused = finished.filter(({ outcome }) => outcome.kind === 'sender-refused').map(({ claim }) => claim);
  for (const mails of Map.groupBy(refused, ({ sendLogId }) => sendLogId).values()) {
    const [{ accountId, sendLogId: id }] = mails as [ClaimedMail, ...ClaimedMail[]];
    await db.transaction().execute(async (tx) => {
      const key = { accountId, id };
      const run = await lockRun(tx, key);
      if (run?.paused_by === null && (await waitBecauseOfUs(tx, mails))) await holdRun(tx, key, 'sender_refused');
    });
  }
}

/**
 * Whether these mails wait for their next try still: where the run was paused and resumed meanwhile, its owner knows of the refusal. By the
 * clock, and not by now(): we may have begun before the resume that we waited for.
 */
async function waitBecauseOfUs(tx: Tx, mails: readonly ClaimedMail[]): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM (${fenced(mails, sql`d.state = 'queued' AND d.not_before > clock_timestamp() AND d.not_before <> ${HELD}`)}) AS ours
    LIMIT 1`.execute(tx);
  return rows.length > 0;
}
