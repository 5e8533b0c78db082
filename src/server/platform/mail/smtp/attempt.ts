import { type Outcome, outcomeOfFault, type SmtpFault, type Stage } from '../outcome.ts';
import { ClaimLost, MarkFailed } from './marked-body.ts';
import { NoCredentials, type SmtpTimes } from './settings.ts';

/** How far an attempt to send a mail has come. The transaction writes it; timeouts and outcomes read it. */
export interface Attempt {
  stage: Stage;
  isMailAccepted: boolean;
  /** Whether the server is ready for the body and the mark is not committed yet. */
  isMarking: boolean;
  /** Set when a timeout or the mail has ended: neither its body nor its follower may start. */
  isOver: boolean;
}

/** Returns a new attempt. */
export const newAttempt = (): Attempt => ({
  stage: 'connecting',
  isMailAccepted: false,
  isMarking: false,
  isOver: false,
});

/** The server accepted or answered a command that was not sent, so replies cannot be matched to commands. */
export class OutOfStep extends Error {
  override readonly name = 'OutOfStep';
}

/** The server did not answer a MAIL sent together with the last final dot. */
class AheadUnanswered extends Error {
  override readonly message = 'no answer in time to the command that was sent ahead';
}

class ClosedByUs extends Error {
  override readonly message = 'the connection was closed by us';
}

/**
 * Classifies the error that ended an attempt.
 * @param to the main recipient
 * @param isUsed whether the connection has served another mail
 * @returns null for a fault that does not concern the mail: it is sent at once on a fresh connection
 */
export function outcomeOfError(error: Error, attempt: Attempt, to: string, isUsed: boolean): Outcome | null {
  if (error instanceof ClaimLost) return { kind: 'claim-lost' };
  if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
  if (error instanceof NoCredentials) return { kind: 'not-taken', reply: error.message };
  if (error instanceof OutOfStep) return null;
  if (isUsed && !(error instanceof ClosedByUs) && isBeforeRcpt(attempt)) return null;
  return outcomeOfFault(attempt.stage, error, to);
}

/** Returns whether an attempt ended before the server accepted its MAIL: by no answer, or a refusal. */
const isBeforeRcpt = ({ stage, isMailAccepted }: Attempt): boolean => stage === 'envelope' && !isMailAccepted;

/**
 * Returns whether a mail's fault is evidence against sending ahead. Its own envelope was lost or out of step, or the
 * connection ended at the final dot with which the next envelope was sent.
 * @param isItsOwn whether the envelope sent ahead is the mail's own
 */
export function isAheadLost({ isMailAccepted }: Attempt, error: SmtpFault, isItsOwn: boolean): boolean {
  if (error instanceof ClosedByUs) return false;
  if (!isItsOwn) return error.response === undefined;
  if (error instanceof OutOfStep) return true;
  return !isMailAccepted && (error instanceof AheadUnanswered || isOutOfSequence(error));
}

/** Returns whether a server read other commands than were sent (RFC 5321 4.2.2), because parts were lost. */
const isOutOfSequence = ({ responseCode = 0 }: SmtpFault): boolean => responseCode >= 500 && responseCode <= 503;

/**
 * Starts a mail's timeouts. `over` rejects if the mail takes too long, up to the 354 or as a whole, or is aborted. Its
 * body cannot start after that.
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
  // Marks the rejection as handled: it may have no other handler.
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
