import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type {
  confirmSendGridFooter as confirmCall,
  getMailTemplate,
  MailTemplate,
  updateMailTemplate,
} from '#contract/mail-template.ts';
import type { previewMailTemplate, sendTemplateTest } from '#contract/mail-template-preview.ts';
import { callApi } from '#web/lib/api-client.ts';
import { ApiError, unwrap } from '#web/lib/query-client.ts';
import { TEMPLATE_LIST } from '#web/lib/query-keys.ts';
import { type FieldKey, subjectKey, type TemplateForm } from './template-form.ts';

export type PreviewedMail = CallAnswer<typeof previewMailTemplate>;
export type SavedTemplate = CallAnswer<typeof updateMailTemplate>;
export type Faults = Readonly<Record<FieldKey, string>>;

/** The keys of queries that show templates elsewhere: lists, versions, and the subjects of senders. */
export const TEMPLATES = [TEMPLATE_LIST, 'template_versions', 'sender_list', 'sender_settings'] as const;

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

export async function saveTemplate(id: number, form: TemplateForm): Promise<SavedTemplate> {
  const { version, name, subject, text_body, html_body, editor } = form;
  const text_follows = form.text_follows ? (1 as const) : (0 as const);
  const senders = sendersOf(form);
  const body = { version, update_info: { name, subject, text_body, html_body, editor, text_follows, senders } };
  return unwrap(
    await callApi<typeof updateMailTemplate>('PUT', '/mail_template/:id', { params: { id: String(id) }, body }),
  );
}

/** Notes whether a person has seen that the template of SendGrid shows what the law asks. */
export async function confirmSendGridFooter(id: number, confirmed: 0 | 1): Promise<void> {
  const input = { params: { id: String(id) }, body: { update_info: { confirmed } } };
  unwrap(await callApi<typeof confirmCall>('PUT', '/mail_template/:id/sendgrid_footer', input));
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

/** An unsaved template, and the company of its mail. */
export type PreviewRequest = CallInput<typeof previewMailTemplate>['body'];

/**
 * The rendered mail, or the faults by field.
 *
 * @param asked a PreviewRequest and the field that its subject comes from, as JSON
 */
export const templatePreview = (id: number, asked: string) =>
  queryOptions({
    queryKey: ['mail_template_preview', id, asked],
    queryFn: async ({ signal }): Promise<{ mail: PreviewedMail | null; faults: Faults }> => {
      const { request: body, subject } = JSON.parse(asked) as { request: PreviewRequest; subject: FieldKey };
      const input = { params: { id: String(id) }, body };
      const result = await callApi<typeof previewMailTemplate>('POST', '/mail_template/:id/preview', input, { signal });
      if (result.ok) return { mail: result.data, faults: {} };
      const error = new ApiError(result);
      if (result.status !== 400) throw error;
      return { mail: null, faults: faultsOf(error, (path) => (path === 'subject' ? subject : path)) };
    },
    placeholderData: (before) => before,
    gcTime: 0,
  });

/** Sends the unsaved template to the member's own address. */
export const sendTest = async (id: number, body: PreviewRequest) =>
  callApi<typeof sendTemplateTest>('POST', '/mail_template/:id/test', { params: { id: String(id) }, body });
