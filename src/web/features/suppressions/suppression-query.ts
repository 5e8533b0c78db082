import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { liftSuppression, SuppressionRow, viewSuppressions } from '#contract/suppressions.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { COMPANY, DELIVERIES } from '#web/lib/query-keys.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';

export type Suppression = SuppressionRow;
export type SuppressionPage = CallAnswer<typeof viewSuppressions>;
type SuppressionQuery = CallInput<typeof viewSuppressions>['query'];
/** What the list is narrowed to. */
export type SuppressionFilter = Pick<SuppressionQuery, 'search' | 'class' | 'source'>;
export type LiftInfo = CallInput<typeof liftSuppression>['body']['update_info'];

const SUPPRESSIONS = 'suppressions';

/** One page of the list, the newest first. */
export const suppressionPage = (query: SuppressionQuery) =>
  queryOptions({
    queryKey: [SUPPRESSIONS, query],
    queryFn: async ({ signal }): Promise<SuppressionPage> =>
      unwrap(await callApi<typeof viewSuppressions>('GET', '/suppression/view', { query }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const putLift = (id: number, update_info: LiftInfo) =>
  callApi<typeof liftSuppression>('PUT', '/suppression/:id', { params: { id: String(id) }, body: { update_info } });

/** Reloads all that shows who gets no mail. */
export function reloadSuppressions(client: QueryClient): void {
  for (const name of [SUPPRESSIONS, COMPANY, DELIVERIES]) void client.invalidateQueries({ queryKey: [name] });
  reloadLists(client);
}
