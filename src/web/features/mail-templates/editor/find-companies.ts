import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';

export interface Company {
  readonly id: number;
  readonly name: string;
  readonly address: string;
}

/** The number of companies offered at a time. */
const SHOWN = 20;

/** Returns the id of any group, because all groups see the same companies. undefined: the account has no group. */
async function anyGroup(signal: AbortSignal): Promise<number | undefined> {
  const query = { columns: ['id'], limit: 1 };
  const answer = await call('listSenderGroups', { query }, { signal });
  return unwrap(answer)[0]?.id;
}

/** Finds companies by name or address, as the list of companies does. */
export const companiesFound = (search: string) =>
  queryOptions({
    queryKey: ['template_companies', search],
    queryFn: async ({ signal, client }): Promise<readonly Company[]> => {
      const group = await client.ensureQueryData({
        queryKey: ['template_company_group'],
        queryFn: async () => (await anyGroup(signal)) ?? null,
      });
      if (group === null) return [];
      const query = {
        sender_group_id: group,
        pagenate_count: SHOWN,
        ...(search.trim() !== '' && { search: search.trim() }),
      } as const;
      const answer = await call('viewProspects', { query }, { signal });
      return unwrap(answer).rows.map(({ id, company_name, address }) => ({
        id,
        name: company_name,
        address: address ?? '',
      }));
    },
    placeholderData: (before) => before,
    meta: { quiet: true },
  });
