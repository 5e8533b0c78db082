import { addressKey, domainOf } from '../mail/address-key.ts';
import { DAY_MS } from '../time-units.ts';

/**
 * Decides which prospects may be mailed now. The server has the same rules in SQL
 * (src/server/features/attack-list/eligibility.queries.ts); test/rules-agree.test.ts compares the two on generated
 * rows.
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
 * The facts about a prospect in one sender group. Addresses are compared by their addressKey. Times are epoch
 * milliseconds of the last real mail; null: none.
 */
export interface ProspectFacts {
  readonly active: boolean;
  readonly email: string | null;
  readonly suppressed: boolean;
  /** An answer of the company, or to a mail to its address, is in doubt. */
  readonly maybeRefused: boolean;
  /** An answer of the company is open, and not in doubt. */
  readonly replied: boolean;
  /** The company declines sales mails where it publishes its address. */
  readonly refusedByNotice: boolean;
  readonly reserved: boolean;
  /** Whether a mail to the company or to its address is open or unknown. */
  readonly openDelivery: boolean;
  readonly lastSentAt: number | null;
  /** The last mail to its address, even if another company had the address then. */
  readonly addressLastSentAt: number | null;
  /** When a server last refused a mail to its address for good. */
  readonly rejectedAt: number | null;
  /** The last mail of another group to the company or its address; null too where the account looks at one alone. */
  readonly elsewhereSentAt: number | null;
  /** Such a mail is open or unknown: it counts as one of this moment. */
  readonly openElsewhere: boolean;
}

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

/** Returns why the prospect is left out; null: it may be mailed. `now` is in epoch milliseconds. */
export function leftOutReason(
  facts: ProspectFacts,
  settings: { now: number; daysFromLastday: number },
): LeftOutReason | null {
  const cutoff = resendCutoff(settings.now, settings.daysFromLastday);
  const isRecent = (sentAt: number | null) => sentAt !== null && sentAt >= cutoff;
  const holds: Record<LeftOutReason, boolean> = {
    inactive: !facts.active,
    no_email: facts.email === null || facts.email === '',
    suppressed: facts.suppressed,
    maybe_refused: facts.maybeRefused,
    replied: facts.replied,
    refused_by_notice: facts.refusedByNotice,
    reserved: facts.reserved,
    open_delivery: facts.openDelivery,
    rejected: isRecent(facts.rejectedAt),
    recently_sent: isRecent(facts.lastSentAt) || isRecent(facts.addressLastSentAt),
    recently_sent_elsewhere: isRecent(facts.elsewhereSentAt) || isRecent(facts.openElsewhere ? settings.now : null),
  };
  return LEFT_OUT_REASONS.find((reason) => holds[reason]) ?? null;
}

/** Returns why a company, which may be archived, may not be mailed now; null: it may. */
export const blockReason = (
  facts: ProspectFacts & { readonly archived: boolean },
  settings: { now: number; daysFromLastday: number },
): BlockReason | null => (facts.archived ? 'archived' : leftOutReason(facts, settings));

export type Suppression = { readonly kind: 'address' | 'domain'; readonly value: string };

/**
 * Returns whether a suppression holds the address or its domain. Values are in lower case. A domain does not cover its
 * subdomains.
 */
export function isSuppressed(email: string, suppressions: readonly Suppression[]): boolean {
  const address = addressKey(email);
  const domain = domainOf(address);
  return suppressions.some(({ kind, value }) => value === (kind === 'address' ? address : domain));
}
