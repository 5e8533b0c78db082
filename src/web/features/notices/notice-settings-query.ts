import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { NOTICE_SETTINGS } from '#web/lib/api/query-keys.ts';

export type NoticeSettings = AnswerOf<'getNoticeSettings'>;

/** Fetches how the member is notified. */
export const noticeSettings = queryOptions({
  queryKey: [NOTICE_SETTINGS],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<NoticeSettings> => unwrap(await call('getNoticeSettings', {}, { signal })),
});

export type SettingsChange = InputOf<'updateNoticeSettings'>['body']['update_info'];

/** Saves a change at once. Until the answer, the screen shows the chosen value. */
export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (update_info: SettingsChange) =>
      unwrap(await call('updateNoticeSettings', { body: { update_info } })),
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
