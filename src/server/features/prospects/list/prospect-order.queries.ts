import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectColumn, ProspectSort } from '#contract/prospect.ts';
import type { DB } from '../../../platform/db-types.ts';
import {
  contactedIds,
  holdsFor,
  inactiveIds,
  type ProspectIds,
  remarkedIds,
  reservedIds,
} from './group-state.queries.ts';
import { searchedProspects } from './prospect-filter.queries.ts';
import { type ReservationFilter, reservationTimes } from './reserved-prospects.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** Which prospects a list holds, as a condition on an id. */
export type Among = (id: Expression<number>) => Expression<SqlBool>;

/** Ids in order. */
export type OrderedIds = SelectQueryBuilder<DB, never, { id: number }>;

const eb = expressionBuilder<DB, never>();

export interface Order {
  readonly sort: ProspectSort;
  /** Whose times send_at means; without them those of the group. */
  readonly reservations?: ReservationFilter | undefined;
  /** From the last row to the first. */
  readonly backwards?: boolean;
}

/** Prospects at hand, to be sorted: a table of account_id, id and what the sort asks of prospect. */
export type Gathered = Expression<unknown>;

type JoinedColumn = 'active' | 'remarks' | 'sent_at' | 'send_at';
type OwnColumn = Exclude<ProspectColumn, JoinedColumn>;

const NUMBERS: readonly OwnColumn[] = [
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
];

/** How many parts there are (see orderedParts). */
export const countParts = ({ sort }: ProspectSort): number => (sort === undefined ? 1 : 2);

/**
 * A sorted list is two parts one after the other, the rows with a value and the blanks. Each is read in the order of an index
 * that holds all it asks (there is none with blanks last in both directions), so that the first page of a million rows costs a
 * millisecond, and a walk to the end of the index is the worst that can happen. Ties go by id in the direction of the sort, as in
 * the index; blanks rise. Backwards all of it is turned round.
 */
export function orderedParts(
  scope: GroupScope,
  among: Among,
  { sort: { sort, order = 'asc' }, reservations, backwards = false }: Order,
  gathered?: Gathered,
): OrderedIds[] {
  const { accountId, senderGroupId } = scope;
  const opposite = { asc: 'desc', desc: 'asc' } as const;
  const rising = backwards ? 'desc' : 'asc';
  const direction = backwards ? opposite[order] : order;
  /** Which tables the parts are read from does not matter to who puts them together. */
  const inTurn = (...parts: SelectQueryBuilder<DB, never, { id: number }>[]): OrderedIds[] =>
    backwards ? parts.toReversed() : parts;
  const from = <Table>(table: () => Table): Table =>
    gathered === undefined ? table() : (eb.selectFrom(sql<never>`${gathered}`.as('prospect')) as never);
  const byId = (condition: Expression<SqlBool>, idDirection: 'asc' | 'desc' = rising) =>
    from(searchedProspects)
      .select('prospect.id')
      .where('prospect.account_id', '=', accountId)
      .where(condition)
      .where((where) => among(where.ref('prospect.id')))
      .orderBy('prospect.id', idDirection);
  const without = (ids: ProspectIds) => byId(eb.not(holdsFor(ids)));

  switch (sort) {
    case undefined:
      return inTurn(byId(eb.lit(true)));

    case 'active': {
      const inactive = eb
        .selectFrom('active_prospect as own')
        .select('own.prospect_id as id')
        .where('own.account_id', '=', accountId)
        .where('own.sender_group_id', '=', senderGroupId)
        .where('own.active', '=', false)
        .where((where) => among(where.ref('own.prospect_id')))
        .orderBy('own.prospect_id', direction);
      const active = byId(eb.not(holdsFor(inactiveIds(scope))), direction);
      return order === 'asc' ? inTurn(inactive, active) : inTurn(active, inactive);
    }

    case 'remarks': {
      const remarked = eb
        .selectFrom('active_prospect as own')
        .select('own.prospect_id as id')
        .where('own.account_id', '=', accountId)
        .where('own.sender_group_id', '=', senderGroupId)
        .where('own.remarks', '<>', '')
        .where((where) => among(where.ref('own.prospect_id')))
        // As in active_prospect_remarks_idx; then only those that begin alike are sorted.
        .orderBy(sql`left(own.remarks, 100)`, direction)
        .orderBy(sql`own.remarks COLLATE "C"`, direction)
        .orderBy('own.prospect_id', direction);
      return inTurn(remarked, without(remarkedIds(scope)));
    }

    case 'sent_at': {
      const contacted = eb
        .selectFrom('contact_state as contact')
        .select('contact.prospect_id as id')
        .where('contact.account_id', '=', accountId)
        .where('contact.sender_group_id', '=', senderGroupId)
        .where((where) => among(where.ref('contact.prospect_id')))
        .orderBy('contact.last_sent_at', direction)
        .orderBy('contact.prospect_id', direction);
      return inTurn(contacted, without(contactedIds(scope)));
    }

    case 'send_at': {
      const reserved = eb
        .selectFrom(reservationTimes(scope, reservations).as('reserved'))
        .select('reserved.prospect_id as id')
        .where((where) => among(where.ref('reserved.prospect_id')))
        .orderBy('reserved.send_at', direction)
        .orderBy('reserved.prospect_id', direction);
      return inTurn(reserved, without(reservedIds(scope)));
    }

    default: {
      const column = sort === 'company_email' ? 'prospect.email_search' : (`prospect.${sort}` as const);
      const isNumber = NUMBERS.includes(sort);
      const key = isNumber ? sql.ref(column) : sql`${sql.ref(column)} COLLATE "C"`;
      const own = from(() => eb.selectFrom('prospect'))
        .select('prospect.id')
        .where('prospect.account_id', '=', accountId)
        .where((where) => among(where.ref('prospect.id')));
      const filled = own
        // Not <> '': a walk down the index would begin with all that have none.
        .where((where) => (isNumber ? where(column, 'is not', null) : where(key, '>', '')))
        .orderBy(key, direction)
        .orderBy('prospect.id', direction);
      const blank = own
        .where((where) =>
          isNumber ? where(column, 'is', null) : where.or([where(column, 'is', null), where(column, '=', '')]),
        )
        .orderBy('prospect.id', rising);
      return inTurn(filled, blank);
    }
  }
}
