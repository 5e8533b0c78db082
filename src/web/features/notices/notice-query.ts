import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { NOTICE_LIST, UNREAD_NOTICES } from '#web/lib/api/query-keys.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';

export type Notice = CompleteRow<AnswerOf<'listNotices'>[number]>;

/** Fetches the number of unread notices. The stream of runs updates it (lib/api/run-events.ts). */
export const unreadNotices = queryOptions({
  queryKey: [UNREAD_NOTICES],
  queryFn: async ({ signal }): Promise<AnswerOf<'countUnreadNotices'>> =>
    unwrap(await call('countUnreadNotices', {}, { signal })),
  staleTime: 0,
  // Every screen loads this, and itself reports a lost connection.
  meta: { quiet: true },
});

/** Fetches the newest notices of the member. */
export const noticeList = (unreadOnly: boolean, limit: number) =>
  queryOptions({
    queryKey: [NOTICE_LIST, unreadOnly, limit],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<readonly Notice[]> => {
      const query = { limit, ...(unreadOnly && { where_info: { is_read: 0 as const } }) };
      // Without `columns`, rows have all of them.
      return unwrap(await call('listNotices', { query }, { signal })) as Notice[];
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
