import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectColumn, ProspectSort } from '#contract/prospect.ts';
import type { Db } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { hasRemarks, isInactive, isReserved, wasContacted } from './group-state.queries.ts';
import { searchedProspects } from './prospect-filter.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/**
 * Ids of a page of the sorted list. A sorted list is two parts one after the other, the rows with a value and the blanks: so
 * each part is read in the order of an index (there is none with blanks last in both directions), the first page of a million
 * rows costs a millisecond, and the rows are joined for one page only.
 */

interface Part {
  ids(offset: number, limit: number): Promise<number[]>;
  count(): Promise<number>;
}

type Ids<Tables extends keyof DB> = SelectQueryBuilder<DB, Tables, { id: number }>;

/** @param start the same of the list's first rows alone, to be tried first */
function part<Tables extends keyof DB>(query: Ids<Tables>, start?: Ids<Tables>): Part {
  const read = async (from: Ids<Tables>, offset: number, limit: number) =>
    (await from.limit(limit).offset(offset).execute()).map(({ id }) => id);
  return {
    ids: async (offset, limit) => {
      const found = start ? await read(start, offset, limit) : [];
      return found.length === limit ? found : read(query, offset, limit);
    },
    count: async () => {
      const counted = query.clearSelect().clearOrderBy();
      const { count } = await counted.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
      return count;
    },
  };
}

const eb = expressionBuilder<DB, 'prospect'>();

type JoinedColumn = 'active' | 'remarks' | 'sent_at' | 'send_at';
type OwnColumn = Exclude<ProspectColumn, JoinedColumn>;

const NUMBERS: readonly OwnColumn[] = [
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
];

/** So many rows are read by an index in the hope of a page: where few (findFew) match of a million, 50 are among them. */
const START_ROWS = 25_000;

type Prospects<Row> = SelectQueryBuilder<DB, 'prospect', Row>;

interface PartsOf {
  readonly db: Db;
  readonly scope: GroupScope;
  readonly where: Expression<SqlBool>;
  /** Whether the condition holds for many. */
  readonly many: boolean;
}

function parts({ db, scope, where, many }: PartsOf, { sort, order = 'asc' }: ProspectSort): Part[] {
  const { accountId, senderGroupId } = scope;
  const all = db.selectFrom('prospect').select('prospect.id').where(where);
  /**
   * Where many match, the first pages are mostly among the first rows of the index; where filter and order go against each other
   * (big companies by rising sales), the matches are found in the narrow table and sorted. The planner can do neither by
   * itself: behind row level security it may not look LIKE and && up in its statistics, guesses some ten matches and reads
   * the wide table in the order of whatever index. LIMIT and OFFSET keep it from mixing the two levels.
   */
  const inOrder = (from: Prospects<unknown>, condition: Expression<SqlBool>, sorted: typeof byOwnId): Part => {
    const own = from.where('prospect.account_id', '=', accountId).where(condition);
    if (!many) return part(sorted(own.where(where).select('prospect.id')));
    const found = searchedProspects(db).select('prospect.id').where(where).offset(sql.lit(0)).as('found');
    const row = own.whereRef('prospect.id', '=', sql.ref('found.id')).selectAll('prospect').limit(1).as('prospect');
    const rows = db.selectFrom(found).innerJoinLateral(row, (join) => join.onTrue());
    const first = sorted(own.selectAll('prospect')).limit(START_ROWS).as('prospect');
    const matchesOf = (from: unknown) => sorted((from as Prospects<unknown>).select('prospect.id'));
    return part(matchesOf(rows), matchesOf(db.selectFrom(first)).where(where));
  };
  const byOwnId = <Row>(query: Prospects<Row>): Prospects<Row> => query.orderBy('prospect.id');
  const byId = (condition: Expression<SqlBool>) => inOrder(db.selectFrom('prospect'), condition, byOwnId);

  switch (sort) {
    case undefined:
      return [inOrder(searchedProspects(db) as unknown as Prospects<unknown>, eb.lit(true), byOwnId)];

    case 'active': {
      const inactive = byId(isInactive(scope));
      const active = byId(eb.not(isInactive(scope)));
      return order === 'asc' ? [inactive, active] : [active, inactive];
    }

    case 'remarks': {
      const withRemarks = all
        .innerJoin('active_prospect', (join) =>
          join
            .onRef('active_prospect.prospect_id', '=', 'prospect.id')
            .on('active_prospect.account_id', '=', accountId)
            .on('active_prospect.sender_group_id', '=', senderGroupId)
            .on('active_prospect.remarks', '<>', ''),
        )
        .orderBy(sql`active_prospect.remarks COLLATE "C"`, order)
        .orderBy('prospect.id');
      return [part(withRemarks), byId(eb.not(hasRemarks(scope)))];
    }

    case 'sent_at': {
      const contacted = all
        .innerJoin('contact_state', (join) =>
          join
            .onRef('contact_state.prospect_id', '=', 'prospect.id')
            .on('contact_state.account_id', '=', accountId)
            .on('contact_state.sender_group_id', '=', senderGroupId),
        )
        .orderBy('contact_state.last_sent_at', order)
        .orderBy('contact_state.prospect_id');
      return [part(contacted), byId(eb.not(wasContacted(scope)))];
    }

    case 'send_at': {
      const reserved = all
        .innerJoin('reservation_target as target', (join) =>
          join
            .onRef('target.prospect_id', '=', 'prospect.id')
            .on('target.account_id', '=', accountId)
            .on('target.sender_group_id', '=', senderGroupId)
            .on((on) => on.and([on.ref('target.pending'), on.not('target.test_send_mode')])),
        )
        .innerJoin('reservation', (join) =>
          join.onRef('reservation.id', '=', 'target.reservation_id').on('reservation.account_id', '=', accountId),
        )
        .orderBy('reservation.send_at', order)
        .orderBy('prospect.id');
      // The select list names only prospect.id, so the alias may be forgotten.
      return [part(reserved as never), byId(eb.not(isReserved(scope)))];
    }

    default: {
      const column = `prospect.${sort}` as const;
      const isNumber = NUMBERS.includes(sort);
      const filled = isNumber ? eb(column, 'is not', null) : eb(column, '<>', '');
      const key = isNumber ? sql.ref(column) : sql`${sql.ref(column)} COLLATE "C"`;
      const blank = isNumber ? eb(column, 'is', null) : eb.or([eb(column, 'is', null), eb(column, '=', '')]);
      const byKey = <Row>(query: Prospects<Row>) => query.orderBy(key, order).orderBy('prospect.id');
      return [inOrder(db.selectFrom('prospect'), filled, byKey), byId(blank)];
    }
  }
}

/**
 * @param where which prospects the list holds; it must hold the account's scope (prospectCondition)
 * @param page `many`: whether the condition is known to hold for many (findFew), so that a page may be near the start
 * @returns at most `limit` ids, from the `offset`-th on, in the order asked for: blanks last both ways, ties by id
 */
export async function sortedProspectIds(
  db: Db,
  scope: GroupScope,
  where: Expression<SqlBool>,
  sort: ProspectSort,
  { offset, limit, many = false }: { offset: number; limit: number; many?: boolean },
): Promise<number[]> {
  const ids: number[] = [];
  let skip = offset;
  const list = parts({ db, scope, where, many }, sort);
  for (const [index, { ids: read, count }] of list.entries()) {
    const found = await read(skip, limit - ids.length);
    ids.push(...found);
    if (ids.length === limit || index === list.length - 1) break;
    // Nothing found beyond an offset: how much of it was this part's share takes counting.
    skip = found.length > 0 || skip === 0 ? 0 : skip - (await count());
  }
  return ids;
}
