import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/call.ts';
import { useDraftForm } from '#web/lib/draft-form.ts';
import { keepWhole } from '#web/lib/merged-form.ts';
import { hasCode, unwrap } from '#web/lib/query-client.ts';
import { MAIL_RETENTION } from '#web/lib/query-keys.ts';
import { toast } from '#web/lib/toast.ts';
import { RETENTION_MESSAGES } from './words.ts';

export type Retention = AnswerOf<'viewMailRetention'>;
type RetentionChange = InputOf<'updateMailRetention'>['body']['update_info'];

/** How long the account keeps its mails. */
export const mailRetention = queryOptions({
  queryKey: [MAIL_RETENTION],
  queryFn: async ({ signal }): Promise<Retention> => unwrap(await call('viewMailRetention', {}, { signal })),
});

/** The form of the setting. Who keeps all mails takes nothing out of them. */
export function useRetentionForm({ version, months, blanks }: Retention) {
  const client = useQueryClient();
  const { queryKey } = mailRetention;
  const isConflict = (error: Error) => hasCode(error, 'mail_retention_changed');
  return useDraftForm({
    name: 'retention',
    stored: { version, form: { months, blanks } },
    merge: keepWhole,
    isSame: (form, stored) => form.months === stored.months && (form.months === null || form.blanks === stored.blanks),
    send: async (form: RetentionChange) => {
      const update_info = { ...form, blanks: form.months === null ? (0 as const) : form.blanks };
      const body = { version, update_info };
      const saved = unwrap(await call('updateMailRetention', { body }));
      client.setQueryData(queryKey, (before) => before && { ...before, ...update_info, version: saved.version });
      return saved;
    },
    onSaved: async () => {
      toast('success', RETENTION_MESSAGES.saved);
      await client.invalidateQueries({ queryKey });
    },
    isConflict,
    reload: () => client.invalidateQueries({ queryKey }),
    showsItself: isConflict,
  });
}
