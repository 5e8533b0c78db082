import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { MAX_SENDERS } from '#domain/limits.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import {
  FIRST_STEPS,
  LEGAL_PROFILES,
  SENDER_GROUP_LIST,
  SENDER_LIST,
  SENDER_PROFILE_LIST,
  SENDER_SETTINGS,
  TEMPLATE_LIST,
} from '#web/lib/api/query-keys.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';
import { confirmationPollMs } from '#web/lib/session/awaited-confirmation.ts';

export type GroupRow = CompleteRow<AnswerOf<'listSenderGroups'>[number]>;
export type ProfileRow = CompleteRow<AnswerOf<'listSenderProfiles'>[number]>;
/** A person's daily limit, with the number of mails sent today. */
export type ProfileLimit = AnswerOf<'getSenderLimit'>;

const PAIR_COLUMNS = [
  'id',
  'profile_id',
  'template_id',
  'template_name',
  'sendgrid_template_id',
  'own_subject',
] as const;
/** A template that a person uses. */
export type PairRow = Pick<CompleteRow<AnswerOf<'listSenders'>[number]>, (typeof PAIR_COLUMNS)[number]>;

export interface SenderSettings {
  readonly groups: readonly GroupRow[];
  readonly profiles: readonly ProfileRow[];
  readonly pairs: readonly PairRow[];
}

/** Fetches all groups and persons, also inactive ones. A confirmation may happen in another window. */
export const senderSettings = queryOptions({
  queryKey: [SENDER_SETTINGS],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<SenderSettings> => {
    const where_info = { active: 1 as const };
    const [groups, profiles, pairs] = await Promise.all([
      call('listSenderGroups', { query: {} }, { signal }),
      // Each person has a sender, so there are not more persons than MAX_SENDERS.
      allRows(MAX_SENDERS, (offset) => call('listSenderProfiles', { query: { offset } }, { signal })),
      allRows(MAX_SENDERS, (offset) =>
        call('listSenders', { query: { where_info, columns: [...PAIR_COLUMNS], offset } }, { signal }),
      ),
    ]);
    // Rows have the requested columns, or all of them without `columns`.
    return { groups: unwrap(groups) as GroupRow[], profiles: profiles as ProfileRow[], pairs: pairs as PairRow[] };
  },
  staleTime: 0,
  refetchInterval: ({ state }) => confirmationPollMs(state.data?.profiles.filter(({ active }) => active === 1)),
});

/** Fetches a person's daily limit, and the number of mails sent today. */
export const profileLimit = (profileId: number) =>
  queryOptions({
    queryKey: [SENDER_SETTINGS, 'limit', profileId],
    queryFn: async ({ signal }): Promise<ProfileLimit> =>
      unwrap(await call('getSenderLimit', { params: { profile_id: String(profileId) } }, { signal })),
    staleTime: 0,
  });

/** Reloads the groups and senders that other screens show. */
export async function reloadSenders(client: QueryClient): Promise<void> {
  const names = [
    SENDER_SETTINGS,
    SENDER_GROUP_LIST,
    SENDER_PROFILE_LIST,
    SENDER_LIST,
    TEMPLATE_LIST,
    LEGAL_PROFILES,
    FIRST_STEPS,
  ];
  for (const name of names) await client.invalidateQueries({ queryKey: [name] });
}
