import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { ProspectSort, SortColumn } from '#contract/prospects-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { contactedIds, inactiveIds, remarkedIds, reservedIds } from './group-state.queries.ts';
import { isInByLookup, type ProspectIds } from './membership.queries.ts';
import { byColumn } from './order-by-column.queries.ts';
import { byRemarks, bySendAt, bySentAt, inactiveById } from './order-by-group-state.queries.ts';
import { type Direction, fromRowsOr, type IsListed, type OrderedIds, type PartContext } from './order-part.ts';
import { searchTable } from './prospect-filter.queries.ts';
import type { ReservationFilter } from './reserved-prospects.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/*
 * The orders of a list. An order has one or two parts, one after the other: the prospects with a value in the sorted
 * column, then those without (blanks come last in both directions, which no index can do). The parts of `active` are
 * the inactive and the active prospects; `desc` swaps them. Each part is read along an index that holds all that the
 * query needs, so the first page of a million prospects takes a millisecond. Only the orders of UNINDEXED
 * (order-by-column) are sorted by a scan of the whole list.
 *
 * Equal values are ordered by id in the direction of the sort, as in the index; blanks are ordered by rising id.
 */

export interface Order {
  readonly sort: ProspectSort;
  /** The reservations whose times `send_at` means; by default all real ones of the group. */
  readonly reservations?: ReservationFilter | undefined;
  /** Reads the whole order from its last row to its first. */
  readonly backwards?: boolean;
}

const OPPOSITE = { asc: 'desc', desc: 'asc' } as const;

const eb = expressionBuilder<DB, never>();

/** How many parts the order has. */
export const countParts = ({ sort }: ProspectSort): number => (sort === undefined ? 1 : 2);

/**
 * Makes the queries for the parts of an order, in the sequence in which they are read.
 * @param rows prospects to sort in place of the tables: account_id, id and the sorted column (plan 4 of
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
