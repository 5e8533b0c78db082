import type { Db, Tx } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import { lockRun } from '../leases/run-rows.queries.ts';
import { changeAfter, type DeliveryStep, isDeadAddress, isRejected } from './delivery-step.ts';
import { type WrittenResults, writeChanges } from './write-changes.queries.ts';

/** Outcomes after which no body left. Only these requeue a mail that the sweep has made unknown. */
const LEFT_NOTHING = new Set(['unmarked', 'not-taken']);

/**
 * Commits results of claimed mails in one statement, with the contacts and suppressions that follow.
 *
 * A result of a lost claim changes nothing, with two exceptions. A mail that the sweep made unknown gets its true
 * result, but is queued again only if no body left: after a 4xx a person decides. A mail that a person queued again
 * after an unknown result (`maybe_sent`), and that is not claimed yet, becomes `sent` if its earlier try was taken.
 * @param now epoch milliseconds, for the sending hours of reserved mail
 */
export async function writeResults(db: Db, steps: readonly DeliveryStep[], now: number): Promise<WrittenResults> {
  const changes = steps.map((step) => ({
    ...step.claim,
    reason: null,
    ...changeAfter(step, now),
    age: Math.max(0, now - (step.at ?? now)) / 1000,
    isDead: isDeadAddress(step),
    isRejected: isRejected(step),
    leftNothing: step.outcome !== null && LEFT_NOTHING.has(step.outcome.kind),
  }));
  const requeued = changes.filter(({ state }) => state === 'queued');
  // A result older than a second may belong to a swept mail: its contact is corrected in a second statement.
  if (requeued.length === 0 && changes.every(({ age }) => age < 1)) return writeChanges(db, changes);
  return db.transaction().execute(async (tx) => {
    await lockRuns(tx, requeued);
    return writeChanges(tx, changes);
  });
}

/** Locks the runs of requeued mails, so that none escapes a pause or cancellation at this moment. */
async function lockRuns(tx: Tx, mails: readonly ClaimedMail[]): Promise<void> {
  const runs = new Map(mails.map(({ accountId, sendLogId: id }) => [id, { accountId, id }]));
  for (const [, run] of [...runs].sort(([one], [other]) => one - other)) await lockRun(tx, run);
}
