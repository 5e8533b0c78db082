import { queryOptions } from '@tanstack/react-query';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type AnswerOf, type ApiResult, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/api/query-keys.ts';
import { bodyOfOrder } from '#web/lib/data/mail-order.ts';
import { acknowledgedAs, listConditionsAs, type SendOrder } from './send-mail.ts';

export type ReserveAnswer = AnswerOf<'reserve'>;

export interface Reservation extends SendOrder {
  readonly sendAt: number;
}
export const isReservation = (order: SendOrder): order is Reservation => order.sendAt !== null;

/**
 * Posts a reservation. A retry after a lost answer finds its targets reserved, and adds nothing.
 *
 * @param warnings that the user has ticked
 */
export function postReservation(
  order: Reservation,
  warnings: readonly Acknowledgement[],
): Promise<ApiResult<ReserveAnswer>> {
  const { test_send_mode, attack_list, datetime_list, ...rest } = bodyOfOrder(order);
  const update = { attack_list, datetime_list, active: 1 as const };
  const key = { sender_id: order.senderId, send_at: formatSecond(order.sendAt), test_send_mode };
  const body = {
    add_info: { ...key, ...update },
    duplicate_key_update_info: update,
    ...rest,
    ...listConditionsAs(order),
    ...acknowledgedAs(warnings),
  };
  return call('reserve', { body });
}

/** Whether a reservation exists that the order would be added to. */
export function hasReservation(order: SendOrder) {
  const where_info = {
    sender_id: order.senderId,
    send_at: formatSecond(order.sendAt ?? 0),
    is_sent: 0 as const,
    test_send_mode: bodyOfOrder(order).test_send_mode,
    active: 1 as const,
  };
  return queryOptions({
    queryKey: [RESERVATION_LIST, 'same', where_info],
    queryFn: async ({ signal }): Promise<boolean> => {
      const query = { where_info, columns: ['id' as const], limit: 1 };
      const found = await call('listReservations', { query }, { signal });
      return unwrap(found).length > 0;
    },
    enabled: isReservation(order),
    staleTime: 0,
    meta: { quiet: true },
  });
}
