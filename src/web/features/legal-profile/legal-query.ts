import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { listLegalProfiles, updateLegalProfile } from '#contract/legal-profile.ts';
import { callApi } from '#web/lib/api-client.ts';
import type { CompleteRow } from '#web/lib/complete-row.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { LEGAL_PROFILES } from '#web/lib/query-keys.ts';

/** The profile of a sender group, with its faults. */
export type LegalRow = CompleteRow<CallAnswer<typeof listLegalProfiles>[number]>;
export type LegalFault = LegalRow['faults'][number];
type LegalInfo = CallInput<typeof updateLegalProfile>['body']['update_info'];

/** The profiles of all sender groups, also of inactive ones. */
export const legalProfiles = queryOptions({
  queryKey: [LEGAL_PROFILES],
  queryFn: async ({ signal }): Promise<LegalRow[]> => {
    const answer = await callApi<typeof listLegalProfiles>('GET', '/legal_profile/list', { query: {} }, { signal });
    // Without `columns`, rows have all of them.
    return unwrap(answer) as LegalRow[];
  },
});

/** Returns the names of the active groups whose real mails the server refuses. */
export function useIncompleteGroups(): readonly string[] {
  // The strip of every screen asks. The screens report by themselves that the server cannot be reached.
  const { data = [] } = useQuery({ ...legalProfiles, meta: { quiet: true } });
  return data.filter(({ active, ready }) => active === 1 && ready === 0).map(({ group_name }) => group_name);
}

export const putLegalProfile = (groupId: number, version: string, update_info: LegalInfo) =>
  callApi<typeof updateLegalProfile>('PUT', '/legal_profile/:sender_group_id', {
    params: { sender_group_id: String(groupId) },
    body: { version, update_info },
  });

/** Reloads the profiles. */
export async function reloadLegalProfiles(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: [LEGAL_PROFILES] });
}
