import { type Query, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProspectView, saveActiveProspect } from '#contract/prospect.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ATTACK_LIST, PROSPECT_LIST } from '#web/lib/query-keys.ts';
import { setDraft } from '#web/lib/session-store.ts';
import type { ProspectPage, ProspectQuery } from './view-prospects.ts';

type Change = Partial<Pick<ProspectView, 'active' | 'remarks'>>;

function changeInLists(client: QueryClient, groupId: number, prospectId: number, change: Change): void {
  const ofGroup = (key: readonly unknown[]) => (key[1] as ProspectQuery | undefined)?.sender_group_id === groupId;
  client.setQueriesData<ProspectPage>(
    { queryKey: [PROSPECT_LIST], predicate: ({ queryKey }) => ofGroup(queryKey) },
    (page) => page && { ...page, rows: page.rows.map((row) => (row.id === prospectId ? { ...row, ...change } : row)) },
  );
}

/** Under which remarks that are being typed are kept. */
export const remarksDraft = (groupId: number, prospectId: number): string => `remarks.${groupId}.${prospectId}`;

/** Lists that were asked for before the change was saved may bring what was before it: they are asked for once more. */
async function askAgain(client: QueryClient): Promise<void> {
  const asked = new Set(client.getQueryCache().findAll({ queryKey: [PROSPECT_LIST], fetchStatus: 'fetching' }));
  const filters = { predicate: (query: Query) => asked.has(query) };
  // By itself the library goes on with the first request for a list, and asks no second time beside it.
  await client.cancelQueries(filters);
  await client.refetchQueries(filters);
}

/** Saves the flag or the remarks of one prospect. Until then the lists hold what the server has; the cell shows what is being saved. */
export function useSaveActiveProspect(prospect: ProspectView, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: Change) => {
      const add_info = { prospect_id: prospect.id, sender_group_id: groupId, ...change };
      const body = { add_info, duplicate_key_update_info: change };
      return unwrap(await callApi<typeof saveActiveProspect>('POST', '/active_prospect/', { body }));
    },
    // Here, because the row may have left the screen in the meantime.
    onSuccess: (_saved, change) => {
      changeInLists(client, groupId, prospect.id, change);
      if (change.remarks !== undefined) setDraft(remarksDraft(groupId, prospect.id), null);
    },
    onSettled: () => {
      // The rows stay where they are until the list is next asked for, even when it is sorted by what has changed.
      void client.invalidateQueries({ queryKey: [PROSPECT_LIST], refetchType: 'none' });
      void client.invalidateQueries({ queryKey: [ATTACK_LIST] });
      void askAgain(client);
    },
  });
}
