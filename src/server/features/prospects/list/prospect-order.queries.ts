import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectSort, SortColumn } from '#contract/companies/prospects-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { contactedIds, inactiveIds, remarkedIds, reservedIds } from './group-state.queries.ts';
import { isInByLookup, type ProspectIds } from './membership.queries.ts';
import {
  byColumn,
  byRemarks,
  bySendAt,
  bySentAt,
  type Direction,
  fromRowsOr,
  type IsListed,
  inactiveById,
  type OrderedIds,
  type PartContext,
} from './order-parts.queries.ts';
import { searchTable } from './prospect-filter.queries.ts';
import type { ReservationFilter } from './reserved-prospects.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/*
 * The orders of a list, and its pages. An order has one or two parts: prospects with a value in the sorted column, then
 * those without. Blanks come last in both directions, which no index can do. The parts of `active` are the inactive and
 * the active prospects; `desc` swaps them. Each part is read along a covering index, so the first page of a million
 * prospects takes a millisecond. Only the orders of UNINDEXED (order-parts) are sorted by a scan of the whole list.
 *
 * Equal values are ordered by id in the direction of the sort, as in the index; blanks are ordered by rising id.
 */

export interface Order {
  readonly sort: ProspectSort;
  /** The reservations whose times `send_at` shows; by default all real ones of the group. */
  readonly reservations?: ReservationFilter | undefined;
  /** Reads the whole order from its last row to its first. */
  readonly backwards?: boolean;
}

const OPPOSITE = { asc: 'desc', desc: 'asc' } as const;

const eb = expressionBuilder<DB, never>();

/** How many parts the order has. */
const countParts = ({ sort }: ProspectSort): number => (sort === undefined ? 1 : 2);

/**
 * Makes the queries for the parts of an order, in reading order.
 * @param rows the prospects to sort, instead of the tables: account_id, id and the sorted column (plan 4 of
 * list.queries.ts)
 */
export function orderedParts(
  scope: GroupScope,
  isListed: IsListed,
  { sort: { sort, order = 'asc' }, reservations, backwards = false }: Order,
  rows?: Expression<unknown>,
): OrderedIds[] {
  const direction = backwards ? OPPOSITE[order] : order;
  const context = { scope, isListed, direction, blankDirection: backwards ? 'desc' : 'asc', rows } as const;
  const parts = partsBy(sort, context, reservations, order);
  return backwards ? parts.toReversed() : parts;
}

function partsBy(
  sort: SortColumn | undefined,
  context: PartContext,
  reservations: ReservationFilter | undefined,
  order: Direction,
): OrderedIds[] {
  const { scope } = context;
  switch (sort) {
    case undefined:
      return [byId(context)];
    case 'active': {
      const active = byId(context, without(inactiveIds(scope)), context.direction);
      return order === 'asc' ? [inactiveById(context), active] : [active, inactiveById(context)];
    }
    case 'remarks':
      return [byRemarks(context), byId(context, without(remarkedIds(scope)))];
    case 'sent_at':
      return [bySentAt(context), byId(context, without(contactedIds(scope)))];
    case 'send_at':
      return [bySendAt(context, reservations), byId(context, without(reservedIds(scope)))];
    default:
      return byColumn(context, sort);
  }
}

const without = (ids: ProspectIds): Expression<SqlBool> => eb.not(isInByLookup(ids));

function byId(
  context: PartContext,
  condition: Expression<SqlBool> = eb.lit(true),
  direction: Direction = context.blankDirection,
): OrderedIds {
  return fromRowsOr(context, searchTable)
    .select('prospect.id')
    .where('prospect.account_id', '=', context.scope.accountId)
    .where(condition)
    .where((where) => context.isListed(where.ref('prospect.id')))
    .orderBy('prospect.id', direction);
}

export interface PageRequest extends Order {
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list: its ids in order, and the length of the whole list. */
export interface PageOfIds {
  readonly ids: number[];
  readonly total: number;
}

/** What to read of one part of an order: some of its ids, or their number. */
export type Slice = { readonly skip: number; readonly limit: number } | 'count';

/** The answer of one statement: the list's length, and in `numbers` the ids of the slice, or one number for 'count'. */
export interface SliceAnswer {
  readonly total: number;
  readonly numbers: number[];
}

/** The SQL array that answers a slice. */
export const numbersOf = (ids: OrderedIds, slice: Slice): Expression<number[]> =>
  slice === 'count'
    ? sql`array(SELECT count(*) FROM (${ids}) AS part)`
    : sql`array(${ids.limit(slice.limit).offset(slice.skip)})`;

/**
 * Reads a page from the one or two parts of its order, with as few statements as possible.
 * @param readSlice reads a slice of the part with this number; undefined for a sender group of another account
 * @returns the ids of the page with the last answer; undefined if readSlice returned that
 */
export async function readPage<Answer extends SliceAnswer>(
  { offset, limit, sort }: PageRequest,
  readSlice: (part: number, slice: Slice) => Promise<Answer | undefined>,
): Promise<(Answer & { readonly ids: number[] }) | undefined> {
  let ids: number[] = [];
  let skip = offset;
  for (let part = 0; ; part += 1) {
    const answer = await readSlice(part, { skip, limit: limit - ids.length });
    if (answer === undefined) return undefined;
    // Not by push(...), which takes at most some 100,000 arguments: an export reads a million ids.
    ids = ids.concat(answer.numbers);
    const isFull = ids.length === limit || offset + ids.length >= answer.total;
    if (isFull || part === countParts(sort) - 1) return { ...answer, ids };
    // The rest of the page starts at the first row of the next part.
    if (answer.numbers.length > 0 || skip === 0) skip = 0;
    // The page starts in the next part: the count shows how many rows of the offset this part has.
    else skip -= (await readSlice(part, 'count'))?.numbers[0] ?? 0;
  }
}
