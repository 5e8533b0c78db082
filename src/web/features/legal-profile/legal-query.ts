import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { LEGAL_PROFILES } from '#web/lib/api/query-keys.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';

/** The profile of a sender group, with its errors. */
export type LegalRow = CompleteRow<AnswerOf<'listLegalProfiles'>[number]>;
export type LegalFault = LegalRow['faults'][number];
type LegalInfo = InputOf<'updateLegalProfile'>['body']['update_info'];

/** Fetches the profiles of all sender groups, including inactive ones. */
export const legalProfiles = queryOptions({
  queryKey: [LEGAL_PROFILES],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<LegalRow[]> => {
    const answer = await call('listLegalProfiles', { query: {} }, { signal });
    // Without `columns`, rows have all of them.
    return unwrap(answer) as LegalRow[];
  },
});

/** A group whose real mails the server refuses to send. */
export interface IncompleteGroup {
  readonly name: string;
  /** Only the confirmation is missing. */
  readonly isUnconfirmed: boolean;
}

/** Returns the active groups whose real mails the server refuses to send. */
export function useIncompleteGroups(): readonly IncompleteGroup[] {
  // The strip of every screen loads this. Each screen itself reports a lost connection.
  const { data = [] } = useQuery({ ...legalProfiles, meta: { quiet: true } });
  return data
    .filter(({ active, ready }) => active === 1 && ready === 0)
    .map(({ group_name, faults }) => ({
      name: group_name,
      isUnconfirmed: faults.every(({ level, code }) => level === 'warning' || code === 'L4'),
    }));
}

/** Whether the server sends real mails of a group; true until the profiles have loaded. */
export function useIsLegal(groupId: number): boolean {
  const { data } = useQuery({ ...legalProfiles, meta: { quiet: true } });
  return data?.find(({ sender_group_id }) => sender_group_id === groupId)?.ready !== 0;
}

/** Whether a group mails companies because they publish their addresses; false until the profiles have loaded. */
export function useNeedsSource(groupId: number | undefined): boolean {
  const { data } = useQuery({ ...legalProfiles, meta: { quiet: true } });
  return data?.find(({ sender_group_id }) => sender_group_id === groupId)?.basis === 'published';
}

export const putLegalProfile = (groupId: number, version: string, update_info: LegalInfo) =>
  call('updateLegalProfile', {
    params: { sender_group_id: String(groupId) },
    body: { version, update_info },
  });

export async function reloadLegalProfiles(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: [LEGAL_PROFILES] });
}
