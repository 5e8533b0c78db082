import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { FormDraft, Seen } from '#web/lib/form/merged-form.ts';

/** How a template is edited: simple, HTML with a text part, or text alone. */
export type EditorKind = MailTemplate['editor'];

/** A template as it is being edited. */
export interface TemplateForm {
  readonly name: string;
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly editor: EditorKind;
  /** Each change of the simple editor writes the text part anew. */
  readonly text_follows: boolean;
  /** By the id of the sender; null: it uses the subject of the template. */
  readonly subjects: Readonly<Record<string, string | null>>;
  /** The people who send it, in the order of their ids. */
  readonly sender_profile_ids: readonly number[];
}

/** The field of a fault: a key of the form, or `subject.` and a sender's id. */
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

const inOrder = (ids: readonly number[]): readonly number[] => [...ids].sort((one, other) => one - other);

/** Returns the profiles after one was ticked or unticked. */
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

/** The name of the session's draft (lib/session/session-store.ts) of a template. */
export const draftName = (templateId: number): string => `template.${templateId}`;

/** The draft holds the version that it began from among its fields. */
export const writeDraft = ({ base: { version }, form }: FormDraft<TemplateForm>): string =>
  JSON.stringify({ version, ...form });

/**
 * Reads a draft. The stored template has what an older draft lacks.
 * A sender may have moved to another template since: the draft has subjects of the template's senders alone, as the
 * server refuses others.
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

/** Returns the subjects of senders as a request names them. */
export const sendersOf = ({ subjects }: TemplateForm) =>
  Object.entries(subjects).map(([senderId, subject]) => ({ id: Number(senderId), subject }));

/** Returns the faults of the stored template, by field. */
export const storedFaults = ({ faults, senders }: MailTemplate): Faults =>
  Object.fromEntries(
    faults.map(({ path, message }) => {
      const sender = senders[Number(/^senders\.(\d+)/.exec(path)?.[1])];
      return [sender ? subjectKey(sender.id) : path, message];
    }),
  );

/** Returns the field of a path of a change. */
export function changedField(path: string, form: TemplateForm): FieldKey {
  const sender = sendersOf(form)[Number(/^update_info\.senders\.(\d+)/.exec(path)?.[1])];
  return sender ? subjectKey(sender.id) : path.replace('update_info.', '');
}
