import { AheadUnanswered, type Attempt, ClosedByUs } from './attempt.ts';
import { MarkFailed } from './marked-body.ts';
import type { SmtpTimes } from './settings.ts';

/**
 * Starts the time limits of a mail. `over` rejects when the mail takes too long, up to the 354 or as a whole, and when
 * it is cut off. Its body cannot begin after that.
 */
export function timeLimits(attempt: Attempt, isAhead: boolean, { aheadMs, envelopeMs, mailMs }: SmtpTimes) {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (why: Error) => {
    attempt.isOver = true;
    // While the mark is pending, the database is slow, not the server.
    reject(attempt.isMarking ? new MarkFailed(why.message) : why);
  };
  const expire = (what: string) => end(new Error(`no end of ${what} in time`));
  const accepted = setTimeout(() => {
    if (isAhead && !attempt.isMailAccepted) end(new AheadUnanswered());
  }, aheadMs);
  const envelope = setTimeout(() => {
    if (attempt.stage === 'connecting' || attempt.stage === 'envelope') expire('the SMTP commands');
  }, envelopeMs);
  const mail = setTimeout(() => expire('the mail'), mailMs);
  // Marks the rejection as handled: nobody may be waiting for it.
  over.catch(() => undefined);
  return {
    over,
    cut: () => end(new ClosedByUs()),
    /** Called at the end of the mail. */
    stop: () => {
      attempt.isOver = true;
      clearTimeout(accepted);
      clearTimeout(envelope);
      clearTimeout(mail);
    },
  };
}
