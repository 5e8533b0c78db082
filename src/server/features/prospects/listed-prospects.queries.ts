import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { isOneOf, isOneOfFew } from './group-state.queries.ts';
import { searchedProspects } from './prospect-filter.queries.ts';
import { type Among, type Order, orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';

/** A page of a list and how long the list is, by one statement that reads it once. */

export interface PageOf extends Order {
  readonly offset: number;
  readonly limit: number;
}

export interface Listed {
  readonly ids: number[];
  readonly total: number;
}

/** A list whose length is known without reading it. */
export interface KnownList {
  readonly among: Among;
  readonly total: Expression<number>;
}

/** A list that takes a scan of prospect_search (as `prospect`) to find. */
export interface FoundList<Reason extends string = never> {
  /** It holds the account's scope. */
  readonly where: Expression<SqlBool>;
  /** Why a prospect that was found is not on the list; NULL: it is. */
  readonly leftOut?: Expression<Reason | null>;
}

/** Up to here what was found is looked up and sorted; of more a page is met soon enough on the way along an index. */
const FEW = 2000;

/** What one statement tells: the list's length, and the numbers that were asked for. */
interface Told {
  readonly total: number;
  readonly value: number[];
}

/** Nothing of a group that is not the account's. */
export const listKnown = async (
  db: Db,
  scope: GroupScope,
  { among, total }: KnownList,
  page: PageOf,
): Promise<Listed> => {
  const listed = await readPage(scope, page, async (value) => {
    const asked = sql<Told>`
      SELECT ${total} AS total, to_json(array(${value(among)})) AS value WHERE ${isOwnGroup(scope)}`;
    return (await asked.execute(db)).rows[0];
  });
  return listed ?? { ids: [], total: 0 };
};

/**
 * Nothing of a group that is not the account's. What was found is kept for the length of the statement: it is counted, and the page is
 * read in the order of an index, row by row held against it.
 */
export async function listFound<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { where, leftOut }: FoundList<Reason>,
  page: PageOf,
): Promise<Listed & { readonly leftOut: Partial<Record<Reason, number>> }> {
  type Answer = Told & { readonly left_out: Partial<Record<Reason, number>> | null };
  const found = searchedProspects().select('prospect.id').where(where);
  const listed = sql`SELECT id FROM found ${leftOut ? sql`WHERE left_out IS NULL` : sql``}`;
  const reasons = sql`
    SELECT json_object_agg(left_out, count) FROM (
      SELECT left_out, count(*) FROM found WHERE left_out IS NOT NULL GROUP BY left_out
    ) AS reason`;
  const answer = await readPage(scope, page, async (value) => {
    const asked = sql<Answer>`
      WITH found AS MATERIALIZED (${leftOut ? found.select(sql`${leftOut}`.as('left_out')) : found}),
        counted AS MATERIALIZED (SELECT count(*) AS total FROM (${listed}) AS listed)
      SELECT total, ${leftOut ? sql`(${reasons})` : sql`NULL`} AS left_out, to_json(
        CASE WHEN total > ${sql.lit(FEW)} THEN array(${value((id) => isOneOf(listed, id))})
        ELSE array(${value((id) => isOneOfFew(listed, id))}) END) AS value
      FROM counted WHERE ${isOwnGroup(scope)}`;
    return (await asked.execute(db)).rows[0];
  });
  return { ids: answer?.ids ?? [], total: answer?.total ?? 0, leftOut: answer?.left_out ?? {} };
}

/**
 * @param ask for numbers that depend on which prospects are listed, and for the list's length
 * @returns the page's ids, the blanks of its order last, with the answer to the last question; undefined as `ask` does
 */
async function readPage<Answer extends Told>(
  scope: GroupScope,
  { offset, limit, ...order }: PageOf,
  ask: (value: (among: Among) => Expression<unknown>) => Promise<Answer | undefined>,
): Promise<(Answer & { readonly ids: number[] }) | undefined> {
  const ids: number[] = [];
  let skip = offset;
  for (let at = 0; ; at += 1) {
    const part = (among: Among) => {
      const parts = orderedParts(scope, among, order);
      return { query: parts[at] as (typeof parts)[number], isLast: at === parts.length - 1 };
    };
    const answer = await ask((among) =>
      part(among)
        .query.limit(limit - ids.length)
        .offset(skip),
    );
    if (answer === undefined) return undefined;
    ids.push(...answer.value);
    const isFull = ids.length === limit || offset + ids.length >= answer.total;
    if (isFull || part(() => sql`true`).isLast) return { ...answer, ids };
    // Nothing found beyond an offset: how much of it was this part's share takes counting.
    if (answer.value.length > 0 || skip === 0) skip = 0;
    else {
      const counted = await ask((among) => sql`SELECT count(*) FROM (${part(among).query}) AS part`);
      skip -= counted?.value[0] ?? 0;
    }
  }
}
