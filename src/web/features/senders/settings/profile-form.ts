import { PER_DAY_MAX, RAMP_PERCENT_MAX, RAMP_START_MAX } from '#domain/sending/rules/daily-limit.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { Seen, TheirField } from '#web/lib/form/merged-form.ts';
import { readCount } from '#web/lib/form/written-count.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import type { ProfileLimit, ProfileRow } from './settings-query.ts';
import { PROFILE_FORM_MESSAGES as messages, SENDER_SETTINGS_MESSAGES as WORDS } from './words.ts';

/** A person while it is edited. */
export interface ProfileForm {
  readonly person_in_charge: string;
  readonly email: string;
  /** The id of the mailbox by which the person sends; '': none. */
  readonly mailbox_id: string;
  readonly reply_to: string;
  readonly bcc: string;
  /** The ids of the person's templates, in order, separated by commas. */
  readonly template_ids: string;
  readonly signature: string;
  readonly mails_per_minute: string;
  readonly per_day: string;
  /** Whether the daily limit starts low and grows. */
  readonly ramps: boolean;
  readonly ramp_start: string;
  readonly ramp_percent: string;
  readonly active: boolean;
}

/** The person to edit, or the group to add one to. */
export type ProfileOf = { readonly id: number } | { readonly groupId: number };

/** The server's default values. */
const DEFAULT_RAMP = { start: 20, percent: 30 };

export const readIds = (written: string): number[] => (written === '' ? [] : written.split(',').map(Number));
export const writeIds = (ids: readonly number[]): string => [...ids].sort((one, other) => one - other).join(',');

const limitFormOf = (limit: ProfileLimit | null) => ({
  per_day: limit === null || limit.per_day === null ? '' : String(limit.per_day),
  ramps: limit !== null && limit.ramp_from !== null,
  ramp_start: String(limit?.ramp_start ?? DEFAULT_RAMP.start),
  ramp_percent: String(limit?.ramp_percent ?? DEFAULT_RAMP.percent),
});

const formOf = (profile: ProfileRow, limit: ProfileLimit | null): ProfileForm => ({
  ...limitFormOf(limit),
  person_in_charge: profile.person_in_charge,
  email: profile.email,
  mailbox_id: profile.mailbox_id === null ? '' : String(profile.mailbox_id),
  reply_to: profile.reply_to ?? '',
  bcc: profile.bcc ?? '',
  template_ids: writeIds(profile.template_ids),
  signature: profile.signature,
  mails_per_minute: profile.mails_per_minute === null ? '' : String(profile.mails_per_minute),
  active: profile.active === 1,
});

const newForm = (templateIds: readonly number[]): ProfileForm => ({
  ...limitFormOf(null),
  person_in_charge: '',
  email: '',
  mailbox_id: '',
  reply_to: '',
  bcc: '',
  template_ids: writeIds(templateIds),
  signature: '',
  mails_per_minute: '',
  active: true,
});

/** Returns the form's fields in the form of the calls, without its templates. */
export const personOf = (form: ProfileForm) => ({
  person_in_charge: form.person_in_charge,
  email: form.email,
  reply_to: form.reply_to,
  bcc: form.bcc,
  signature: form.signature,
  mails_per_minute: readCount(form.mails_per_minute) ?? null,
});

export const mailboxOf = ({ mailbox_id }: ProfileForm): number | null =>
  mailbox_id === '' ? null : Number(mailbox_id);

/**
 * Returns the change that a save sends. An inactive person uses no template. Whether one is active is sent if it
 * changes: it needs a role of its own.
 */
export const changeOf = (form: ProfileForm, stored: Pick<ProfileRow, 'active' | 'mailbox_id'>) => ({
  ...personOf(form),
  ...(mailboxOf(form) !== stored.mailbox_id && { mailbox_id: mailboxOf(form) }),
  ...(form.active === (stored.active === 1) ? {} : { active: form.active ? (1 as const) : (0 as const) }),
  ...(form.active && { template_ids: readIds(form.template_ids) }),
});

/**
 * Returns the change of the daily limit that a save sends; null: none. A ramp that is switched on begins today. The
 * limit has no version: of two members' changes the later one wins.
 * @param today 'YYYY-MM-DD'
 */
export function limitChange(form: ProfileForm, limit: ProfileLimit | null, today: string) {
  const stored = limitFormOf(limit);
  const { per_day, ramps, ramp_start, ramp_percent } = form;
  const isSame =
    per_day === stored.per_day &&
    (per_day === '' ||
      (ramps === stored.ramps &&
        (!ramps || (ramp_start === stored.ramp_start && ramp_percent === stored.ramp_percent))));
  if (isSame) return null;
  const perDay = readCount(per_day) ?? null;
  const grows = ramps && perDay !== null;
  return {
    per_day: perDay,
    ramp_from: grows ? (limit?.ramp_from ?? today) : null,
    ...(grows && {
      ramp_start: readCount(ramp_start) ?? DEFAULT_RAMP.start,
      ramp_percent: readCount(ramp_percent) ?? DEFAULT_RAMP.percent,
    }),
  };
}

/** Returns the errors of the limits, which need no request. */
export function limitFaults({ mails_per_minute, per_day, ramps, ramp_start, ramp_percent }: ProfileForm): Faults {
  const isOf = (written: string, max: number) => {
    const value = readCount(written);
    return typeof value === 'number' && value >= 1 && value <= max;
  };
  // Without a limit nothing can grow, and the fields of the ramp are hidden.
  const grows = ramps && readCount(per_day) !== null;
  return {
    ...(readCount(mails_per_minute) === undefined ? { mails_per_minute: messages.limitFault } : {}),
    ...(readCount(per_day) === null || isOf(per_day, PER_DAY_MAX) ? {} : { per_day: messages.countFault(PER_DAY_MAX) }),
    ...(grows && !isOf(ramp_start, RAMP_START_MAX) ? { ramp_start: messages.countFault(RAMP_START_MAX) } : {}),
    ...(grows && !isOf(ramp_percent, RAMP_PERCENT_MAX) ? { ramp_percent: messages.countFault(RAMP_PERCENT_MAX) } : {}),
  };
}

/** Returns the name of the session's draft (lib/session/session-store.ts) of a person, or a group's new one. */
export const draftName = (of: ProfileOf): string =>
  'id' in of ? `sender_profile.${of.id}` : `sender_profile.new.${of.groupId}`;

/** Returns the stored form of a person; without one, the form of a new person with these templates. */
export const storedOf = (
  profile: ProfileRow | null,
  limit: ProfileLimit | null,
  templateIds: readonly number[],
): Seen<ProfileForm> =>
  profile === null
    ? { version: null, form: newForm(templateIds) }
    : { version: profile.version, form: formOf(profile, limit) };

/** Returns another member's values as the form displays them. */
export const shownValues = (
  theirs: readonly TheirField<ProfileForm>[],
  nameOf: (templateId: number) => string,
  mailboxNameOf: (id: string) => string,
): { readonly label: string; readonly value: string }[] =>
  theirs.map(({ field, theirs: value }) => {
    const label = LABELS[field];
    if (field === 'active') return { label, value: value ? WORDS.active : WORDS.inactive };
    if (field === 'ramps') return { label, value: messages.rampWords[value ? 1 : 0] };
    if (field === 'mailbox_id') return { label, value: mailboxNameOf(value) };
    if (field === 'template_ids') return { label, value: readIds(value).map(nameOf).join(LIST_SEPARATOR) };
    return { label, value: String(value) };
  });

const LABELS: Readonly<Record<keyof ProfileForm, string>> = {
  person_in_charge: messages.nameLabel,
  email: messages.emailLabel,
  mailbox_id: WORDS.mailbox,
  reply_to: WORDS.replyTo,
  bcc: WORDS.bcc,
  template_ids: messages.templates,
  signature: messages.signature,
  mails_per_minute: messages.limit,
  per_day: messages.perDay,
  ramps: messages.ramp,
  ramp_start: messages.rampStart,
  ramp_percent: messages.rampPercent,
  active: messages.active,
};
