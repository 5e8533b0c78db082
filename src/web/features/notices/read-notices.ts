import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { NOTICE_LIST, UNREAD_NOTICES } from '#web/lib/query-keys.ts';

const reload = (client: QueryClient): Promise<unknown> =>
  Promise.all([UNREAD_NOTICES, NOTICE_LIST].map((key) => client.invalidateQueries({ queryKey: [key] })));

/** Marks one notice as read. A failure has no toast: who opens a notice is about to leave the list. */
export function useReadNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) =>
      unwrap(
        await call('updateNotice', {
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
    mutationFn: async (until_id: number) => unwrap(await call('readNotices', { body: { until_id } })),
    onSettled: () => reload(client),
  });
}
