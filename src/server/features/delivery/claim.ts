import type { RunMail } from '../mail-content/run-mail.ts';

/** How long a claim holds without being renewed, by the database's clock. */
export const LEASE_SECONDS = 10;

/** A mail a worker holds. (accountId, id, claimNo) is the fence that every later change names. */
export interface Claim {
  readonly accountId: number;
  readonly id: number;
  readonly sendLogId: number;
  readonly daysFromLastday: number;
  /** The time its run was reserved for, epoch milliseconds; null: it was not, or is a test. */
  readonly reservedFor: number | null;
  readonly claimNo: number;
  readonly senderId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
  readonly test: boolean;
  readonly attempts: number;
  readonly mailTo: string;
  readonly companyName: string;
  readonly personInCharge: string;
  readonly messageId: string;
  readonly mailDate: Date;
  /** Shared by the mails of a run that are claimed together. */
  readonly mail: RunMail;
  /** The one mail that finds out whether the transport is back. */
  readonly isProbe: boolean;
}

/** What the queue must know of a mail to write what became of it. */
export type ClaimedMail = Pick<
  Claim,
  'accountId' | 'id' | 'sendLogId' | 'claimNo' | 'attempts' | 'reservedFor' | 'isProbe' | 'test'
>;

export interface ClaimedBatch {
  readonly claims: readonly Claim[];
  /** How many connections this worker may use for the sender. */
  readonly connections: number;
}

/** A row as it is claimed. */
export type ClaimedRow = Omit<Claim, 'isProbe' | 'mail'>;
