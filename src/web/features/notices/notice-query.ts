import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/call.ts';
import type { CompleteRow } from '#web/lib/complete-row.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { NOTICE_LIST, UNREAD_NOTICES } from '#web/lib/query-keys.ts';

export type Notice = CompleteRow<AnswerOf<'listNotices'>[number]>;

/** The number of unread notices of the member. The stream of runs sets it (lib/run-events.ts). */
export const unreadNotices = queryOptions({
  queryKey: [UNREAD_NOTICES],
  queryFn: async ({ signal }): Promise<AnswerOf<'countUnreadNotices'>> =>
    unwrap(await call('countUnreadNotices', {}, { signal })),
  staleTime: 0,
  // Every screen asks it: the screen itself reports that the server cannot be reached.
  meta: { quiet: true },
});

/** The newest notices of the member. */
export const noticeList = (unreadOnly: boolean, limit: number) =>
  queryOptions({
    queryKey: [NOTICE_LIST, unreadOnly, limit],
    queryFn: async ({ signal }): Promise<readonly Notice[]> => {
      const query = { limit, ...(unreadOnly && { where_info: { is_read: 0 as const } }) };
      // Without `columns`, rows have all of them.
      return unwrap(await call('listNotices', { query }, { signal })) as Notice[];
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
