import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/api/query-keys.ts';
import { specifiedTime } from '#web/lib/screen-time.ts';

export interface Reservation {
  readonly id: number;
  /** Its time as the specification has it, `YYYY/MM/DD HH:mm`. */
  readonly label: string;
  readonly isTest: boolean;
  /** Whether its time has passed by too much to be sent. */
  readonly isMissed: boolean;
  /** Whether it was open in a restored backup, and needs a member's decision. */
  readonly isHeld: boolean;
  /** Why the server could not send it at its time; null: the server has not tried. */
  readonly reason: string | null;
  /** The number of its companies that get no mail, because their addresses are suppressed. */
  readonly suppressed: number;
  /** The number of further companies that wait, because it is unclear whether their reply is an opt-out. */
  readonly maybeRefused: number;
  /** The number of further companies that get no mail, because they have replied. */
  readonly replied: number;
}

/** The server's maximum. */
const PAGE_SIZE: typeof import('#contract/list.ts').MAX_LIST_ROWS_WITH_ATTACK_LIST = 200;

const COLUMNS = [
  'id',
  'send_at',
  'test_send_mode',
  'is_missed',
  'is_held',
  'refused_reason',
  'suppressed',
  'maybe_refused',
  'replied',
] as const;
type Row = AnswerOf<'listReservations'>[number];

/**
 * Fetches a page of pending reservations, including missed ones.
 * The specification asks for future ones only, but a missed one blocks its companies until it is deleted.
 */
async function fetchPage(senderId: number, from: string | undefined, signal: AbortSignal): Promise<Row[]> {
  const pending = { sender_id: senderId, is_sent: 0, active: 1 } as const;
  const query = {
    where_info: from === undefined ? pending : { ...pending, send_at: { gte: from } },
    columns: [...COLUMNS],
    limit: PAGE_SIZE,
  };
  return unwrap(await call('listReservations', { query }, { signal }));
}

/** Fetches all reservations by time. A page starts at the last time of the previous one, which a test may share. */
async function fetchReservations(senderId: number, signal: AbortSignal): Promise<Reservation[]> {
  const found = new Map<number, Reservation>();
  for (let from: string | undefined; ; ) {
    const page = await fetchPage(senderId, from, signal);
    for (const row of page) {
      const {
        id,
        send_at,
        refused_reason: reason = null,
        suppressed = 0,
        maybe_refused: maybeRefused = 0,
        replied = 0,
      } = row;
      if (id === undefined || send_at === undefined) continue;
      const label = specifiedTime(send_at);
      const state = {
        isTest: row.test_send_mode === 1,
        isMissed: row.is_missed === 1,
        isHeld: row.is_held === 1,
        reason,
      };
      found.set(id, { id, label, ...state, suppressed, maybeRefused, replied });
    }
    const last = page.at(-1)?.send_at;
    if (page.length < PAGE_SIZE || last === from) return [...found.values()];
    from = last;
  }
}

/** Fetches the pending reservations of a sender. Never served from the cache, because their times pass. */
export const reservationList = (senderId: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, senderId],
    queryFn: ({ signal }) => fetchReservations(senderId, signal),
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

async function fetchSize(id: number, signal: AbortSignal): Promise<number> {
  const query = { where_info: { id }, columns: ['attack_list' as const], limit: 1 };
  const answer = await call('listReservations', { query }, { signal });
  return unwrap(answer)[0]?.attack_list?.length ?? 0;
}

/** Fetches the number of companies of a reservation, ignoring the filters of the screen. */
export const reservationSize = (id: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'size', id],
    queryFn: ({ signal }) => fetchSize(id, signal),
    staleTime: 0,
  });
