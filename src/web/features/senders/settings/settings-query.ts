import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { confirmationPollMs } from '#web/lib/awaited-confirmation.ts';
import { type AnswerOf, call } from '#web/lib/call.ts';
import type { CompleteRow } from '#web/lib/complete-row.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { FIRST_STEPS, LEGAL_PROFILES, TEMPLATE_LIST } from '#web/lib/query-keys.ts';

export type GroupRow = CompleteRow<AnswerOf<'listSenderGroups'>[number]>;
export type SenderRow = CompleteRow<AnswerOf<'listSenders'>[number]>;
export type SenderDetail = AnswerOf<'getSender'>;

export interface SenderSettings {
  readonly groups: readonly GroupRow[];
  readonly senders: readonly SenderRow[];
}

const SETTINGS = 'sender_settings';

/** All groups and senders of the account, also inactive ones. A confirmation may happen in another window. */
export const senderSettings = queryOptions({
  queryKey: [SETTINGS],
  queryFn: async ({ signal }): Promise<SenderSettings> => {
    const [groups, senders] = await Promise.all([
      call('listSenderGroups', { query: {} }, { signal }),
      call('listSenders', { query: {} }, { signal }),
    ]);
    // Without `columns`, rows have all of them.
    return { groups: unwrap(groups) as GroupRow[], senders: unwrap(senders) as SenderRow[] };
  },
  staleTime: 0,
  refetchInterval: ({ state }) => confirmationPollMs(state.data?.senders),
});

/** A sender with all that its form shows. */
export const senderDetail = (id: number) =>
  queryOptions({
    queryKey: [SETTINGS, 'sender', id],
    queryFn: async ({ signal }): Promise<SenderDetail> =>
      unwrap(await call('getSender', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
    // A form that is open must not change below its user; a conflict is found at the save.
    refetchOnWindowFocus: false,
  });

/** Reloads what other screens show of groups and senders. */
export async function reloadSenders(client: QueryClient): Promise<void> {
  const names = [SETTINGS, 'sender_group_list', 'sender_list', TEMPLATE_LIST, LEGAL_PROFILES, FIRST_STEPS];
  for (const name of names) await client.invalidateQueries({ queryKey: [name] });
}
