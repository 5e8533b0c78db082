import type { MAILBOX_IDS } from '#contract/senders/mailboxes-names.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { Calendar } from '#domain/sending/sending-hours.ts';
import type { MergeValues } from '../../mail-content/merge-keys.ts';
import type { MailTarget, RunMail } from '../../mail-content/run-mail.ts';

/** Ids are no key alone: accounts that have moved keep theirs. */
export interface BoxKey {
  readonly accountId: number;
  readonly id: number;
}

/** The mailbox by which a mail leaves, as it was at the claim. */
export interface ClaimedBox extends BoxKey {
  readonly version: number;
  /** The envelope sender. */
  readonly address: string;
  readonly ids: (typeof MAILBOX_IDS)[number];
}

/** A mail that a worker holds. Every later change checks its fence: (accountId, id, claimNo). */
export interface Claim {
  readonly accountId: number;
  readonly id: number;
  readonly sendLogId: number;
  readonly daysFromLastday: number;
  /** The time for which its run was reserved, epoch milliseconds; null: sent at once, or a test. */
  readonly reservedFor: number | null;
  /** The open hours of its group at the claim; null: a test, which is sent at any time. */
  readonly calendar: Calendar | null;
  readonly claimNo: number;
  /** When it was claimed, epoch milliseconds by the database's clock. */
  readonly claimedAt: number;
  readonly senderId: number;
  /** null: it leaves by the mail server of the environment. */
  readonly box: ClaimedBox | null;
  /** The profile of its sender, whose pace and connections it uses. */
  readonly profileId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
  readonly test: boolean;
  /** Earlier attempts that count towards the limit. */
  readonly attempts: number;
  readonly mailTo: string;
  readonly messageId: string;
  readonly mailDate: Date;
  /** The key in its opt-out link (`delivery.mail_key`), 32 hexadecimal digits. */
  readonly mailKey: string;
  /** Shared by the mails of a run that are claimed together. */
  readonly mail: RunMail;
  /** What the mail is rendered with, besides its run. */
  readonly target: MailTarget;
  /** The only mail sent while the transport is paused: it probes whether the transport works again. */
  readonly isProbe: boolean;
  /** The only mail sent from a limited profile: it probes whether the mail server accepts its mails again. */
  readonly isLimitProbe: boolean;
}

/** The fields of a claim that journal.queries.ts needs to write its result. */
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
  | 'box'
  | 'isProbe'
  | 'isLimitProbe'
  | 'test'
>;

/**
 * What a worker writes to disk of a real mail before setting it to unknown. No address, so that none must be erased.
 */
export type UnknownMail = Pick<
  Claim,
  'accountId' | 'id' | 'claimNo' | 'claimedAt' | 'messageId' | 'attempts' | 'senderGroupId' | 'prospectId'
>;

/** Writes mails to disk that are about to become unknown (guard/unknown-mails). Never throws. */
export type KeepUnknown = (databaseId: string, mails: readonly UnknownMail[]) => void;

/** Claims of one profile. */
export interface ClaimedBatch {
  readonly claims: readonly Claim[];
  /** How many connections this worker may use for the profile. */
  readonly connections: number;
}

/** A claimed row, before its run and the mail that it follows up are read. */
export interface ClaimedRow extends Omit<Claim, 'box' | 'isProbe' | 'isLimitProbe' | 'mail' | 'target'> {
  readonly companyName: string;
  readonly personInCharge: string;
  /** The person who is mailed; null: the company is. */
  readonly personId: number | null;
  /** Where the mails of its run go. */
  readonly sendTo: SendTo;
  /** null: its templates name no own field and no person. */
  readonly mergeValues: MergeValues | null;
  /** The mail that this one follows up; null: a first mail. */
  readonly followsId: number | null;
}
