/** Reasons and sources of suppressions, as the database and the API name them. */

export const SUPPRESSION_KINDS = ['address', 'domain'] as const;
export type SuppressionKind = (typeof SUPPRESSION_KINDS)[number];

/** A suppressed address or domain, in the form of addressKey. A domain does not cover its subdomains. */
export interface SuppressionValue {
  readonly kind: SuppressionKind;
  readonly value: string;
}

/**
 * `refused`: its owner opted out. `undeliverable`: its mail server reports that it does not exist. `blocked`: a member
 * of the account blocked it.
 */
export const SUPPRESSION_CLASSES = ['refused', 'undeliverable', 'blocked'] as const;
export type SuppressionClass = (typeof SUPPRESSION_CLASSES)[number];

/** The source of a suppression: a mail's page or one click, a member, a file, a mail server or SendGrid. */
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

/** Why a reader opts out. A choice, not a text, so that nobody enters personal data. */
export const OPT_OUT_REASONS = ['irrelevant', 'too_many', 'unknown_sender', 'other'] as const;
export type OptOutReason = (typeof OPT_OUT_REASONS)[number];

/** Why a member lifts an owner's opt-out. */
export const LIFT_REASONS = ['asked_again', 'mistake'] as const;
export type LiftReason = (typeof LIFT_REASONS)[number];

/** How long a mail's reader may undo an opt-out on its page. */
export const UNDO_MINUTES = 30;
/** How often the reader of one mail may undo an opt-out, by whatever way it was made. */
export const UNDOS_MAX = 3;
