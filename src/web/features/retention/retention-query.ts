import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/call.ts';
import { hasCode, unwrap } from '#web/lib/query-client.ts';
import { MAIL_RETENTION } from '#web/lib/query-keys.ts';
import { toast } from '#web/lib/toast.ts';
import { RETENTION_MESSAGES } from './words.ts';

export type Retention = AnswerOf<'viewMailRetention'>;
export type RetentionChange = InputOf<'updateMailRetention'>['body']['update_info'];

/** How long the account keeps its mails. */
export const mailRetention = queryOptions({
  queryKey: [MAIL_RETENTION],
  queryFn: async ({ signal }): Promise<Retention> => unwrap(await call('viewMailRetention', {}, { signal })),
});

/** Returns whether another member has saved the setting since it was read. */
export const isChangedMeanwhile = (error: Error | null): boolean => hasCode(error, 'mail_retention_changed');

/** Stores the setting. A failure shows itself in a toast, and the form keeps what was chosen. */
export function useSaveRetention() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ version, ...update_info }: RetentionChange & { readonly version: string }) =>
      unwrap(await call('updateMailRetention', { body: { version, update_info } })),
    meta: { showsItself: isChangedMeanwhile },
    onError: (error) =>
      isChangedMeanwhile(error) ? client.invalidateQueries({ queryKey: [MAIL_RETENTION] }) : undefined,
    onSuccess: async ({ version }, { months, blanks }) => {
      client.setQueryData(mailRetention.queryKey, (before) => before && { ...before, months, blanks, version });
      toast('success', RETENTION_MESSAGES.saved);
      await client.invalidateQueries({ queryKey: [MAIL_RETENTION] });
    },
  });
}
