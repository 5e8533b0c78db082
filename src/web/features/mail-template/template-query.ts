import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { getMailTemplate, MailTemplate, updateMailTemplate } from '#contract/mail-template.ts';
import type { previewMailTemplate } from '#contract/mail-template-preview.ts';
import { callApi } from '#web/lib/api-client.ts';
import { ApiError, unwrap } from '#web/lib/query-client.ts';
import { type FieldKey, subjectKey, type TemplateForm } from './template-form.ts';

export type PreviewedMail = CallAnswer<typeof previewMailTemplate>;
export type Faults = Readonly<Record<FieldKey, string>>;

/** Reloads a template whenever its tab gets the focus, because another tab may have changed it. */
export const templateQuery = (id: number) =>
  queryOptions({
    queryKey: ['mail_template', id],
    queryFn: async ({ signal }): Promise<MailTemplate> => {
      const input = { params: { id: String(id) } };
      return unwrap(await callApi<typeof getMailTemplate>('GET', '/mail_template/:id', input, { signal }));
    },
    staleTime: 0,
  });

export async function saveTemplate(id: number, form: TemplateForm) {
  const { version, name, text_body, html_body } = form;
  const senders = sendersOf(form);
  const body = { version, update_info: { name, text_body, html_body, senders } };
  return unwrap(
    await callApi<typeof updateMailTemplate>('PUT', '/mail_template/:id', { params: { id: String(id) }, body }),
  );
}

const sendersOf = ({ subjects }: TemplateForm) =>
  Object.entries(subjects).map(([senderId, subject]) => ({ id: Number(senderId), subject }));

/** Returns the faults of the stored template, by field. */
export const storedFaults = ({ faults, senders }: MailTemplate): Faults =>
  Object.fromEntries(
    faults.map(({ path, message }) => {
      const sender = senders[Number(/^senders\.(\d+)/.exec(path)?.[1])];
      return [sender ? subjectKey(sender.id) : path, message];
    }),
  );

/** Returns the server's messages about the fields of a change. */
export function saveFaults(error: Error | null, form: TemplateForm): Faults {
  const senders = sendersOf(form);
  return faultsOf(error, (path) => {
    const sender = senders[Number(/^update_info\.senders\.(\d+)/.exec(path)?.[1])];
    return sender ? subjectKey(sender.id) : path.replace('update_info.', '');
  });
}

function faultsOf(error: Error | null, keyOf: (path: string) => FieldKey): Faults {
  const details = error instanceof ApiError ? (error.failure.details ?? []) : [];
  return Object.fromEntries(details.map(({ path, message }) => [keyOf(path), message]));
}

export interface PreviewRequest {
  readonly sender_id: number | null;
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly company_name: string;
  readonly person_in_charge: string;
  readonly has_candidate_dates: 0 | 1;
}

/**
 * The rendered mail, or the faults by field.
 *
 * @param request a PreviewRequest as JSON
 */
export const templatePreview = (id: number, request: string) =>
  queryOptions({
    queryKey: ['mail_template_preview', id, request],
    queryFn: async ({ signal }): Promise<{ mail: PreviewedMail | null; faults: Faults }> => {
      const body = JSON.parse(request) as PreviewRequest;
      const input = { params: { id: String(id) }, body };
      const result = await callApi<typeof previewMailTemplate>('POST', '/mail_template/:id/preview', input, { signal });
      if (result.ok) return { mail: result.data, faults: {} };
      const error = new ApiError(result);
      if (result.status !== 400) throw error;
      const subject = body.sender_id === null ? 'subject' : subjectKey(body.sender_id);
      return { mail: null, faults: faultsOf(error, (path) => (path === 'subject' ? subject : path)) };
    },
    placeholderData: (before) => before,
    gcTime: 0,
  });
