import { queryOptions } from '@tanstack/react-query';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { ApiError, unwrap } from '#web/lib/api/query-client.ts';
import { SENDER_LIST, SENDER_PROFILE_LIST, SENDER_SETTINGS, TEMPLATE_LIST } from '#web/lib/api/query-keys.ts';
import { sendersOf, type TemplateForm } from './template-form.ts';

export type SavedTemplate = AnswerOf<'updateMailTemplate'>;

/** The keys of queries that show templates elsewhere: lists, versions, and the subjects of senders. */
export const TEMPLATES = [
  TEMPLATE_LIST,
  'template_versions',
  SENDER_LIST,
  SENDER_SETTINGS,
  SENDER_PROFILE_LIST,
] as const;

/** Reloads a template whenever its tab gets the focus, because another tab may have changed it. */
export const templateQuery = (id: number) =>
  queryOptions({
    queryKey: ['mail_template', id],
    queryFn: async ({ signal }): Promise<MailTemplate> => {
      const input = { params: { id: String(id) } };
      return unwrap(await call('getMailTemplate', input, { signal }));
    },
    staleTime: 0,
  });

/** Why the people of a template cannot change. The server names no field. */
const OF_PROFILES = ['has_reservations', 'template_archived', 'too_many_senders'];

/** @param isOfOthers whether other people than before are to send it */
export async function saveTemplate(
  id: number,
  version: string,
  form: TemplateForm,
  isOfOthers: boolean,
): Promise<SavedTemplate> {
  const { name, subject, text_body, html_body, editor } = form;
  const text_follows = form.text_follows ? (1 as const) : (0 as const);
  const senders = sendersOf(form);
  const sender_profile_ids = isOfOthers ? [...form.sender_profile_ids] : undefined;
  const update_info = { name, subject, text_body, html_body, editor, text_follows, senders, sender_profile_ids };
  const answer = await call('updateMailTemplate', { params: { id: String(id) }, body: { version, update_info } });
  if (!answer.ok && OF_PROFILES.includes(answer.code ?? ''))
    throw new ApiError({ ...answer, details: [{ path: 'sender_profile_ids', message: answer.message }] });
  return unwrap(answer);
}

/** Notes whether a person has seen that the template of SendGrid shows what the law asks. */
export async function confirmSendGridFooter(id: number, confirmed: 0 | 1): Promise<void> {
  const input = { params: { id: String(id) }, body: { update_info: { confirmed } } };
  unwrap(await call('confirmSendGridFooter', input));
}
