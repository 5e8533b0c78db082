import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectFilter, ProspectSort, ProspectView } from '#contract/prospect.ts';
import { formatMinute } from '#domain/tokyo-time.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { type Db, prepared } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { contactedIds, holdsFor, isOneOf, isOneOfFew, reservedIds } from './group-state.queries.ts';
import { listFound, listKnown } from './listed-prospects.queries.ts';
import { countStatus, type SendingStatus } from './prospect-counts.queries.ts';
import { passesAll, prospectCondition } from './prospect-filter.queries.ts';
import {
  hasReservationFilter,
  isInReservations,
  type ReservationFilter,
  withReservations,
} from './reserved-prospects.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

export interface ProspectPage {
  readonly filter: ProspectFilter;
  readonly status?: SendingStatus | undefined;
  readonly reservations?: ReservationFilter | undefined;
  readonly sort: ProspectSort;
  readonly offset: number;
  readonly limit: number;
}

interface ProspectList {
  readonly rows: ProspectView[];
  readonly total: number;
}

const eb = expressionBuilder<DB, 'prospect'>();

/** sent and unsent part the list; reserved ones are in either. @param holds a way to ask for facts, see group-state.queries.ts */
function hasStatus(
  scope: GroupScope,
  status: SendingStatus | undefined,
  holds: typeof holdsFor,
  id: Expression<number>,
): Expression<SqlBool> {
  switch (status) {
    case 'unsent':
      return eb.not(holds(contactedIds(scope), id));
    case 'sent':
      return holds(contactedIds(scope), id);
    case 'reserved':
      return isOneOfFew(reservedIds(scope), id);
    case undefined:
      return eb.lit(true);
  }
}

/**
 * A page of the list as a group sees it, and how many prospects the filter lets through. Nothing for a group that is not the
 * account's.
 */
export function listProspects(
  account: AccountDb,
  senderGroupId: number,
  { filter, status, reservations = {}, sort, offset, limit }: ProspectPage,
): Promise<ProspectList> {
  const scope = { accountId: account.id, senderGroupId };
  const page = { sort, offset, limit, reservations };
  const isReserved = hasReservationFilter(reservations);
  const known = {
    among: (id: Expression<number>) => hasStatus(scope, status, holdsFor, id),
    total: countStatus(scope, status),
  };
  const where = eb.and([
    prospectCondition(scope.accountId, filter),
    hasStatus(scope, status, isOneOf, eb.ref('prospect.id')),
    isReserved ? isInReservations(scope, reservations) : eb.lit(true),
  ]);
  return account.transaction(async (tx) => {
    const { ids, total } =
      passesAll(filter) && !isReserved
        ? await listKnown(tx, scope, known, page)
        : await listFound(tx, scope, { where }, page);
    const views = await readViews(tx, scope, ids);
    return { rows: isReserved ? await withReservations(tx, scope, reservations, views) : views, total };
  });
}

/** The derived view of these prospects, in the order of the ids; one deleted meanwhile is missing. */
async function readViews(
  db: Db,
  { accountId, senderGroupId }: GroupScope,
  ids: readonly number[],
): Promise<ProspectView[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('prospect')
    .leftJoin('active_prospect as own', (join) =>
      join
        .onRef('own.prospect_id', '=', 'prospect.id')
        .on('own.account_id', '=', accountId)
        .on('own.sender_group_id', '=', senderGroupId),
    )
    .leftJoin('contact_state as contact', (join) =>
      join
        .onRef('contact.prospect_id', '=', 'prospect.id')
        .on('contact.account_id', '=', accountId)
        .on('contact.sender_group_id', '=', senderGroupId),
    )
    .leftJoin('reservation_target as target', (join) =>
      join
        .onRef('target.prospect_id', '=', 'prospect.id')
        .on('target.account_id', '=', accountId)
        .on('target.sender_group_id', '=', senderGroupId)
        .on((on) => on.and([on.ref('target.pending'), on.not('target.test_send_mode')])),
    )
    .leftJoin('reservation', (join) =>
      join.onRef('reservation.id', '=', 'target.reservation_id').on('reservation.account_id', '=', accountId),
    )
    .modifyFront(prepared('prospect_views'))
    .select([
      'prospect.id',
      'prospect.company_name',
      'prospect.company_email',
      'prospect.ceo',
      'prospect.major_industry_type',
      'prospect.included_industry_type',
      'prospect.address',
      'prospect.number_of_employees',
      'prospect.amount_of_sales',
      'prospect.ordinary_profit',
      'prospect.capital',
      'prospect.year_of_establishment',
      'prospect.company_url',
      'prospect.contact_url',
      'own.active',
      'own.remarks',
      'contact.last_sent_at',
      'reservation.send_at',
      'reservation.id as reservation_id',
    ])
    .where('prospect.account_id', '=', accountId)
    .where('prospect.id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();

  const views = new Map(
    rows.map(({ active, remarks, last_sent_at, send_at, ...row }) => [
      row.id,
      {
        ...row,
        active: active === false ? 0 : 1,
        remarks: remarks ?? '',
        sent_at: last_sent_at && formatMinute(last_sent_at.getTime()),
        send_at: send_at && formatMinute(send_at.getTime()),
      } satisfies ProspectView,
    ]),
  );
  return ids.flatMap((id) => views.get(id) ?? []);
}
