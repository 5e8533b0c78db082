import type { MailTemplate } from '#contract/mail-template.ts';

/** A template as it is being edited. */
export interface TemplateForm {
  /** The version of the content that was opened for editing. */
  readonly version: string;
  readonly name: string;
  readonly text_body: string;
  readonly html_body: string;
  /** By the id of the sender. */
  readonly subjects: Readonly<Record<string, string>>;
}

/** The field of a fault: `name`, `text_body`, `html_body`, or `subject.` and a sender's id. */
export type FieldKey = string;
export const subjectKey = (senderId: number): FieldKey => `subject.${senderId}`;

/** Editors have one kind of line end. */
const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

export const formOf = ({ version, name, text_body, html_body, senders }: MailTemplate): TemplateForm => ({
  version,
  name,
  text_body: lines(text_body),
  html_body: lines(html_body),
  subjects: Object.fromEntries(senders.map(({ id, subject }) => [id, subject])),
});

/** Whether both have the same content, in whatever version. */
export function sameContent(one: TemplateForm, other: TemplateForm): boolean {
  const content = ({ name, text_body, html_body, subjects }: TemplateForm) =>
    JSON.stringify([name, text_body, html_body, Object.entries(subjects)]);
  return content(one) === content(other);
}

/** The name of the session's draft (lib/session-store.ts) of a template. */
export const draftName = (templateId: number): string => `template.${templateId}`;

export const readDraft = (draft: string | undefined): TemplateForm | undefined =>
  draft === undefined ? undefined : (JSON.parse(draft) as TemplateForm);

/** Trims the one-line fields, as the server does. */
export const trimmed = ({ name, subjects, ...form }: TemplateForm): TemplateForm => ({
  ...form,
  name: name.trim(),
  subjects: Object.fromEntries(Object.entries(subjects).map(([id, subject]) => [id, subject.trim()])),
});
