import { DAY_MS } from '../time-units.ts';

/*
 * The names of the rules that decide which companies may be mailed now, in order, and the re-send interval. The rules
 * are in src/server/features/attack-list/eligibility-rules.queries.ts.
 */

/**
 * Why a listed prospect is left out. The first applicable reason is shown.
 * `maybe_refused`: a reply of the company, or to a mail to its address, may ask for no more mails; a member decides.
 * `replied`: a reply of the company waits to be handled.
 * `refused_by_notice`: the company declines sales mails where it publishes its address (特定電子メール法, article 3).
 * `rejected`: a server refused the last mail to its address permanently (rejection.ts).
 * `recently_sent_elsewhere`: only another group of the account has mailed it, or will (`across_groups`).
 */
export const LEFT_OUT_REASONS = [
  'inactive',
  'no_email',
  'suppressed',
  'maybe_refused',
  'replied',
  'refused_by_notice',
  'reserved',
  'open_delivery',
  'rejected',
  'recently_sent',
  'recently_sent_elsewhere',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** Why a company may not be mailed now. Archived companies are in no list, so no preview counts them. */
export const BLOCK_REASONS = ['archived', ...LEFT_OUT_REASONS] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/**
 * Why a target of an order is skipped: the reasons above, and those that only a client's list can cause. `sample`: a
 * sample company, which only tests may have. `not_followable`: the named run has no mail to follow up. `other_person`:
 * that mail went to another person of the company. `blanked`: the mail to send again has lost its address to the
 * retention (保存期間). `domain_limit`: earlier companies in the list have used up the run's mails to its domain
 * (rules/domain-limit.ts).
 */
export const SKIP_REASONS = [
  'not_found',
  'duplicate',
  'domain_limit',
  'sample',
  'not_followable',
  'other_person',
  'blanked',
  ...BLOCK_REASONS,
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * An instant after every mail. With an interval of 0 days no last mail is too recent, even if machine clocks differ.
 */
const AFTER_ALL = Date.UTC(9999, 0);

/**
 * Returns the instant before which a prospect's last mail must have been sent to mail it again. It is N × 24 hours ago,
 * independent of calendar days.
 */
export const resendCutoff = (now: number, daysFromLastday: number): number =>
  daysFromLastday === 0 ? AFTER_ALL : now - daysFromLastday * DAY_MS;
