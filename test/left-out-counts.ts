import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';

/** Returns the counts of a preview: these, and 0 for all other reasons. */
export const leftOutCounts = (counts: Partial<Record<LeftOutReason, number>> = {}) =>
  ({ ...Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0])), ...counts }) as Record<
    LeftOutReason,
    number
  >;
