import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from './call.ts';
import type { CompleteRow } from './complete-row.ts';
import { unwrap } from './query-client.ts';

export type SenderProfile = CompleteRow<AnswerOf<'listSenderProfiles'>[number]>;

/** The people in whose name mails are sent. Somebody may add one in another tab: read again with the focus. */
export const senderProfiles = queryOptions({
  queryKey: ['sender_profile_list'],
  queryFn: async ({ signal }) => {
    const answer = await call('listSenderProfiles', { query: { where_info: { active: 1 } } }, { signal });
    return unwrap(answer) as readonly SenderProfile[];
  },
  staleTime: 0,
});
