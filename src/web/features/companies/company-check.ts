import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { checkProspect } from '#contract/companies-bulk.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';

export type CompanyCheck = CallAnswer<typeof checkProspect>;

/**
 * What the server knows about a company that is being written.
 *
 * @param request the query of the call as JSON
 */
export const companyCheck = (request: string) =>
  queryOptions({
    queryKey: ['company_check', request],
    queryFn: async ({ signal }): Promise<CompanyCheck> => {
      const query = JSON.parse(request) as CallInput<typeof checkProspect>['query'];
      return unwrap(await callApi<typeof checkProspect>('GET', '/prospect/check', { query }, { signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    // The form works without it.
    meta: { quiet: true },
  });
