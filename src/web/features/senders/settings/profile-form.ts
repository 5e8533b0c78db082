import type { Seen, TheirField } from '#web/lib/merged-form.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { readCount } from '#web/lib/written-count.ts';
import type { ProfileRow } from './settings-query.ts';
import { PROFILE_FORM_MESSAGES as messages, SENDER_SETTINGS_MESSAGES as WORDS } from './words.ts';

/** A person as it is being edited. */
export interface ProfileForm {
  readonly person_in_charge: string;
  readonly email: string;
  readonly reply_to: string;
  readonly bcc: string;
  /** The ids of its templates, in order, between commas. */
  readonly template_ids: string;
  readonly signature: string;
  readonly mails_per_minute: string;
  readonly active: boolean;
}

/** The person to edit, or the group to add one to. */
export type ProfileOf = { readonly id: number } | { readonly groupId: number };

export const readIds = (written: string): number[] => (written === '' ? [] : written.split(',').map(Number));
export const writeIds = (ids: readonly number[]): string => [...ids].sort((one, other) => one - other).join(',');

const formOf = (profile: ProfileRow): ProfileForm => ({
  person_in_charge: profile.person_in_charge,
  email: profile.email,
  reply_to: profile.reply_to ?? '',
  bcc: profile.bcc ?? '',
  template_ids: writeIds(profile.template_ids),
  signature: profile.signature,
  mails_per_minute: profile.mails_per_minute === null ? '' : String(profile.mails_per_minute),
  active: profile.active === 1,
});

const newForm = (templateIds: readonly number[]): ProfileForm => ({
  person_in_charge: '',
  email: '',
  reply_to: '',
  bcc: '',
  template_ids: writeIds(templateIds),
  signature: '',
  mails_per_minute: '',
  active: true,
});

/** What the calls have of a person, without its templates. */
export const personOf = (form: ProfileForm) => ({
  person_in_charge: form.person_in_charge,
  email: form.email,
  reply_to: form.reply_to,
  bcc: form.bcc,
  signature: form.signature,
  mails_per_minute: readCount(form.mails_per_minute) ?? null,
});

/** What a save changes. One that is switched off uses no template. */
export const changeOf = (form: ProfileForm) => ({
  ...personOf(form),
  ...(form.active ? { active: 1 as const, template_ids: readIds(form.template_ids) } : { active: 0 as const }),
});

/** The name of the session's draft (lib/session-store.ts) of a person, or of a new one of a group. */
export const draftName = (of: ProfileOf): string =>
  'id' in of ? `sender_profile.${of.id}` : `sender_profile.new.${of.groupId}`;

/** What is stored of a person; null: a new one, which uses these templates at first. */
export const storedOf = (profile: ProfileRow | null, templateIds: readonly number[]): Seen<ProfileForm> =>
  profile === null
    ? { version: null, form: newForm(templateIds) }
    : { version: profile.version, form: formOf(profile) };

/** Returns the values of another member as the form shows them. */
export const shownValues = (
  theirs: readonly TheirField<ProfileForm>[],
  nameOf: (templateId: number) => string,
): { readonly label: string; readonly value: string }[] =>
  theirs.map(({ field, theirs: value }) => {
    const label = LABELS[field];
    if (field === 'active') return { label, value: value ? WORDS.active : WORDS.inactive };
    if (field === 'template_ids') return { label, value: readIds(value).map(nameOf).join(LIST_SEPARATOR) };
    return { label, value: String(value) };
  });

const LABELS: Readonly<Record<keyof ProfileForm, string>> = {
  person_in_charge: messages.nameLabel,
  email: messages.emailLabel,
  reply_to: WORDS.replyTo,
  bcc: WORDS.bcc,
  template_ids: messages.templates,
  signature: messages.signature,
  mails_per_minute: messages.limit,
  active: messages.active,
};
