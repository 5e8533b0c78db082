import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { searchedProspects } from './prospect-filter.queries.ts';

/** Up to here the matches are carried by id. */
const FEW = 2000;

const eb = expressionBuilder<DB, 'prospect'>();

/**
 * Looks whether a condition holds for few prospects only, by one unordered scan that ends as soon as it found too many. If so,
 * what follows (page, reasons) goes by their ids. Without this, a page ordered by an index walks the whole index for
 * matches that are not there, and each further query scans the list again.
 * @returns the condition to go on with and the number of matches, or null where they are many
 */
export async function findFew(
  db: Db,
  accountId: number,
  where: Expression<SqlBool>,
): Promise<{ where: Expression<SqlBool>; count: number } | null> {
  const upToFew = searchedProspects(db)
    .select('prospect.id')
    .where(where)
    .limit(FEW + 1)
    .as('found');
  const { ids } = await db
    .selectFrom(upToFew)
    .select(sql<number[] | null>`CASE WHEN count(*) <= ${sql.lit(FEW)} THEN coalesce(json_agg(id), '[]') END`.as('ids'))
    .executeTakeFirstOrThrow();
  if (ids === null) return null;
  const found = eb.and([
    eb('prospect.account_id', '=', accountId),
    eb('prospect.id', '=', sql<number>`any(${ids}::bigint[])`),
  ]);
  return { where: found, count: ids.length };
}

/**
 * For the pages of a condition that holds for many: until the transaction ends they are read in the order of an index, where there
 * is one. The planner cannot know: behind row level security it may not look a LIKE or && up in its statistics, guesses some
 * ten matches, and sorts ten thousands.
 */
export async function expectMany(tx: Tx): Promise<void> {
  await sql`SET LOCAL enable_sort = off`.execute(tx);
}
