import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { Claim } from '../claim.ts';

/** The ways a mail can leave. A process knows one of them. */
export type TransportName = 'smtp' | 'sendgrid';

/** Commits that these mails are about to leave. @returns false for each that is no more ours: not a byte of it may leave */
export type Mark = (claims: readonly Claim[]) => Promise<boolean[]>;

/** A way mails leave: all that the worker knows of it. */
export interface Transport {
  readonly name: TransportName;
  /** No request holds more mails than this, whatever they are. */
  readonly mostMails: number;
  /** How many mails of this one's run go in one request. */
  readonly mailsWith: (claim: Claim) => number;
  readonly openLane: () => Lane;
}

/** Hands over one request at a time. */
export interface Lane {
  /**
   * Hands over mails of one run, which all leave after their mark, or none of them. Never rejects.
   * @returns what became of each, in their order
   */
  send(claims: readonly Claim[], mark: Mark): Promise<Outcome[]>;
  /** Cuts off a request that is under way, too: nobody may hear of it any more. */
  close(): void;
}
