import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { ClaimedMail } from './claim.ts';

/** What a worker reports about a mail it holds. */
export interface DeliveryResult {
  readonly claim: ClaimedMail;
  readonly outcome: Exclude<Outcome, { kind: 'claim-lost' }>;
  /** When the outcome was known, epoch milliseconds; absent: now. */
  readonly at?: number;
}

/**
 * Whether a result counts as a fault of the server.
 * Of a mail only its first dropped connection counts: after a second one the mail itself is more likely the cause, and
 * must not stop others. Of a probe each counts: otherwise the next mail would probe at once.
 */
export const isFault = ({ claim, outcome }: DeliveryResult): boolean =>
  ['transport', 'unknown'].includes(outcome.kind) ||
  (outcome.kind === 'dropped' && (claim.attempts === 0 || claim.isProbe));

/** Outcomes without an answer of the server about the mail: it was not reached, not asked, or did not respond. */
const NO_ANSWER = new Set<DeliveryResult['outcome']['kind']>([
  'transport',
  'dropped',
  'unsendable',
  'unmarked',
  'not-taken',
  'unknown',
  // It concerns our quota, and does not show that a limit has ended.
  'limited',
  'crowded',
]);

/** Whether the mail server answered about the mail, with any code. */
export const hasAnswer = ({ kind }: DeliveryResult['outcome']): boolean => !NO_ANSWER.has(kind);
