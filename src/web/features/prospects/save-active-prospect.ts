import { type Query, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { saveActiveProspect } from '#contract/active-prospect.ts';
import type { ProspectView } from '#contract/prospect.ts';
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

/** The name of the session's draft of remarks. */
export const remarksDraft = (groupId: number, prospectId: number): string => `remarks.${groupId}.${prospectId}`;

/** Repeats requests for lists that were sent before the change was saved, because they may return old values. */
async function repeatRequests(client: QueryClient): Promise<void> {
  const pending = new Set(client.getQueryCache().findAll({ queryKey: [PROSPECT_LIST], fetchStatus: 'fetching' }));
  const filters = { predicate: (query: Query) => pending.has(query) };
  // The library would otherwise keep the first request and send no second one.
  await client.cancelQueries(filters);
  await client.refetchQueries(filters);
}

/** Saves the flag or the remarks of one prospect. Until it is saved, only the cell shows the new value. */
export function useSaveActiveProspect(prospect: ProspectView, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: Change) => {
      const add_info = { prospect_id: prospect.id, sender_group_id: groupId, ...change };
      const body = { add_info, duplicate_key_update_info: change };
      return unwrap(await callApi<typeof saveActiveProspect>('POST', '/active_prospect/', { body }));
    },
    // Here and not in the cell, because the row may have left the screen.
    onSuccess: (_saved, change) => {
      changeInLists(client, groupId, prospect.id, change);
      if (change.remarks !== undefined) setDraft(remarksDraft(groupId, prospect.id), null);
    },
    onSettled: () => {
      // The rows keep their places until the next request, even if the list is sorted by the changed column.
      void client.invalidateQueries({ queryKey: [PROSPECT_LIST], refetchType: 'none' });
      void client.invalidateQueries({ queryKey: [ATTACK_LIST] });
      void repeatRequests(client);
    },
  });
}
