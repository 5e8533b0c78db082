import { expressionBuilder, sql } from 'kysely';
import type { ProspectView } from '#contract/companies/prospects.ts';
import type { OwnCells, ProspectSort } from '#contract/companies/prospects-filter.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';
import { preparedQuery } from '../../platform/database/driver/prepared-query.ts';
import { type List, readList } from './list/list.queries.ts';
import type { Access } from './list/membership.queries.ts';
import { type OwnColumns, withOwnCells } from './list/own-columns.queries.ts';
import type { CheckedFilter } from './list/own-condition.queries.ts';
import {
  archivedRows,
  archivedTable,
  filterCondition,
  isEmptyFilter,
  type SearchQuery,
  searchTable,
} from './list/prospect-filter.queries.ts';
import {
  hasReservationFilter,
  isInReservations,
  type ReservationFilter,
  withReservations,
} from './list/reserved-prospects.queries.ts';
import type { GroupScope } from './list/sender-group.queries.ts';
import { hasStatus, type SendingStatus } from './list/sending-status.queries.ts';

/** Selects all prospects, or those that pass the conditions. */
export interface ProspectCondition {
  readonly filter: CheckedFilter;
  readonly status?: SendingStatus | 'archived' | undefined;
  readonly reservations?: ReservationFilter | undefined;
}

export interface ProspectPage extends ProspectCondition {
  /** The own columns that the rows carry. */
  readonly columns?: OwnColumns;
  readonly sort: ProspectSort;
  readonly offset: number;
  readonly limit: number;
}

interface ProspectList {
  readonly rows: (ProspectView & OwnCells)[];
  readonly total: number;
}

const eb = expressionBuilder<DB, 'prospect'>();

/**
 * Reads a page of the list for a sender group, and the list's length. Both are empty for a group of another account.
 */
export function viewProspects(
  account: AccountDb,
  senderGroupId: number,
  { filter, status, reservations = {}, columns, sort, offset, limit }: ProspectPage,
): Promise<ProspectList> {
  const scope = { accountId: account.id, senderGroupId };
  const page = { sort, offset, limit, reservations };
  const list = prospectList(scope, { filter, status, reservations });
  const isReserved = hasReservationFilter(reservations);
  return account.snapshot(async (tx) => {
    const { ids, total } = await readList(tx, scope, list, page);
    const views = await readViews(tx, scope, ids);
    const rows = isReserved ? await withReservations(tx, scope, reservations, views) : views;
    return { rows: await withOwnCells(tx, account.id, columns, rows, ({ id }) => id), total };
  });
}

/** Selects the prospects that meet a condition, under the name `prospect`. */
function matching(
  scope: GroupScope,
  { filter, status, reservations = {} }: ProspectCondition,
  access: Access = 'scan',
): SearchQuery {
  const passes = (prospects: SearchQuery) =>
    prospects
      .where(filterCondition(scope.accountId, filter, access))
      .where(hasReservationFilter(reservations) ? isInReservations(scope, reservations) : eb.lit(true));
  if (status === 'archived') return passes(archivedTable(scope.accountId));
  return passes(searchTable()).where((where) => hasStatus(scope, status, where.ref('prospect.id')));
}

/** Finds the ids of all prospects that meet a condition. */
export async function findMatching(tx: Tx, scope: GroupScope, condition: ProspectCondition): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    SELECT to_json(array(${matching(scope, condition).select('prospect.id').orderBy('prospect.id')})) AS ids`.execute(
    tx,
  );
  return rows[0]?.ids ?? [];
}

/** Defines the list of the prospects that pass a condition. */
export function prospectList(scope: GroupScope, condition: ProspectCondition): List<never> {
  const { filter, status, reservations = {} } = condition;
  const define = (access: Access) => ({ prospects: matching(scope, condition, access) });
  if (status === 'archived') {
    const rows = archivedRows(scope.accountId);
    return { kind: 'filtered', define: (access) => ({ ...define(access), rows }) };
  }
  if (isEmptyFilter(filter) && !hasReservationFilter(reservations)) return { kind: 'unfiltered', status };
  return { kind: 'filtered', define };
}

/** Counts the prospects that pass a condition; 0 for a group of another account. */
export async function countProspects(tx: Tx, scope: GroupScope, condition: ProspectCondition): Promise<number> {
  const { total } = await readList(tx, scope, prospectList(scope, condition), { sort: {}, offset: 0, limit: 1 });
  return total;
}

type ViewRow = Omit<ProspectView, 'sent_at' | 'send_at' | 'remarks_version'> & {
  sent_at: Date | null;
  send_at: Date | null;
};
const minuteOf = (at: Date | null) => at && formatMinute(at.getTime());

/** The status of a company for a group, from the columns of `statusJoins`. The first applicable one is shown. */
const STATUS = `CASE WHEN prospect.archived_at IS NOT NULL THEN 'archived'
      WHEN suppressed.is_true THEN
        CASE WHEN latest.state = 'failed' AND NOT suppressed.is_refused THEN 'undeliverable' ELSE 'suppressed' END
      WHEN EXISTS (
        SELECT FROM reply WHERE reply.account_id = $1 AND reply.prospect_id = prospect.id
          AND reply.kind <> 'auto_reply' AND reply.handled_at IS NULL) THEN 'replied'
      WHEN latest.state IN ('queued', 'claimed', 'sending', 'unknown') THEN 'in_progress'
      WHEN reservation.id IS NOT NULL THEN 'reserved'
      WHEN latest.state = 'failed' THEN 'undeliverable'
      WHEN contact.last_sent_at IS NOT NULL THEN 'sent'
      ELSE 'unsent' END`;

/** @param group the sender group as SQL */
const statusJoins = (group: '$2' | 'page.sender_group_id') => `LEFT JOIN contact_state AS contact
    ON contact.account_id = $1 AND contact.sender_group_id = ${group} AND contact.prospect_id = prospect.id
  LEFT JOIN reservation_target AS target
    ON target.account_id = $1 AND target.sender_group_id = ${group} AND target.prospect_id = prospect.id
      AND target.pending AND NOT target.test_send_mode
  LEFT JOIN reservation ON reservation.account_id = $1 AND reservation.id = target.reservation_id
  -- The last mail that was not cancelled. An array and no LIMIT: the planner would read the newest mails of all.
  LEFT JOIN LATERAL (
    SELECT (array_agg(delivery.state ORDER BY delivery.id DESC))[1] AS state FROM delivery
    WHERE delivery.account_id = $1 AND delivery.prospect_id = prospect.id AND delivery.sender_group_id = ${group}
      AND NOT delivery.test_send_mode AND delivery.state <> 'cancelled'
      AND (delivery.state <> 'failed' OR delivery.address_key = prospect.email_search COLLATE "C")
  ) AS latest ON true
  CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS is_true, coalesce(bool_or(suppression.class = 'refused'), false) AS is_refused
    FROM suppression
    WHERE suppression.account_id = $1 AND (suppression.kind = 'address' AND suppression.value = prospect.email_search
      OR suppression.kind = 'domain' AND suppression.value = prospect.email_domain)
  ) AS suppressed`;

const viewsOf = preparedQuery<ViewRow>(
  'prospect_views',
  `SELECT prospect.id, prospect.company_name, prospect.company_email, prospect.ceo, prospect.major_industry_type,
    prospect.included_industry_type, prospect.address, prospect.number_of_employees, prospect.amount_of_sales,
    prospect.ordinary_profit, prospect.capital, prospect.year_of_establishment,
    prospect.company_url, prospect.contact_url, prospect.phone, prospect.published_at_url, prospect.published_seen_on,
    prospect.publication_notice,
    CASE WHEN own.active = false THEN 0 ELSE 1 END AS active, coalesce(own.remarks, '') AS remarks,
    contact.last_sent_at AS sent_at, reservation.send_at, reservation.id AS reservation_id,
    ${STATUS} AS status
  FROM unnest($3::bigint[]) WITH ORDINALITY AS page (id, place)
  JOIN prospect ON prospect.account_id = $1 AND prospect.id = page.id
  LEFT JOIN active_prospect AS own
    ON own.account_id = $1 AND own.sender_group_id = $2 AND own.prospect_id = prospect.id
  ${statusJoins('$2')}
  ORDER BY page.place`,
);

/** Reads the views of these prospects in the order of the ids. Prospects deleted meanwhile are missing. */
export async function readViews(
  db: Db,
  { accountId, senderGroupId }: GroupScope,
  ids: readonly number[],
): Promise<ProspectView[]> {
  if (ids.length === 0) return [];
  const rows = await viewsOf(db, accountId, senderGroupId, ids);
  return rows.map((row) =>
    Object.assign(row, {
      remarks_version: contentVersion(row.remarks),
      sent_at: minuteOf(row.sent_at),
      send_at: minuteOf(row.send_at),
    }),
  );
}

type StateRow = Pick<ViewRow, 'status' | 'sent_at' | 'send_at' | 'reservation_id'> & { sender_group_id: number };

const statesOf = preparedQuery<StateRow>(
  'company_states',
  `SELECT page.sender_group_id, contact.last_sent_at AS sent_at, reservation.send_at, reservation.id AS reservation_id,
    ${STATUS} AS status
  FROM (SELECT id AS sender_group_id FROM sender_group WHERE account_id = $1 AND active) AS page
  JOIN prospect ON prospect.account_id = $1 AND prospect.id = $2
  ${statusJoins('page.sender_group_id')}`,
);

/** Reads a company's status for each active group, as in the lists. */
export async function readStates(db: Db, accountId: number, prospectId: number) {
  const rows = await statesOf(db, accountId, prospectId);
  return new Map(
    rows.map(({ sender_group_id, sent_at, send_at, ...state }) => [
      sender_group_id,
      { ...state, sent_at: minuteOf(sent_at), send_at: minuteOf(send_at) },
    ]),
  );
}
