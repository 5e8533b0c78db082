import type { MailTemplate } from '#contract/mail-template.ts';

/** A template as it is being edited. */
export interface TemplateForm {
  /** Of the content that the editing began with. */
  readonly version: string;
  readonly name: string;
  readonly text_body: string;
  readonly html_body: string;
  /** By the sender's id. */
  readonly subjects: Readonly<Record<string, string>>;
}

/** `name`, `text_body`, `html_body`, or `subject.` and a sender's id: what a fault belongs to. */
export type FieldKey = string;
export const subjectKey = (senderId: number): FieldKey => `subject.${senderId}`;

/** Editors know one kind of line end. */
const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

export const formOf = ({ version, name, text_body, html_body, senders }: MailTemplate): TemplateForm => ({
  version,
  name,
  text_body: lines(text_body),
  html_body: lines(html_body),
  subjects: Object.fromEntries(senders.map(({ id, subject }) => [id, subject])),
});

/** Whether both would be saved as the same, whatever they began with. */
export function sameContent(one: TemplateForm, other: TemplateForm): boolean {
  const content = ({ name, text_body, html_body, subjects }: TemplateForm) =>
    JSON.stringify([name, text_body, html_body, Object.entries(subjects)]);
  return content(one) === content(other);
}

/** What is being typed is kept as a draft of the session (lib/session-store.ts), under this name. */
export const draftName = (templateId: number): string => `template.${templateId}`;

export const readDraft = (draft: string | undefined): TemplateForm | undefined =>
  draft === undefined ? undefined : (JSON.parse(draft) as TemplateForm);

/** As the server keeps it: no blanks around what is one line. */
export const trimmed = ({ name, subjects, ...form }: TemplateForm): TemplateForm => ({
  ...form,
  name: name.trim(),
  subjects: Object.fromEntries(Object.entries(subjects).map(([id, subject]) => [id, subject.trim()])),
});
