import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { viewProspects } from '#contract/prospect.ts';
import { callApi } from '#web/lib/api-client.ts';
import { FRESH_MS, unwrap } from '#web/lib/query-client.ts';
import { PROSPECT_LIST } from '#web/lib/query-keys.ts';

export type ProspectQuery = CallInput<typeof viewProspects>['query'];
export type ProspectPage = CallAnswer<typeof viewProspects>;

/** One page of the list. Until another page of the same group is there, the one before stays on screen. */
export const prospectList = (query: ProspectQuery) =>
  queryOptions({
    queryKey: [PROSPECT_LIST, query] as const,
    queryFn: async ({ signal }): Promise<ProspectPage> =>
      unwrap(await callApi<typeof viewProspects>('GET', '/prospect/view', { query }, { signal })),
    // Whoever has just filled an empty list comes back to see it.
    staleTime: ({ state }) => (state.data?.total === 0 ? 0 : FRESH_MS),
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[1].sender_group_id === query.sender_group_id ? before : undefined,
  });
