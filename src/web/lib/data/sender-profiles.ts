import { queryOptions } from '@tanstack/react-query';
import { MAX_SENDERS } from '#domain/limits.ts';
import { allRows } from '../api/all-rows.ts';
import { type AnswerOf, call } from '../api/call.ts';
import { SENDER_PROFILE_LIST } from '../api/query-keys.ts';
import type { CompleteRow } from './complete-row.ts';

export type SenderProfile = CompleteRow<AnswerOf<'listSenderProfiles'>[number]>;

/** Fetches the people who send mails. Reloads at each focus, because another tab may have added one. */
export const senderProfiles = queryOptions({
  queryKey: [SENDER_PROFILE_LIST],
  queryFn: async ({ signal }) => {
    const where_info = { active: 1 as const };
    const rows = await allRows(MAX_SENDERS, (offset) =>
      call('listSenderProfiles', { query: { where_info, offset } }, { signal }),
    );
    // Without `columns` a row has all of them.
    return rows as readonly SenderProfile[];
  },
  staleTime: 0,
});
