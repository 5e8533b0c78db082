import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { DeliveryRow, getDelivery, viewDeliveries } from '#contract/send-logs.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { DELIVERIES } from '#web/lib/query-keys.ts';

export type State = DeliveryRow['state'];

/** One mail with its content. */
export type Mail = CallAnswer<typeof getDelivery>;

export interface DeliveryQuery {
  /** undefined: all. */
  readonly state: State | undefined;
  /** undefined: any company. */
  readonly search: string | undefined;
  readonly pagenate_num: number;
  readonly pagenate_count: number;
}

/** One page of a run's mails. */
export const deliveryList = (sendLogId: number, query: DeliveryQuery) =>
  queryOptions({
    queryKey: [DELIVERIES, sendLogId, query],
    queryFn: async ({ signal }): Promise<CallAnswer<typeof viewDeliveries>> => {
      const params = { id: String(sendLogId) };
      return unwrap(
        await callApi<typeof viewDeliveries>('GET', '/send_log/:id/deliveries', { params, query }, { signal }),
      );
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** One mail with its content. */
export const deliveryMail = (id: number) =>
  queryOptions({
    queryKey: [DELIVERIES, 'mail', id],
    queryFn: async ({ signal }): Promise<Mail> =>
      unwrap(await callApi<typeof getDelivery>('GET', '/delivery/:id', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
  });
