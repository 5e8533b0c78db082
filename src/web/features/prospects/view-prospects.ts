import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { FRESH_MS, SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { PROSPECT_LIST } from '#web/lib/api/query-keys.ts';

export type ProspectQuery = InputOf<'viewProspects'>['query'];
export type ProspectPage = AnswerOf<'viewProspects'>;
export type ListedProspect = ProspectPage['rows'][number];

/** Fetches one page of the list. The previous page of the same group stays until it has loaded. */
export const prospectList = (query: ProspectQuery) =>
  queryOptions({
    queryKey: [PROSPECT_LIST, query] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<ProspectPage> => {
      const answer = await call('viewProspects', { query }, { signal });
      // A kept column may be unknown to a restored database: own-columns.tsx drops it beside the list.
      if (answer.ok || answer.status !== 400 || query.own_columns === undefined) return unwrap(answer);
      const { own_columns: _unknown, ...others } = query;
      return unwrap(await call('viewProspects', { query: others }, { signal }));
    },
    // An empty list is not cached: a user who has just imported companies returns to see them.
    staleTime: ({ state }) => (state.data?.total === 0 ? 0 : FRESH_MS),
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[1].sender_group_id === query.sender_group_id ? before : undefined,
  });

/** Returns a list's condition: filters and status, without group, page and order. */
export function conditionOf(query: ProspectQuery) {
  const {
    sender_group_id: _group,
    sender_id: _sender,
    reservation_id: _reservation,
    sort: _sort,
    order: _order,
    pagenate_count: _size,
    pagenate_num: _page,
    ...condition
  } = query;
  return condition;
}
