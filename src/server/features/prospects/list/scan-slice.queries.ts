import { type Expression, sql } from 'kysely';
import { isInByHash } from './membership.queries.ts';
import type { IsListed, OrderedIds } from './order-part.ts';
import { numbersOf, type Slice } from './page.queries.ts';
import type { ScanKey } from './prospect-filter.queries.ts';
import { type Order, orderedParts } from './prospect-order.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** Up to so many found ids are fetched by id and sorted. Above it, plans 4 and 5 are faster. */
const SORT_BY_ID_MAX = 2000;

/** Plan 3: fetches the found ids one by one. */
const isFetchedById: IsListed = (id) => sql`${id} = any((SELECT ids FROM found)::bigint[])`;

/** Plan 5: looks ids up in a hash of the found ids. */
const isInFound: IsListed = (id) => isInByHash(sql`SELECT unnest(ids) FROM found`, id);

/** Plan 4: the found ids as a table that is sorted by the collected key. */
const collectedRows = ({ accountId }: GroupScope, key: ScanKey): Expression<unknown> => {
  const keys = key === 'id' ? sql`` : sql`, unnest(keys) AS ${sql.ref(key)}`;
  return sql`(SELECT ${accountId}::bigint AS account_id, unnest(ids) AS id${keys} FROM found)`;
};

/**
 * Reads a slice of one part of an order from `found`.
 * Plan 3 for few ids; of more, plan 4 where there is a key, else plan 5.
 * @param ownRows the table of the list's prospects, where it is not prospect_search
 */
export function sliceOfScan(
  scope: GroupScope,
  key: ScanKey | undefined,
  { part, ...order }: Order & { readonly part: number },
  slice: Slice,
  ownRows?: Expression<unknown>,
): Expression<number[]> {
  const partOf = (isListed: IsListed, rows = ownRows) => orderedParts(scope, isListed, order, rows)[part] as OrderedIds;
  const byHash = () => partOf(isInFound);
  if (slice === 'count') return numbersOf(byHash(), slice);
  const ofMany = key === undefined ? byHash() : partOf(() => sql`true`, collectedRows(scope, key));
  return sql`CASE WHEN total <= ${sql.lit(SORT_BY_ID_MAX)}
    THEN ${numbersOf(partOf(isFetchedById), slice)} ELSE ${numbersOf(ofMany, slice)} END`;
}
