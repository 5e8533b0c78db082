import type { DeliveryReason, DeliveryState } from '#domain/sending/delivery-state.ts';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import { retryAfterSeconds, transportRetrySeconds } from '#domain/sending/retry.ts';
import { replyForAccount } from '../../../platform/mail/account-reply.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';

/** The changes of a delivery's row by a result. */
export interface Change {
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Seconds; for `queued` only. */
  readonly retryAfter: number;
  /** null: the stored reply is kept. */
  readonly reply: string | null;
  /** Of a failed mail. */
  readonly reason?: DeliveryReason;
}

/**
 * Returns how a result changes its mail. If the group is closed when the mail is due, its next claim defers it with its
 * whole run (pauses/closed.queries.ts).
 */
export function changeAfter({ claim: { attempts }, outcome }: DeliveryResult): Change {
  const reply = replyForAccount(outcome);
  const queued = (tries: number, seconds: number): Change => {
    return { state: 'queued', attempts: tries, retryAfter: seconds, reply };
  };
  const ended = (state: 'sent' | 'failed' | 'unknown'): Change => {
    return { state, attempts: attempts + 1, retryAfter: 0, reply };
  };
  switch (outcome.kind) {
    case 'sent':
    case 'failed':
    case 'unknown':
      return ended(outcome.kind);
    case 'unsendable':
      return { ...ended('failed'), ...(outcome.isUnlawful && { reason: 'legal_incomplete' }) };
    case 'unmarked':
    case 'not-taken':
    case 'crowded':
      return { state: 'queued', attempts, retryAfter: 0, reply };
    case 'limited':
      // Its sender waits as long (sender-limits.command.ts), so that its other mails come first then.
      return queued(attempts, Math.min(outcome.seconds, LIMIT_PROBE_SECONDS));
    case 'transport':
    case 'sender-refused':
      return queued(attempts, transportRetrySeconds(Math.random()));
    case 'deferred':
    case 'dropped': {
      const seconds = retryAfterSeconds(attempts + 1, Math.random());
      return seconds === null ? ended('failed') : queued(attempts + 1, seconds);
    }
  }
}

/** Returns whether the mail server said that the address of a real mail does not exist. */
export const isDeadAddress = ({ claim, outcome }: DeliveryResult) =>
  !claim.test && outcome.kind === 'failed' && outcome.badAddress;

/** Returns whether a real mail was refused permanently by its recipient, or for our domain or address. */
export const isRejected = ({ claim, outcome }: DeliveryResult) =>
  !claim.test && outcome.kind === 'failed' && outcome.isRejected === true;
