import type { Calendar } from '#domain/sending/sending-hours.ts';
import type { MailTarget, RunMail } from '../../mail-content/run-mail.ts';

/** A mail that a worker holds. Every later change names its fence: (accountId, id, claimNo). */
export interface Claim {
  readonly accountId: number;
  readonly id: number;
  readonly sendLogId: number;
  readonly daysFromLastday: number;
  /** The time for which its run was reserved, epoch milliseconds; null: sent at once, or a test. */
  readonly reservedFor: number | null;
  /** When its group is open, as at its claim; null: a test, which leaves at any time. */
  readonly calendar: Calendar | null;
  readonly claimNo: number;
  /** When it was claimed, epoch milliseconds by the database's clock. */
  readonly claimedAt: number;
  readonly senderId: number;
  /** The profile of its sender, whose pace and connections it uses. */
  readonly profileId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
  readonly test: boolean;
  /** Earlier tries that count towards the limit of tries. */
  readonly attempts: number;
  readonly mailTo: string;
  readonly messageId: string;
  readonly mailDate: Date;
  /** The key in its refusal link (`delivery.mail_key`), 32 hexadecimal digits. */
  readonly mailKey: string;
  /** Shared by the mails of a run that are claimed together. */
  readonly mail: RunMail;
  /** What it is rendered with, besides its run. */
  readonly target: MailTarget;
  /** The one mail that is sent while the transport is paused, to learn whether it works again. */
  readonly isProbe: boolean;
  /** The one mail of a limited profile that is sent to learn whether the mail server takes its mails again. */
  readonly isLimitProbe: boolean;
}

/** What journal.queries.ts needs of a claim to write its result. */
export type ClaimedMail = Pick<
  Claim,
  | 'accountId'
  | 'id'
  | 'sendLogId'
  | 'senderId'
  | 'profileId'
  | 'claimNo'
  | 'attempts'
  | 'reservedFor'
  | 'calendar'
  | 'isProbe'
  | 'isLimitProbe'
  | 'test'
>;

/** What a worker keeps on disk of a real mail before it makes it unknown. No address: there is nothing to erase. */
export type UnknownMail = Pick<
  Claim,
  'accountId' | 'id' | 'claimNo' | 'claimedAt' | 'messageId' | 'attempts' | 'senderGroupId' | 'prospectId'
>;

/** Keeps mails on disk that are about to become unknown (guard/unknown-mails). Never throws. */
export type KeepUnknown = (databaseId: string, mails: readonly UnknownMail[]) => void;

/** Claims of one profile. */
export interface ClaimedBatch {
  readonly claims: readonly Claim[];
  /** How many connections this worker may use for the profile. */
  readonly connections: number;
}

/** A row as it is claimed, before its run and the mail that it follows up are read. */
export interface ClaimedRow extends Omit<Claim, 'isProbe' | 'isLimitProbe' | 'mail' | 'target'> {
  readonly companyName: string;
  readonly personInCharge: string;
  /** The mail that this one follows up; null: a first mail. */
  readonly followsId: number | null;
}
