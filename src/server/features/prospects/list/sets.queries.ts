import { type Expression, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { LeftOutSets } from './list-definition.ts';
import { isInByHash } from './membership.queries.ts';
import type { IsListed, OrderedIds } from './order-part.ts';
import { numbersOf, type PageRequest, readPage, type SliceAnswer } from './page.queries.ts';
import { orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countAll } from './sending-status.queries.ts';

/** A slice of a list, with the number of left-out prospects by reason. */
export interface CountedSlice<Reason extends string> extends SliceAnswer {
  readonly left_out: Partial<Record<Reason, number>> | null;
}

/**
 * Plan 6 of list.queries.ts: counts what is left out of a list of all prospects, and reads none of the others.
 * A page is read along the index of its order, past a hash of the left-out ids. In the order of the ids it reads the
 * rows of prospect_search in their order, so one reason is checked in the row and its ids are not hashed.
 * @param walked the page, where a walk has read it: the sets are then only counted
 */
export async function readBySets<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { ctes, isLeftOutByRow }: LeftOutSets,
  page: PageRequest,
  walked: number[] | null,
) {
  const run = async (numbers: Expression<number[]>) => {
    const { rows } = await sql<CountedSlice<Reason>>`
      WITH ${ctes}
      SELECT ${countAll(scope.accountId)} - coalesce(sum(count), 0)::bigint AS total,
        json_object_agg(reason, count) FILTER (WHERE reason IS NOT NULL) AS left_out,
        (SELECT to_json(${numbers})) AS numbers
      FROM left_out HAVING ${isOwnGroup(scope)}`.execute(db);
    return rows[0];
  };
  if (walked !== null) return { ids: walked, ...(await run(sql`array[]::bigint[]`)) };
  const isNotIn = (ids: string, id: Expression<number>) =>
    sql<boolean>`NOT ${isInByHash(sql`SELECT unnest(${sql.ref(ids)}) FROM excluded`, id)}`;
  const isListed: IsListed =
    page.sort.sort === undefined
      ? (id) => sql<boolean>`NOT ${isLeftOutByRow} AND ${isNotIn('others', id)}`
      : (id) => isNotIn('ids', id);
  const parts = orderedParts(scope, isListed, page);
  return readPage(page, (part, slice) => run(numbersOf(parts[part] as OrderedIds, slice)));
}
