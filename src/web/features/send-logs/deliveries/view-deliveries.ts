import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { DeliveryRow } from '#contract/sending/send-logs.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { DELIVERIES } from '#web/lib/api/query-keys.ts';

export type State = DeliveryRow['state'];

/** One mail with its content. */
export type Mail = AnswerOf<'getDelivery'>;

export interface DeliveryQuery {
  /** undefined: all states. */
  readonly state: State | undefined;
  /** undefined: any company. */
  readonly search: string | undefined;
  readonly pagenate_num: number;
  readonly pagenate_count: number;
}

/** Fetches one page of a run's mails, failed ones first: they ask for an act. */
export const deliveryList = (sendLogId: number, query: DeliveryQuery) =>
  queryOptions({
    queryKey: [DELIVERIES, sendLogId, query],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<AnswerOf<'viewDeliveries'>> => {
      const params = { id: String(sendLogId) };
      return unwrap(await call('viewDeliveries', { params, query: { ...query, order: 'failed_first' } }, { signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Fetches one mail with its content. */
export const deliveryMail = (id: number) =>
  queryOptions({
    queryKey: [DELIVERIES, 'mail', id],
    queryFn: async ({ signal }): Promise<Mail> =>
      unwrap(await call('getDelivery', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
  });
