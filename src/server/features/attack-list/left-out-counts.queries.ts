import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { type EligibilityScope, isSuppressedBy, leftOutConditions } from './eligibility.queries.ts';

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
  // A short history is met by single look-ups. PostgreSQL's default takes those for reads of a spinning disk and scans instead.
  await sql`SET LOCAL random_page_cost = 1.1`.execute(tx);
  const left_out = nobodyLeftOut();
  const { matched, no_email } = await countAll(tx, scope, matches);
  left_out.no_email = no_email;
  left_out.suppressed = await countSuppressed(tx, scope, matches);
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

async function countAll(tx: Tx, scope: EligibilityScope, matches: Expression<SqlBool>) {
  return tx
    .selectFrom('prospect')
    .select((select) => [
      select.fn.countAll<number>().as('matched'),
      select.fn.countAll<number>().filterWhere(leftOutConditions(scope).no_email).as('no_email'),
    ])
    .where(matches)
    .executeTakeFirstOrThrow();
}

/** Two counts, each a hash join; by address or domain in one condition would be two probes a row, and one process. */
async function countSuppressed(tx: Tx, { accountId }: EligibilityScope, matches: Expression<SqlBool>): Promise<number> {
  const [byAddress, byDomain] = [isSuppressedBy('address', accountId), isSuppressedBy('domain', accountId)];
  const count = async (kind: 'address' | 'domain', condition: Expression<SqlBool>): Promise<number> => {
    const listed = tx.selectFrom('suppression').select('value').where('account_id', '=', accountId);
    if (!(await listed.where('kind', '=', kind).limit(1).executeTakeFirst())) return 0;
    const counted = tx.selectFrom('prospect').select((select) => select.fn.countAll<number>().as('count'));
    return (await counted.where(eb.and([matches, condition])).executeTakeFirstOrThrow()).count;
  };
  return (await count('address', byAddress)) + (await count('domain', eb.and([byDomain, eb.not(byAddress)])));
}

/** Prospects with one reason of history and none of the earlier ones; how many of them have a reason in themselves. */
async function countHistory(
  tx: Tx,
  scope: EligibilityScope,
  matches: Expression<SqlBool>,
  { reason, earlier }: { reason: LeftOutReason; earlier: readonly LeftOutReason[] },
) {
  const holds = leftOutConditions(scope);
  return tx
    .selectFrom('prospect')
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
