import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { listReservations } from '#contract/reservation.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/query-keys.ts';

export interface Reservation {
  readonly id: number;
  /** `YYYY/MM/DD HH:mm` in Tokyo, wherever the browser stands. */
  readonly label: string;
  readonly isTest: boolean;
  /** Its time went by so long ago that it will not be sent any more. */
  readonly isMissed: boolean;
  /** Why it could not be sent at its time, where that was tried; null: it was not, or its time is still to come. */
  readonly reason: string | null;
}

/** The specification labels a reservation by the first 16 characters of send_at. */
const LABEL_LENGTH = 16;
/** As many as the server answers at once. */
const PAGE_SIZE: typeof import('#contract/list-call.ts').MAX_LIST_ROWS_WITH_ATTACK_LIST = 200;

const COLUMNS = ['id', 'send_at', 'test_send_mode', 'is_missed', 'refused_reason'] as const;
type Row = CallAnswer<typeof listReservations>[number];

/**
 * Not only those whose time is still to come, as the specification asks: one whose time went by unsent holds its companies until
 * it is deleted.
 */
async function fetchPage(senderId: number, from: string | undefined, signal: AbortSignal): Promise<Row[]> {
  const pending = { sender_id: senderId, is_sent: 0, active: 1 } as const;
  const query = {
    where_info: from === undefined ? pending : { ...pending, send_at: { gte: from } },
    columns: [...COLUMNS],
    limit: PAGE_SIZE,
  };
  return unwrap(await callApi<typeof listReservations>('GET', '/reservation/list', { query }, { signal }));
}

/** All of them, by time. A page begins with the time of the last one before: a test may share it. */
async function fetchReservations(senderId: number, signal: AbortSignal): Promise<Reservation[]> {
  const found = new Map<number, Reservation>();
  for (let from: string | undefined; ; ) {
    const page = await fetchPage(senderId, from, signal);
    for (const { id, send_at, test_send_mode, is_missed, refused_reason: reason = null } of page) {
      if (id === undefined || send_at === undefined) continue;
      const label = send_at.slice(0, LABEL_LENGTH);
      found.set(id, { id, label, isTest: test_send_mode === 1, isMissed: is_missed === 1, reason });
    }
    const last = page.at(-1)?.send_at;
    if (page.length < PAGE_SIZE || last === from) return [...found.values()];
    from = last;
  }
}

/** The pending reservations of a template, asked for anew whenever they are looked at: their time comes. */
export const reservationList = (senderId: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, senderId],
    queryFn: ({ signal }) => fetchReservations(senderId, signal),
    staleTime: 0,
  });

async function fetchSize(id: number, signal: AbortSignal): Promise<number> {
  const query = { where_info: { id }, columns: ['attack_list' as const] };
  const answer = await callApi<typeof listReservations>('GET', '/reservation/list', { query }, { signal });
  return unwrap(answer)[0]?.attack_list?.length ?? 0;
}

/** How many companies a reservation holds, whatever the filters of the screen say. */
export const reservationSize = (id: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'size', id],
    queryFn: ({ signal }) => fetchSize(id, signal),
    staleTime: 0,
  });
