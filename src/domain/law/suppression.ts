/** Why and whence an address or domain must not be mailed, as the database and the wire name it. */

export const SUPPRESSION_KINDS = ['address', 'domain'] as const;
export type SuppressionKind = (typeof SUPPRESSION_KINDS)[number];

/** What must not be mailed, in the form of addressKey. A domain does not cover its subdomains. */
export interface SuppressionValue {
  readonly kind: SuppressionKind;
  readonly value: string;
}

/**
 * `refused`: its owner does not want our mails. `undeliverable`: its mail server says that it does not exist.
 * `blocked`: a member of the account does not want to mail it.
 */
export const SUPPRESSION_CLASSES = ['refused', 'undeliverable', 'blocked'] as const;
export type SuppressionClass = (typeof SUPPRESSION_CLASSES)[number];

/** How we learned of it: by the page or one click of a mail, by a member, a file, a mail server or SendGrid. */
export const SUPPRESSION_SOURCES = [
  'link',
  'one_click',
  'mailto',
  'reply',
  'manual',
  'csv',
  'smtp',
  'dsn',
  'complaint',
  'sendgrid',
  'erased',
] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

/** Why a reader refuses. A choice, not a text: nobody writes personal data here. */
export const OPT_OUT_REASONS = ['irrelevant', 'too_many', 'unknown_sender', 'other'] as const;
export type OptOutReason = (typeof OPT_OUT_REASONS)[number];

/** Why a member lifts what an owner of an address has refused. */
export const LIFT_REASONS = ['asked_again', 'mistake'] as const;
export type LiftReason = (typeof LIFT_REASONS)[number];

/** How long the reader of a mail may undo the refusal on its page. */
export const UNDO_MINUTES = 30;
/** How often the reader of one mail may undo a refusal, whatever the ways of refusing were. */
export const UNDOS_MAX = 3;
