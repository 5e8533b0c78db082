import type { Db, Tx } from '../../platform/db.ts';
import type { ClaimedMail } from './claim.ts';
import { changeAfter, type DeliveryStep, isDeadAddress, isFinished } from './delivery-step.ts';
import { lockRun } from './run-rows.queries.ts';
import { type WrittenSteps, writeChanges } from './write-changes.queries.ts';

/** Outcomes after which no body left. Only these requeue a mail that the sweep has made unknown. */
const LEFT_NOTHING = new Set(['unmarked', 'not-taken']);

/**
 * Commits marks and results of claimed mails in one statement, with the contacts and suppressions that follow.
 *
 * - A mark is refused when its claim was lost (lease over, run paused or cancelled), its sending hours are over, or its
 *   address was suppressed after the claim: the sweep cancels such a mail (cancel-suppressed.queries.ts).
 * - A result of a lost claim changes nothing, with two exceptions. A mail that the sweep made unknown gets its true
 *   result, but is queued again only if no body left: after a 4xx a person decides. A mail that a person queued again
 *   after an unknown result (`maybe_sent`), and that is not claimed yet, becomes `sent` if its earlier try was taken.
 * @param now epoch milliseconds, for the sending hours of reserved mail
 */
export async function writeSteps(db: Db, steps: readonly DeliveryStep[], now: number): Promise<WrittenSteps> {
  const changes = steps.map((step) => ({
    ...step.claim,
    reason: null,
    ...changeAfter(step, now),
    age: Math.max(0, now - (step.at ?? now)) / 1000,
    isDead: isDeadAddress(step),
    leftNothing: step.outcome !== null && LEFT_NOTHING.has(step.outcome.kind),
  }));
  const requeued = changes.filter(({ state }) => state === 'queued');
  // A result older than a second may belong to a swept mail: its contact is corrected in a second statement.
  if (requeued.length === 0 && changes.every(({ age }) => age < 1)) return writeChanges(db, changes);
  const written = await db.transaction().execute(async (tx) => {
    await lockRuns(tx, requeued);
    return writeChanges(tx, changes);
  });
  // A mark after the sending hours was written as `queued`: its body may not leave.
  const isPermitted = steps.map((step, index) => isFinished(step) || changes[index]?.state === 'sending');
  return { ...written, ours: written.ours.map((ours, index) => ours && isPermitted[index] === true) };
}

/** Locks the runs of requeued mails, so that none escapes a pause or cancellation at this moment. */
async function lockRuns(tx: Tx, mails: readonly ClaimedMail[]): Promise<void> {
  const runs = new Map(mails.map(({ accountId, sendLogId: id }) => [id, { accountId, id }]));
  for (const [, run] of [...runs].sort(([one], [other]) => one - other)) await lockRun(tx, run);
}
