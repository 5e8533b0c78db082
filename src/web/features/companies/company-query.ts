import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { CompanyDetail, TimelineEvent } from '#contract/companies/companies.ts';
import { call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST, COMPANY, CONDITION_COUNTS, FIRST_STEPS, PROSPECT_LIST } from '#web/lib/api/query-keys.ts';

/** Fetches one company. It reloads at each focus of the tab, because another person may have changed it. */
export const companyQuery = (id: number) =>
  queryOptions({
    queryKey: [COMPANY, id, 'detail'],
    queryFn: async ({ signal }): Promise<CompanyDetail> =>
      unwrap(await call('getProspect', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
    meta: SHOWN_IN_PLACE,
  });

const TIMELINE_PAGE = 20;

/** Fetches a company's history by pages, newest first. */
export const timelineQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [COMPANY, id, 'timeline'],
    queryFn: async ({ signal, pageParam }): Promise<readonly TimelineEvent[]> => {
      // One row more than a page shows whether there is another page.
      const input = { params: { id: String(id) }, query: { limit: TIMELINE_PAGE + 1, offset: pageParam } };
      return unwrap(await call('viewTimeline', input, { signal }));
    },
    initialPageParam: 0,
    getNextPageParam: (page: readonly TimelineEvent[], _pages, offset) =>
      page.length > TIMELINE_PAGE ? offset + TIMELINE_PAGE : undefined,
    select: ({ pages }) => pages.flatMap((page) => page.slice(0, TIMELINE_PAGE)),
    staleTime: 0,
  });

/** Reloads the lists, the counts of saved conditions, and the first steps, which depend on companies. */
export function reloadCompanyLists(client: QueryClient): void {
  for (const queryKey of [[PROSPECT_LIST], [ATTACK_LIST], [CONDITION_COUNTS], [FIRST_STEPS]])
    void client.invalidateQueries({ queryKey });
}

/** Reloads a company and the lists that show it. */
export async function reloadCompany(client: QueryClient, id: number): Promise<void> {
  reloadCompanyLists(client);
  await client.invalidateQueries({ queryKey: [COMPANY, id] });
}
