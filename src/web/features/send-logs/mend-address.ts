import { queryOptions } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies.ts';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { COMPANY } from '#web/lib/query-keys.ts';

/** The company of a mail, always read anew: an edit names its version. */
export const companyOf = (id: number) =>
  queryOptions({
    queryKey: [COMPANY, id, 'detail'],
    queryFn: async ({ signal }): Promise<CompanyDetail> =>
      unwrap(await call('getProspect', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
  });

/** Stores another address of a company. A fault is reported at the field. */
export async function mendAddress(id: number, version: string, company_email: string) {
  const input = {
    params: { id: String(id) },
    body: { version, update_info: { company_email }, acknowledged: 1 as const },
  };
  const answer = await call('updateProspect', input);
  if (answer.ok) return answer;
  const details = (answer.details ?? []).map(({ path, message }) => ({
    path: path.replace(/^update_info\./, ''),
    message,
  }));
  return { ...answer, details };
}

/** Sends one failed mail again, to the present address of its company. */
export const retryMail = (id: number) => call('retryDelivery', { params: { id: String(id) } });
