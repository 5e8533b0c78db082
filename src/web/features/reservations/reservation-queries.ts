import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';

/* Queries of reservations: a page, one with its history, its companies. Not cached, because times pass. */

export type ReservationPage = AnswerOf<'viewReservations'>;
export type ReservationRow = ReservationPage['rows'][number];
export type ReservationDetail = AnswerOf<'getReservation'>;

const OPEN_STATES: readonly ReservationRow['state'][] = ['pending', 'held', 'missed', 'refused'];
/** Whether a reservation in this state can still be changed, deleted and sent. */
export const isOpenState = (state: ReservationRow['state']): boolean => OPEN_STATES.includes(state);

export type PageQuery = InputOf<'viewReservations'>['query'];
type TargetQuery = InputOf<'viewReservationTargets'>['query'];

export const reservationPage = (query: PageQuery) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'page', query],
    queryFn: async ({ signal }) => unwrap(await call('viewReservations', { query }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

export type CalendarDay = AnswerOf<'viewReservationCalendar'>['days'][number];
export type CalendarItem = CalendarDay['items'][number];

export const reservationCalendar = (query: InputOf<'viewReservationCalendar'>['query']) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'calendar', query],
    queryFn: async ({ signal }) => unwrap(await call('viewReservationCalendar', { query }, { signal })),
    // Data of another group must not appear as those of this one.
    placeholderData: (before, of) => {
      const [, , last] = of?.queryKey ?? [];
      const isSame = typeof last === 'object' && last.sender_group_id === query.sender_group_id;
      return isSame ? before : undefined;
    },
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

export const reservationDetail = (id: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'one', id],
    queryFn: async ({ signal }) => unwrap(await call('getReservation', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

export const reservationTargets = (id: number, query: TargetQuery) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'targets', id, query],
    queryFn: async ({ signal }) =>
      unwrap(await call('viewReservationTargets', { params: { id: String(id) }, query }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

export type Change = NonNullable<InputOf<'updateReservation'>['body']>;

/** Changes a reservation. @throws ApiError */
export const changeReservation = async (id: number, body: Change): Promise<AnswerOf<'updateReservation'>> =>
  unwrap(await call('updateReservation', { params: { id: String(id) }, body }));

/** Releases a reservation that is held since a restore: it is then sent at its own time. */
export const letReservationGo = ({ id, version, send_at }: ReservationDetail) =>
  call('updateReservation', { params: { id: String(id) }, body: { version, update_info: { send_at } } });

/** Sends this version of a reservation before its time. @param acknowledged the ticked warnings */
export const sendReservationNow = (
  { id, version }: Pick<ReservationRow, 'id' | 'version'>,
  acknowledged: NonNullable<InputOf<'sendReservationNow'>['body']>['acknowledged'],
) => call('sendReservationNow', { params: { id: String(id) }, body: { version, acknowledged } });

/** Reloads what shows reservations: the lists, and the open one before the form continues. */
export async function reloadReservation(client: QueryClient, id: number): Promise<void> {
  await client.invalidateQueries({ queryKey: [RESERVATION_LIST, 'one', id] });
  reloadLists(client);
}
