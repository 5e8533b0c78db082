import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
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

/** Saves the flag or the remarks of one prospect: seen at once, taken back if the server refuses. */
export function useSaveActiveProspect(prospect: ProspectView, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: Change) => {
      const add_info = { prospect_id: prospect.id, sender_group_id: groupId, ...change };
      const body = { add_info, duplicate_key_update_info: change };
      return unwrap(await callApi<typeof saveActiveProspect>('POST', '/active_prospect/', { body }));
    },
    onMutate: async (change) => {
      // An answer on its way would bring the old value back.
      await client.cancelQueries({ queryKey: [PROSPECT_LIST] });
      changeInLists(client, groupId, prospect.id, change);
      const before: Change = {};
      if (change.active !== undefined) before.active = prospect.active;
      if (change.remarks !== undefined) before.remarks = prospect.remarks;
      return before;
    },
    // Here, because the row may have left the screen in the meantime.
    onSuccess: (_saved, { remarks }) => {
      if (remarks !== undefined) setDraft(remarksDraft(groupId, prospect.id), null);
    },
    onError: (_error, _change, before) => {
      if (before !== undefined) changeInLists(client, groupId, prospect.id, before);
    },
    onSettled: () => {
      // The rows stay where they are until the list is next asked for, even when it is sorted by what has changed.
      void client.invalidateQueries({ queryKey: [PROSPECT_LIST], refetchType: 'none' });
      void client.invalidateQueries({ queryKey: [ATTACK_LIST] });
    },
  });
}
