import { type Query, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST, PROSPECT_LIST } from '#web/lib/api/query-keys.ts';
import { setDraft } from '#web/lib/session/session-store.ts';
import type { ProspectPage, ProspectQuery } from './view-prospects.ts';

type Change = Partial<Pick<ProspectView, 'active' | 'remarks' | 'remarks_version'>>;

/** The error code of a save whose remarks somebody else has changed since they were read. */
export const REMARKS_CHANGED = 'remarks_changed';

function changeInLists(client: QueryClient, groupId: number, prospectId: number, change: Change): void {
  const ofGroup = (key: readonly unknown[]) => (key[1] as ProspectQuery | undefined)?.sender_group_id === groupId;
  client.setQueriesData<ProspectPage>(
    { queryKey: [PROSPECT_LIST], predicate: ({ queryKey }) => ofGroup(queryKey) },
    (page) => page && { ...page, rows: page.rows.map((row) => (row.id === prospectId ? { ...row, ...change } : row)) },
  );
}

/** The prefix of the names of remark drafts in the session. */
export const REMARKS_DRAFTS = 'remarks.';

/** Returns the name of a remark draft in the session. */
export const remarksDraft = (groupId: number, prospectId: number): string =>
  `${REMARKS_DRAFTS}${groupId}.${prospectId}`;

/** Repeats requests for lists that were sent before the save, because they may return old values. */
async function repeatRequests(client: QueryClient): Promise<void> {
  const pending = new Set(client.getQueryCache().findAll({ queryKey: [PROSPECT_LIST], fetchStatus: 'fetching' }));
  const filters = { predicate: (query: Query) => pending.has(query) };
  // Otherwise the library would keep the first request and send no second one.
  await client.cancelQueries(filters);
  await client.refetchQueries(filters);
}

/** Replaces the read remarks by those that somebody else has saved. */
async function showTheirRemarks(client: QueryClient, groupId: number, prospectId: number): Promise<void> {
  const where_info = { sender_group_id: groupId, prospect_id: prospectId };
  const answer = await call('listActiveProspects', { query: { where_info, limit: 1 } });
  const [row] = unwrap(answer);
  const { remarks, remarks_version } = row ?? {};
  if (remarks !== undefined && remarks_version !== undefined) {
    changeInLists(client, groupId, prospectId, { remarks, remarks_version });
  }
}

/** The flag or the remarks to save. */
interface Save extends Pick<Change, 'active' | 'remarks'> {
  /** The version of the remarks that the user has read. */
  readonly version?: string;
}

/** Saves the flag or the remarks of one prospect. Until then only the cell shows the new value. */
export function useSaveActiveProspect(prospect: Pick<ProspectView, 'id'>, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ version, ...change }: Save) => {
      const add_info = { prospect_id: prospect.id, sender_group_id: groupId, ...change };
      const body = { add_info, duplicate_key_update_info: change, ...(version !== undefined && { version }) };
      return unwrap(await call('saveActiveProspect', { body }));
    },
    // In this hook and not in the cell, because the row may no longer be rendered.
    onSuccess: ({ version }, { version: _seen, ...change }) => {
      const isRemarked = change.remarks !== undefined;
      changeInLists(client, groupId, prospect.id, { ...change, ...(isRemarked && { remarks_version: version }) });
      if (isRemarked) setDraft(remarksDraft(groupId, prospect.id), null);
    },
    // The cell shows the other member's text beside the typed one.
    meta: { showsItself: (error: Error) => hasCode(error, REMARKS_CHANGED) },
    onError: (error) => (hasCode(error, REMARKS_CHANGED) ? showTheirRemarks(client, groupId, prospect.id) : undefined),
    onSettled: () => {
      // The rows keep their order until the next request, even if the list is sorted by the changed column.
      void client.invalidateQueries({ queryKey: [PROSPECT_LIST], refetchType: 'none' });
      void client.invalidateQueries({ queryKey: [ATTACK_LIST] });
      void repeatRequests(client);
    },
  });
}
