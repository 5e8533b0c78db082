import type { MailTemplate } from '#contract/mail-templates.ts';

/** How a template is edited: simple, HTML with a text part, or text alone. */
export type EditorKind = MailTemplate['editor'];

/** A template as it is being edited. */
export interface TemplateForm {
  /** The version of the content that was opened for editing. */
  readonly version: string;
  readonly name: string;
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly editor: EditorKind;
  /** Each change of the simple editor writes the text part anew. */
  readonly text_follows: boolean;
  /** By the id of the sender; null: it uses the subject of the template. */
  readonly subjects: Readonly<Record<string, string | null>>;
}

/** The field of a fault: `name`, `subject`, `text_body`, `html_body`, or `subject.` and a sender's id. */
export type FieldKey = string;
export const subjectKey = (senderId: number): FieldKey => `subject.${senderId}`;

/** Editors have one kind of line end. */
const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

type Stored = Pick<MailTemplate, 'name' | 'subject' | 'text_body' | 'html_body' | 'editor' | 'text_follows'>;

/** Returns the fields of a template, or of one of its versions. */
export const contentOf = ({ name, subject, text_body, html_body, editor, text_follows }: Stored) => ({
  name,
  subject,
  text_body: lines(text_body),
  html_body: lines(html_body),
  editor,
  text_follows: text_follows === 1,
});

export const formOf = (template: MailTemplate): TemplateForm => ({
  ...contentOf(template),
  version: template.version,
  subjects: Object.fromEntries(template.senders.map(({ id, own_subject }) => [id, own_subject])),
});

/** Whether both have the same content, in whatever version. */
export function sameContent(one: TemplateForm, other: TemplateForm): boolean {
  const content = ({ name, subject, text_body, html_body, editor, text_follows, subjects }: TemplateForm) =>
    JSON.stringify([name, subject, text_body, html_body, editor, text_follows, Object.entries(subjects)]);
  return content(one) === content(other);
}

/** The name of the session's draft (lib/session-store.ts) of a template. */
export const draftName = (templateId: number): string => `template.${templateId}`;

/**
 * Reads a draft. The stored template has what an older draft lacks.
 * A sender may have moved to another template since: the draft has subjects of the template's senders alone, as the
 * server refuses others.
 */
export function readDraft(draft: string | undefined, stored: TemplateForm): TemplateForm | undefined {
  if (draft === undefined) return undefined;
  const typed = JSON.parse(draft) as Partial<TemplateForm>;
  const subjects = Object.entries({ ...stored.subjects, ...typed.subjects }).filter(([id]) => id in stored.subjects);
  return { ...stored, ...typed, subjects: Object.fromEntries(subjects) };
}

/** Trims the one-line fields, as the server does. */
export const trimmed = ({ name, subject, subjects, ...form }: TemplateForm): TemplateForm => ({
  ...form,
  name: name.trim(),
  subject: subject.trim(),
  subjects: Object.fromEntries(Object.entries(subjects).map(([id, own]) => [id, own === null ? null : own.trim()])),
});

/** Returns the subjects of senders as a request names them. */
export const sendersOf = ({ subjects }: TemplateForm) =>
  Object.entries(subjects).map(([senderId, subject]) => ({ id: Number(senderId), subject }));
