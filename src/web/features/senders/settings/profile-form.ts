import type { Seen, TheirField } from '#web/lib/merged-form.ts';
import type { SenderFields } from './changes.ts';
import type { SenderDetail } from './settings-query.ts';
import { SENDER_FORM_MESSAGES as messages, SENDER_SETTINGS_MESSAGES as WORDS } from './words.ts';

/** A sender as it is being edited. */
export interface SenderForm {
  readonly person_in_charge: string;
  readonly email: string;
  readonly reply_to: string;
  readonly bcc: string;
  readonly template_id: string;
  /** True: overrides the template's subject. */
  readonly hasOwnSubject: boolean;
  readonly subject: string;
  readonly signature: string;
  readonly mails_per_minute: string;
  readonly active: boolean;
}

const formOf = (sender: SenderDetail): SenderForm => ({
  person_in_charge: sender.person_in_charge,
  email: sender.email,
  reply_to: sender.reply_to ?? '',
  bcc: sender.bcc ?? '',
  template_id: String(sender.template_id),
  hasOwnSubject: sender.own_subject !== null,
  subject: sender.own_subject ?? '',
  signature: sender.signature,
  mails_per_minute: sender.mails_per_minute === null ? '' : String(sender.mails_per_minute),
  active: sender.active === 1,
});

const newForm = (templateId: number | undefined): SenderForm => ({
  person_in_charge: '',
  email: '',
  reply_to: '',
  bcc: '',
  template_id: String(templateId ?? ''),
  hasOwnSubject: false,
  subject: '',
  signature: '',
  mails_per_minute: '',
  active: true,
});

/** Reads the limit: full-width digits and commas count. @returns undefined: it is no number */
export function readLimit(written: string): number | null | undefined {
  const text = written.normalize('NFKC').replaceAll(',', '').trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export const fieldsOf = (form: SenderForm, mails_per_minute: number | null): SenderFields => ({
  person_in_charge: form.person_in_charge,
  email: form.email,
  reply_to: form.reply_to,
  bcc: form.bcc,
  template_id: Number(form.template_id),
  subject: form.hasOwnSubject ? form.subject.trim() : null,
  signature: form.signature,
  mails_per_minute,
  active: form.active ? 1 : 0,
});

/** The name of the session's draft (lib/session-store.ts) of a sender, or of a new one of a group. */
export const draftName = (of: { readonly id: number } | { readonly groupId: number }): string =>
  'id' in of ? `sender.${of.id}` : `sender.new.${of.groupId}`;

/** What is stored of a sender; null: a new one. */
export const storedOf = (sender: SenderDetail | null, templateId: number | undefined): Seen<SenderForm> =>
  sender === null ? { version: null, form: newForm(templateId) } : { version: sender.version, form: formOf(sender) };

/** Returns the values of another member as the form shows them. */
export const shownValues = (
  theirs: readonly TheirField<SenderForm>[],
  stored: SenderDetail | null,
): { readonly label: string; readonly value: string }[] =>
  theirs.map(({ field, theirs: value }) => {
    if (field === 'template_id') return { label: LABELS.template_id, value: stored?.template_name ?? '' };
    if (field === 'active') return { label: LABELS.active, value: value ? WORDS.active : WORDS.inactive };
    if (field === 'hasOwnSubject') {
      return { label: LABELS.hasOwnSubject, value: value ? messages.ownSubject : messages.templateSubject };
    }
    return { label: LABELS[field], value: String(value) };
  });

const LABELS: Readonly<Record<keyof SenderForm, string>> = {
  person_in_charge: WORDS.columns.name,
  email: WORDS.columns.email,
  reply_to: messages.replyTo,
  bcc: messages.bcc,
  template_id: messages.template,
  hasOwnSubject: messages.subjectChoice,
  subject: messages.ownSubject,
  signature: messages.signature,
  mails_per_minute: messages.limit,
  active: messages.active,
};
