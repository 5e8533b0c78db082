import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import {
  type EligibilityScope,
  type HistoryReason,
  historyRows,
  type OwnReason,
  ownReasons,
} from './eligibility.queries.ts';

export interface EligibilityCounts {
  readonly matched: number;
  readonly eligible: number;
  readonly left_out: Record<LeftOutReason, number>;
}

const eb = expressionBuilder<DB, 'prospect'>();

export const nobodyLeftOut = (): Record<LeftOutReason, number> =>
  Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0])) as Record<LeftOutReason, number>;

/**
 * How many of the prospects that match are eligible, and how many are left out for which reason (each under the first one).
 * Asking leftOutReason of every row takes five times as long as one scan of the list: six probes a row, nearly all in vain. So
 * the list is scanned for the reasons a prospect has in itself, history is read from its own (mostly short) sets, and the
 * prospects in both are set off against each other. One snapshot, so that the sums are true.
 */
export async function countEligibility(
  db: Db,
  scope: EligibilityScope,
  matches: Expression<SqlBool>,
): Promise<EligibilityCounts> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  const [all, suppressed, touched] = await snapshot.execute(async (tx) => [
    await countAll(tx, scope, matches),
    await countSuppressed(tx, scope, matches),
    await countTouched(tx, scope, matches),
  ]);

  const left_out = nobodyLeftOut();
  left_out.no_email = all.no_email;
  left_out.suppressed = suppressed;
  for (const { history, own, count } of touched) {
    if (own !== null) left_out[own] -= count;
    const first = LEFT_OUT_REASONS.find((reason) => reason === history || reason === own);
    if (first !== undefined) left_out[first] += count;
  }
  const leftOut = Object.values(left_out).reduce((sum, count) => sum + count, 0);
  return { matched: all.matched, eligible: all.matched - leftOut, left_out };
}

async function countAll(tx: Tx, scope: EligibilityScope, matches: Expression<SqlBool>) {
  return tx
    .selectFrom('prospect')
    .select((select) => [
      select.fn.countAll<number>().as('matched'),
      select.fn.countAll<number>().filterWhere(ownReasons(scope).no_email).as('no_email'),
    ])
    .where(matches)
    .executeTakeFirstOrThrow();
}

/** Suppressed ones with an address (without one they count as no_email). */
async function countSuppressed(tx: Tx, scope: EligibilityScope, matches: Expression<SqlBool>): Promise<number> {
  const { no_email, suppressed } = ownReasons(scope);
  const { count } = await tx
    .selectFrom('prospect')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where(matches)
    .where(eb.not(no_email))
    .where(suppressed)
    // Asked once and not of each row: most accounts suppress nobody, and need no scan.
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('suppression').select('value').where('suppression.account_id', '=', scope.accountId)),
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** Prospects with a history that leaves them out, by its first reason and by the first one they have in themselves. */
async function countTouched(
  tx: Tx,
  scope: EligibilityScope,
  matches: Expression<SqlBool>,
): Promise<{ history: HistoryReason; own: OwnReason | null; count: number }[]> {
  const { no_email, suppressed } = ownReasons(scope);
  const sets = Object.entries(historyRows(scope)).map(
    ([reason, rows]) => sql`SELECT prospect_id, ${sql.lit(rank(reason))} AS rank FROM (${rows}) AS rows`,
  );
  const own = sql<OwnReason | null>`CASE WHEN ${no_email} THEN 'no_email' WHEN ${suppressed} THEN 'suppressed' END`;
  const rows = await tx
    .selectFrom('prospect')
    .innerJoin(
      sql<{ prospect_id: number; rank: number }>`(
        SELECT prospect_id, min(rank) AS rank FROM (${sql.join(sets, sql` UNION ALL `)}) AS known GROUP BY prospect_id
      )`.as('touched'),
      (join) => join.onRef('touched.prospect_id', '=', 'prospect.id'),
    )
    .select(['touched.rank', own.as('own'), sql<number>`count(*)`.as('count')])
    .where(matches)
    .groupBy(['touched.rank', sql`2`])
    .execute();
  return rows.map((row) => ({ ...row, history: LEFT_OUT_REASONS[row.rank] as HistoryReason }));
}

const rank = (reason: string): number => LEFT_OUT_REASONS.indexOf(reason as LeftOutReason);
