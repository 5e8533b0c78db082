import { queryOptions } from '@tanstack/react-query';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { ApiError, SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { SENDER_LIST, SENDER_PROFILE_LIST, SENDER_SETTINGS, TEMPLATE_LIST } from '#web/lib/api/query-keys.ts';
import { sendersOf, type TemplateForm } from './template-form.ts';

export type SavedTemplate = AnswerOf<'updateMailTemplate'>;

/** The keys of other queries that show templates: lists, versions, and the senders' subjects. */
export const TEMPLATES = [
  TEMPLATE_LIST,
  'template_versions',
  SENDER_LIST,
  SENDER_SETTINGS,
  SENDER_PROFILE_LIST,
] as const;

/** Fetches a template. It reloads at each focus of the tab, because another tab may have changed it. */
export const templateQuery = (id: number) =>
  queryOptions({
    queryKey: ['mail_template', id],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<MailTemplate> => {
      const input = { params: { id: String(id) } };
      return unwrap(await call('getMailTemplate', input, { signal }));
    },
    staleTime: 0,
  });

/** Refusals that concern the people of a template. The server names no field for them. */
const OF_PROFILES = ['has_reservations', 'template_archived', 'too_many_senders'];

/** Saves the template. @param isOfOthers whether the people who send it have changed */
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

/** Stores whether the user has confirmed that SendGrid's template shows what the law requires. */
export async function confirmSendGridFooter(id: number, confirmed: 0 | 1): Promise<void> {
  const input = { params: { id: String(id) }, body: { update_info: { confirmed } } };
  unwrap(await call('confirmSendGridFooter', input));
}
