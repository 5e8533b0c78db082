/**
 * Which prospects may be mailed now. The SQL predicate of the server says the same
 * (src/server/features/attack-list/); test/rules-agree.test.ts ties the two on generated rows.
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
