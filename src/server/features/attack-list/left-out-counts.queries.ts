import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { searchedProspects } from '../prospects/prospect-filter.queries.ts';
import { type EligibilityScope, leftOutConditions } from './eligibility.queries.ts';

export interface EligibilityCounts {
  readonly matched: number;
  readonly eligible: number;
  readonly left_out: Record<LeftOutReason, number>;
}

const eb = expressionBuilder<DB, 'prospect'>();

export const nobodyLeftOut = (): Record<LeftOutReason, number> =>
  Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0])) as Record<LeftOutReason, number>;

/** Reasons that lie in rows of the group's history; the others lie in the prospect itself. */
const HISTORY = ['inactive', 'reserved', 'open_delivery', 'recently_sent'] as const satisfies readonly LeftOutReason[];

/**
 * How many of the prospects that match are eligible, and how many are left out for which reason (each under the first one).
 * Asking leftOutReason of every row takes five times as long as one scan of the list: six probes a row, nearly all in vain. So
 * the list is scanned for the reasons a prospect has in itself, the (mostly short) history is joined to it reason by reason,
 * and those with both are set off against each other. `tx` shows one moment (AccountDb.snapshot), so that the sums are true.
 */
export async function countEligibility(
  tx: Tx,
  scope: EligibilityScope,
  matches: Expression<SqlBool>,
): Promise<EligibilityCounts> {
  const left_out = nobodyLeftOut();
  const { matched, ...inThemselves } = await countOwnReasons(tx, scope, matches);
  Object.assign(left_out, inThemselves);
  for (const [index, reason] of HISTORY.entries()) {
    const found = await countHistory(tx, scope, matches, { reason, earlier: HISTORY.slice(0, index) });
    left_out[reason] += found.count - found.no_email - found.suppressed;
    for (const own of ['no_email', 'suppressed'] as const) {
      const first = LEFT_OUT_REASONS.find((name) => name === reason || name === own) ?? reason;
      left_out[own] -= found[own];
      left_out[first] += found[own];
    }
  }
  const leftOut = Object.values(left_out).reduce((sum, count) => sum + count, 0);
  return { matched, eligible: matched - leftOut, left_out };
}

/** One scan; what the suppression list holds is hashed once. */
async function countOwnReasons(tx: Tx, scope: EligibilityScope, matches: Expression<SqlBool>) {
  const { no_email, suppressed } = leftOutConditions(scope);
  return searchedProspects(tx)
    .select((select) => [
      select.fn.countAll<number>().as('matched'),
      select.fn.countAll<number>().filterWhere(no_email).as('no_email'),
      select.fn
        .countAll<number>()
        .filterWhere(eb.and([eb.not(no_email), suppressed]))
        .as('suppressed'),
    ])
    .where(matches)
    .executeTakeFirstOrThrow();
}

/** Prospects with one reason of history and none of the earlier ones; how many of them have a reason in themselves. */
async function countHistory(
  tx: Tx,
  scope: EligibilityScope,
  matches: Expression<SqlBool>,
  { reason, earlier }: { reason: LeftOutReason; earlier: readonly LeftOutReason[] },
) {
  const holds = leftOutConditions(scope);
  return searchedProspects(tx)
    .select((select) => [
      select.fn.countAll<number>().as('count'),
      select.fn.countAll<number>().filterWhere(holds.no_email).as('no_email'),
      select.fn
        .countAll<number>()
        .filterWhere(eb.and([eb.not(holds.no_email), holds.suppressed]))
        .as('suppressed'),
    ])
    .where(matches)
    .where(holds[reason])
    .where(eb.and(earlier.map((other) => eb.not(holds[other]))))
    .executeTakeFirstOrThrow();
}
