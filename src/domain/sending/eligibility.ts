import { DAY_MS } from '../time-units.ts';

/*
 * The names of the rules by which companies may be mailed now, in their order, and the interval. The rules themselves
 * are src/server/features/attack-list/rules.queries.ts.
 */

/**
 * Why a prospect of the list is left out. The first reason that holds is shown.
 * `maybe_refused`: an answer of the company, or to a mail to its address, may ask for no more mails; a member decides.
 * `replied`: an answer of the company waits for somebody to handle it.
 * `refused_by_notice`: the company declines sales mails where it publishes its address (特定電子メール法, article 3).
 * `rejected`: a server refused the last mail to its address for good (rejection.ts).
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
 * Why a target of a send is skipped: the reasons above, and those that only a client's list can cause. `sample`: a
 * sample company, which only tests may be sent for. `not_followable`: no mail of the named run may be followed up.
 * `blanked`: the mail that was to be sent again has lost its address to the retention (保存期間). `domain_limit`: the
 * companies before it in the list have used up what one run may send to its domain (rules/domain-limit.ts).
 */
export const SKIP_REASONS = [
  'not_found',
  'duplicate',
  'domain_limit',
  'sample',
  'not_followable',
  'blanked',
  ...BLOCK_REASONS,
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * An instant after every mail. With an interval of 0 days no last mail is too recent, even where machine clocks differ.
 */
const AFTER_ALL = Date.UTC(9999, 0);

/**
 * Returns the instant before which the last mail must lie for a prospect to be mailed again. It is N × 24 hours ago,
 * independent of calendar days.
 */
export const resendCutoff = (now: number, daysFromLastday: number): number =>
  daysFromLastday === 0 ? AFTER_ALL : now - daysFromLastday * DAY_MS;
