import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { FormDraft, Seen } from '#web/lib/form/merged-form.ts';

/** The editor of a template: simple, HTML with a text part, or text only. */
export type EditorKind = MailTemplate['editor'];

/** A template while it is edited. */
export interface TemplateForm {
  readonly name: string;
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly editor: EditorKind;
  /** Whether each change in the simple editor rewrites the text part. */
  readonly text_follows: boolean;
  /** The subjects by sender id; null: the template's subject. */
  readonly subjects: Readonly<Record<string, string | null>>;
  /** The ids of the people who send the template, in order. */
  readonly sender_profile_ids: readonly number[];
}

/** The field of an error: a key of the form, or `subject.` and a sender's id. */
export type FieldKey = string;
export const subjectKey = (senderId: number): FieldKey => `subject.${senderId}`;

/** Normalises line ends, because the editors know only \n. */
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

const inOrder = (ids: readonly number[]): readonly number[] => [...ids].sort((one, other) => one - other);

/** Returns the sorted profile ids after one was ticked or unticked. */
export const withProfile = (ids: readonly number[], id: number, isChosen: boolean): readonly number[] =>
  inOrder(isChosen ? [...ids, id] : ids.filter((other) => other !== id));

export const storedOf = (template: MailTemplate): Seen<TemplateForm> => ({
  version: template.version,
  form: {
    ...contentOf(template),
    subjects: Object.fromEntries(template.senders.map(({ id, own_subject }) => [id, own_subject])),
    sender_profile_ids: inOrder(template.sender_profile_ids),
  },
});

/** Returns the name of a template's draft in the session (lib/session/session-store.ts). */
export const draftName = (templateId: number): string => `template.${templateId}`;

/** Serialises a draft. Its base version is one of the fields. */
export const writeDraft = ({ base: { version }, form }: FormDraft<TemplateForm>): string =>
  JSON.stringify({ version, ...form });

/**
 * Reads a draft; the stored template completes fields that an older draft lacks.
 * Keeps only the subjects of the template's current senders: one may have moved to another template, and the server
 * refuses others.
 */
export function readDraft(draft: string, stored: Seen<TemplateForm>): FormDraft<TemplateForm> {
  const read = JSON.parse(draft) as Partial<TemplateForm> & { readonly version?: string };
  const { version = stored.version, ...typed } = read;
  const known = stored.form.subjects;
  const subjects = Object.entries({ ...known, ...typed.subjects }).filter(([id]) => id in known);
  const form = { ...stored.form, ...typed, subjects: Object.fromEntries(subjects) };
  return { base: { version, form: stored.form }, form, shown: stored.version };
}

/** Trims the one-line fields, as the server does. */
export const trimmed = ({ name, subject, subjects, ...form }: TemplateForm): TemplateForm => ({
  ...form,
  name: name.trim(),
  subject: subject.trim(),
  subjects: Object.fromEntries(Object.entries(subjects).map(([id, own]) => [id, own === null ? null : own.trim()])),
});

/** Returns what a mail takes from the form. The name and the people who send it are no part of it. */
export function mailOf(form: TemplateForm): string {
  const { subject, text_body, html_body, subjects } = trimmed(form);
  return JSON.stringify([subject, text_body, html_body, subjects]);
}

/** Returns the subjects of senders in the form of a request. */
export const sendersOf = ({ subjects }: TemplateForm) =>
  Object.entries(subjects).map(([senderId, subject]) => ({ id: Number(senderId), subject }));

/** Returns the errors of the stored template, by field. */
export const storedFaults = ({ faults, senders }: MailTemplate): Faults =>
  Object.fromEntries(
    faults.map(({ path, message }) => {
      const sender = senders[Number(/^senders\.(\d+)/.exec(path)?.[1])];
      return [sender ? subjectKey(sender.id) : path, message];
    }),
  );

/** Returns the form's field for the path of an error. */
export function changedField(path: string, form: TemplateForm): FieldKey {
  const sender = sendersOf(form)[Number(/^update_info\.senders\.(\d+)/.exec(path)?.[1])];
  return sender ? subjectKey(sender.id) : path.replace('update_info.', '');
}
