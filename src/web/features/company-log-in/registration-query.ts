import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY_LOG_IN } from '#web/lib/api/query-keys.ts';

export type CompanyLogIn = AnswerOf<'getOidc'>;

/** Fetches the account's registration with its company's provider. For admins. */
export const companyLogIn = queryOptions({
  queryKey: [COMPANY_LOG_IN],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<CompanyLogIn> => unwrap(await call('getOidc', {}, { signal })),
  staleTime: 0,
});
