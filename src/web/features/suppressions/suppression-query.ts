import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { SuppressionRow } from '#contract/answers/suppressions.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY, DELIVERIES } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';

export type Suppression = SuppressionRow;
export type SuppressionPage = AnswerOf<'viewSuppressions'>;
type SuppressionQuery = InputOf<'viewSuppressions'>['query'];
export type LiftInfo = InputOf<'liftSuppression'>['body']['update_info'];

const SUPPRESSIONS = 'suppressions';

/** Fetches one page of the list, newest first. */
export const suppressionPage = (query: SuppressionQuery) =>
  queryOptions({
    queryKey: [SUPPRESSIONS, query],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<SuppressionPage> =>
      unwrap(await call('viewSuppressions', { query }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const putLift = (id: number, update_info: LiftInfo) =>
  call('liftSuppression', { params: { id: String(id) }, body: { update_info } });

/** Reloads all queries that show who gets no mail. */
export function reloadSuppressions(client: QueryClient): void {
  for (const name of [SUPPRESSIONS, COMPANY, DELIVERIES]) void client.invalidateQueries({ queryKey: [name] });
  reloadLists(client);
}
