/**
 * Which prospects may be mailed now. The SQL expression of the server says the same
 * (src/server/features/attack-list/eligibility.queries.ts); test/rules-agree.test.ts ties the two on generated rows.
 */

/** Why a prospect of the list is left out, in the order of telling. */
export const LEFT_OUT_REASONS = [
  'inactive',
  'no_email',
  'suppressed',
  'reserved',
  'open_delivery',
  'recently_sent',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** Why a target of a send is skipped: the same, and what only a list sent by a client can have. */
export const SKIP_REASONS = ['not_found', 'duplicate', ...LEFT_OUT_REASONS] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * What is known of a prospect in one sender group. Addresses are compared by their addressKey. Times: epoch
 * milliseconds of the last real mail, null for none.
 */
export interface ProspectFacts {
  readonly active: boolean;
  readonly email: string | null;
  readonly suppressed: boolean;
  readonly reserved: boolean;
  /** A mail to the company, or to its address, is on its way or in doubt. */
  readonly openDelivery: boolean;
  readonly lastSentAt: number | null;
  /** The last mail to its address, whichever company had it then. */
  readonly addressLastSentAt: number | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** After every mail: with an interval of 0 days no last mail is too recent, whatever the clocks of the machines say. */
const AFTER_ALL = Date.UTC(9999, 0);

/**
 * A prospect may be mailed again when its last mail is older than this instant: N × 24 hours ago, whatever the
 * calendar.
 */
export const resendCutoff = (now: number, daysFromLastday: number): number =>
  daysFromLastday === 0 ? AFTER_ALL : now - daysFromLastday * DAY_MS;

/** null: may be mailed. `now` in epoch milliseconds. */
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
    reserved: facts.reserved,
    open_delivery: facts.openDelivery,
    recently_sent: isRecent(facts.lastSentAt) || isRecent(facts.addressLastSentAt),
  };
  return LEFT_OUT_REASONS.find((reason) => holds[reason]) ?? null;
}

export type Suppression = { readonly kind: 'address' | 'domain'; readonly value: string };

/** Values are in lower case. A domain stops its own addresses, not those of its subdomains. */
export function isSuppressed(email: string, suppressions: readonly Suppression[]): boolean {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return suppressions.some(({ kind, value }) => value === (kind === 'address' ? address : domain));
}
