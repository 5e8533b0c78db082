import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { type Faults, faultsOf } from '#web/lib/api/faults-of.ts';
import { ApiError } from '#web/lib/api/query-client.ts';
import type { FieldKey } from './template-form.ts';

export type PreviewedMail = AnswerOf<'previewMailTemplate'>;

/** An unsaved template, and the company for its preview. */
export type PreviewRequest = InputOf<'previewMailTemplate'>['body'];

/**
 * Fetches the rendered mail, or the errors by field.
 *
 * @param asked JSON of a PreviewRequest and the field that has the subject
 */
export const templatePreview = (id: number, asked: string) =>
  queryOptions({
    queryKey: ['mail_template_preview', id, asked],
    queryFn: async ({ signal }): Promise<{ mail: PreviewedMail | null; faults: Faults }> => {
      const { request: body, subject } = JSON.parse(asked) as { request: PreviewRequest; subject: FieldKey };
      const input = { params: { id: String(id) }, body };
      const result = await call('previewMailTemplate', input, { signal });
      if (result.ok) return { mail: result.data, faults: {} };
      if (result.status !== 400) throw new ApiError(result);
      return { mail: null, faults: faultsOf(result, (path) => (path === 'subject' ? subject : path)) };
    },
    placeholderData: (before) => before,
    gcTime: 0,
  });

/** Sends the unsaved template to the member's own address. */
export const sendTest = async (id: number, body: PreviewRequest) =>
  call('sendTemplateTest', { params: { id: String(id) }, body });
