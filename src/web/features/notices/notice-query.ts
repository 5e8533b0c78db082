import { keepPreviousData, type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type {
  countUnreadNotices,
  getNoticeSettings,
  listNotices,
  readNotices,
  updateNotice,
  updateNoticeSettings,
} from '#contract/notice.ts';
import { callApi } from '#web/lib/api-client.ts';
import type { CompleteRow } from '#web/lib/complete-row.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { NOTICE_LIST, NOTICE_SETTINGS, UNREAD_NOTICES } from '#web/lib/query-keys.ts';

export type Notice = CompleteRow<CallAnswer<typeof listNotices>[number]>;
export type NoticeSettings = CallAnswer<typeof getNoticeSettings>;

/** The number of unread notices of the member. The stream of runs sets it (lib/run-events.ts). */
export const unreadNotices = queryOptions({
  queryKey: [UNREAD_NOTICES],
  queryFn: async ({ signal }): Promise<CallAnswer<typeof countUnreadNotices>> =>
    unwrap(await callApi<typeof countUnreadNotices>('GET', '/notice/unread', {}, { signal })),
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
      return unwrap(await callApi<typeof listNotices>('GET', '/notice/list', { query }, { signal })) as Notice[];
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

const reload = (client: QueryClient): Promise<unknown> =>
  Promise.all([UNREAD_NOTICES, NOTICE_LIST].map((key) => client.invalidateQueries({ queryKey: [key] })));

/** Marks one notice as read. A failure has no toast: who opens a notice is about to leave the list. */
export function useReadNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) =>
      unwrap(
        await callApi<typeof updateNotice>('PUT', '/notice/:id', {
          params: { id: String(id) },
          body: { update_info: { is_read: 1 } },
        }),
      ),
    onSettled: () => reload(client),
    meta: { showsItself: () => true },
  });
}

/** Marks all notices up to an id as read. */
export function useReadAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (until_id: number) =>
      unwrap(await callApi<typeof readNotices>('POST', '/notice/read', { body: { until_id } })),
    onSettled: () => reload(client),
  });
}

/** How the member is told. */
export const noticeSettings = queryOptions({
  queryKey: [NOTICE_SETTINGS],
  queryFn: async ({ signal }): Promise<NoticeSettings> =>
    unwrap(await callApi<typeof getNoticeSettings>('GET', '/notice_setting', {}, { signal })),
});

export type SettingsChange = CallInput<typeof updateNoticeSettings>['body']['update_info'];

/** Stores a change at once. Until the server has answered, the screen shows what was chosen. */
export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (update_info: SettingsChange) =>
      unwrap(await callApi<typeof updateNoticeSettings>('PUT', '/notice_setting', { body: { update_info } })),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey: [NOTICE_SETTINGS] });
      client.setQueryData(noticeSettings.queryKey, (before) => before && changed(before, change));
    },
    onSettled: () => client.invalidateQueries({ queryKey: [NOTICE_SETTINGS] }),
  });
}

const changed = (before: NoticeSettings, { kinds = [], failure_percent, morning_summary }: SettingsChange) => ({
  kinds: before.kinds.map((row) => {
    const { screen = row.screen, mail = row.mail } = kinds.find(({ kind }) => kind === row.kind) ?? {};
    return { ...row, screen, mail };
  }),
  failure_percent: failure_percent ?? before.failure_percent,
  morning_summary: morning_summary ?? before.morning_summary,
});
