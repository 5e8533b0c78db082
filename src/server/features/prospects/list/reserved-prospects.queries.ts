import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { isInByFetch } from './membership.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/**
 * Selects the targets of one pending reservation, or of all pending ones of a sender. Unlike the sending status,
 * includes tests.
 */

export interface ReservationFilter {
  readonly senderId?: number | undefined;
  readonly reservationId?: number | undefined;
}

const eb = expressionBuilder<DB, never>();

type ReservationTimes = SelectQueryBuilder<DB, never, { prospect_id: number; send_at: Date }>;
const TIMES = ['target.prospect_id', 'reservation.send_at'] as const;

export const hasReservationFilter = ({ senderId, reservationId }: ReservationFilter): boolean =>
  senderId !== undefined || reservationId !== undefined;

const targets = ({ accountId, senderGroupId }: GroupScope, { senderId, reservationId }: ReservationFilter) =>
  eb
    .selectFrom('reservation_target as target')
    .innerJoin('reservation', (join) =>
      join
        .onRef('reservation.account_id', '=', 'target.account_id')
        .onRef('reservation.id', '=', 'target.reservation_id'),
    )
    .where('target.account_id', '=', accountId)
    .where('target.sender_group_id', '=', senderGroupId)
    // As literals, so that the planner can use the partial index of pending reservations, which are few.
    // (target.pending selects the same rows without that index.)
    .where((where) => where.and([where.ref('reservation.active'), where.not('reservation.is_sent')]))
    // The API allows any safe integer, but the column has 32 bits.
    .$if(senderId !== undefined, (query) => query.where('reservation.sender_id', '=', sql<number>`${senderId}::bigint`))
    .$if(reservationId !== undefined, (query) => query.where('reservation.id', '=', reservationId as number));

/** Each target once, with the reservation that its row shows: real ones before tests, then the earliest. */
const firstReservations = (scope: GroupScope, filter: ReservationFilter) =>
  targets(scope, filter)
    .distinctOn('target.prospect_id')
    .select(['target.prospect_id', 'reservation.id as reservation_id', 'reservation.send_at'])
    .orderBy('target.prospect_id')
    .orderBy('target.test_send_mode')
    .orderBy('reservation.send_at')
    .orderBy('reservation.id');

/** The condition that a row of `prospect` is a target of these reservations. */
export const isInReservations = (scope: GroupScope, filter: ReservationFilter): Expression<SqlBool> =>
  isInByFetch(targets(scope, filter).select('target.prospect_id'));

/**
 * When each target is to be mailed, by the reservations of the filter.
 * Without a filter, by the target's only pending real reservation in the group.
 */
export function reservationTimes(scope: GroupScope, filter: ReservationFilter = {}): ReservationTimes {
  if (hasReservationFilter(filter)) return firstReservations(scope, filter).clearSelect().select(TIMES);
  return targets(scope, {})
    .where((where) => where.not('target.test_send_mode'))
    .select(TIMES);
}

/** Replaces each view's reservation by the one that the filter selects. */
export async function withReservations(
  db: Db,
  scope: GroupScope,
  filter: ReservationFilter,
  views: readonly ProspectView[],
): Promise<ProspectView[]> {
  const ids = views.map(({ id }) => id);
  const ofPage = firstReservations(scope, filter).where('target.prospect_id', '=', sql<number>`any(${ids}::bigint[])`);
  const rows = await db.selectFrom(ofPage.as('reserved')).selectAll().execute();
  const shown = new Map(rows.map((row) => [row.prospect_id, row]));
  return views.flatMap((view) => {
    const reservation = shown.get(view.id);
    // The reservation ended between the two queries.
    if (reservation === undefined) return [];
    const { reservation_id, send_at } = reservation;
    return [{ ...view, reservation_id, send_at: formatMinute(send_at.getTime()) }];
  });
}
