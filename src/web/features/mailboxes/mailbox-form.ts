import type { MailboxKind, MailboxStep } from '#contract/senders/mailboxes-names.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { ApiFailure } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import type { TheirField } from '#web/lib/form/merged-form.ts';
import { readCount } from '#web/lib/form/written-count.ts';
import { asMessage } from '#web/lib/phrases.ts';
import type { AddInfo, Checked, MailboxInfo } from './mailbox-calls.ts';
import { MAILBOX_CHECK_MESSAGES, MAILBOX_FORM_MESSAGES as messages } from './words.ts';

/** A mailbox while it is edited. Its password is no part of it: drafts are kept in the browser. */
export interface MailboxForm {
  readonly kind: MailboxKind;
  readonly name: string;
  readonly address: string;
  readonly smtp_host: string;
  /** The port and its encryption, such as `587/starttls`. */
  readonly port: string;
  readonly username: string;
  readonly reads: boolean;
  readonly imap_host: string;
  readonly shared: boolean;
  readonly per_day: string;
  readonly per_minute: string;
}

/** The acts on a mailbox that show its form. */
export type FormAct = 'add' | 'edit' | 'reconnect';

const portOf = ({ smtp_port, security }: Pick<Mailbox, 'smtp_port' | 'security'>): string => `${smtp_port}/${security}`;

/** Returns the choices of ports, with a stored one that is none of the usual. */
export function portChoices(stored: Mailbox | null): { readonly value: string; readonly label: string }[] {
  const usual = Object.entries(messages.ports).map(([value, label]) => ({ value, label }));
  if (stored === null || usual.some(({ value }) => value === portOf(stored))) return usual;
  const label = messages.otherPort(String(stored.smtp_port), stored.security === 'tls');
  return [...usual, { value: portOf(stored), label }];
}

export const formOf = (mailbox: Mailbox): MailboxForm => ({
  kind: mailbox.kind,
  name: mailbox.name,
  address: mailbox.address,
  smtp_host: mailbox.smtp_host,
  port: portOf(mailbox),
  username: mailbox.username,
  reads: mailbox.reads_replies === 1,
  imap_host: mailbox.imap_host ?? '',
  shared: mailbox.owner_id === null,
  per_day: String(mailbox.per_day),
  per_minute: String(mailbox.per_minute),
});

/** Returns the form of a member's first mailbox: his own address, unless it has one. */
export function newForm(
  me: { readonly name: string; readonly email: string },
  others: readonly Mailbox[],
): MailboxForm {
  const isTaken = others.some(({ address }) => addressKey(address) === addressKey(me.email));
  const address = isTaken ? '' : me.email;
  return {
    kind: 'smtp',
    name: isTaken ? '' : me.name.trim(),
    address,
    smtp_host: '',
    port: '587/starttls',
    username: address,
    reads: false,
    imap_host: '',
    shared: false,
    per_day: '',
    per_minute: '',
  };
}

/** Returns a change with what follows it: the user name an address, and the server of replies that of mails. */
export function withFollowers(form: MailboxForm, change: Partial<MailboxForm>): Partial<MailboxForm> {
  const { address, smtp_host, reads } = change;
  return {
    ...change,
    ...(address !== undefined && form.username === form.address && { username: address }),
    ...(smtp_host !== undefined && form.imap_host === form.smtp_host && { imap_host: smtp_host }),
    ...(reads === true && form.imap_host === '' && { imap_host: form.smtp_host }),
  };
}

/** Returns the connection: of a provider only whether it is read, as its servers are known. */
function connectionOf({ kind, smtp_host, port, username, reads, imap_host }: MailboxForm) {
  const reading = { reads_replies: reads ? (1 as const) : (0 as const) };
  if (kind !== 'smtp') return reading;
  return {
    smtp_host: smtp_host.trim(),
    smtp_port: Number.parseInt(port, 10),
    security: port.endsWith('/tls') ? ('tls' as const) : ('starttls' as const),
    username: username.trim(),
    ...reading,
    // Without the consent nothing looks into it, not even the check.
    ...(reads && { imap_host: imap_host.trim() }),
  };
}

/** Returns what the call adds: without the password, which follows in a change. */
export const addInfoOf = (form: MailboxForm): AddInfo => ({
  kind: form.kind,
  name: form.name.trim(),
  address: form.address.trim(),
  ...(form.shared && { is_shared: 1 as const }),
  ...connectionOf(form),
});

/** Returns all fields that a form shows, as a change sends them. */
function infoOf(form: MailboxForm, act: FormAct): MailboxInfo {
  if (act === 'reconnect') return connectionOf(form);
  const named = { name: form.name.trim(), address: form.address.trim() };
  const shared = { is_shared: form.shared ? (1 as const) : (0 as const) };
  const limits = { per_day: readCount(form.per_day) ?? 1, per_minute: readCount(form.per_minute) ?? 1 };
  return { ...named, ...shared, ...connectionOf(form), ...(act === 'edit' && limits) };
}

/** Returns what differs from the stored form, with the password that was typed. */
export function changesOf(form: MailboxForm, stored: MailboxForm, password: string, act: FormAct): MailboxInfo {
  const [now, before] = [infoOf(form, act), infoOf(stored, act)];
  const changed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof MailboxInfo]);
  return { ...Object.fromEntries(changed), ...(password !== '' && { password }) };
}

/** The fields whose change ends what a check has proved. */
const CHECKED = ['address', 'smtp_host', 'smtp_port', 'security', 'username', 'imap_host', 'password'] as const;

export const needsCheck = (info: MailboxInfo): boolean => CHECKED.some((name) => info[name] !== undefined);

/** Whether a save needs the password: the server never sends a stored one to another server, or for another user. */
export function needsPassword(form: MailboxForm, stored: MailboxForm, act: FormAct): boolean {
  if (form.kind !== 'smtp') return false;
  const isOther = (name: 'smtp_host' | 'username' | 'imap_host') => form[name].trim() !== stored[name];
  return act !== 'edit' || isOther('smtp_host') || isOther('username') || (form.reads && isOther('imap_host'));
}

/** The most mails a day, by the kind of the mailbox. */
const MOST_A_DAY: Readonly<Record<MailboxKind, number>> = { smtp: 10_000, google: 1500, microsoft: 5000 };
const MOST_A_MINUTE = 60;

const countFault = (written: string, max: number): string | undefined => {
  const value = readCount(written);
  return typeof value === 'number' && value >= 1 && value <= max ? undefined : messages.countFault(max);
};

/** Returns the errors that need no request. @param stored the form without changes */
export function formFaults(form: MailboxForm, stored: MailboxForm, password: string, act: FormAct): Faults {
  const { missing } = messages;
  const isEmpty = (name: Exclude<keyof typeof missing, 'password'>) => form[name].trim() === '';
  const isPassword = form.kind === 'smtp';
  const asked = [
    ...(act === 'reconnect' ? [] : (['name', 'address'] as const)),
    ...(isPassword ? (['smtp_host', 'username'] as const) : []),
    ...(isPassword && form.reads && act !== 'reconnect' ? (['imap_host'] as const) : []),
  ];
  const limits = act === 'edit' && {
    per_day: countFault(form.per_day, MOST_A_DAY[form.kind]),
    per_minute: countFault(form.per_minute, MOST_A_MINUTE),
  };
  const found: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(asked.filter(isEmpty).map((name) => [name, missing[name]])),
    ...(needsPassword(form, stored, act) && password === '' && { password: missing.password }),
    ...limits,
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, fault]) => (fault === undefined ? [] : [[name, fault]])),
  );
}

/** Returns the field of the form for a path of a call. */
export const fieldOf = (path: string): string => {
  const name = path.replace(/^\w+_info\./, '');
  return { smtp_port: 'port', security: 'port', reads_replies: 'reads', is_shared: 'shared' }[name] ?? name;
};

/** The fields of refusals without details. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  address_taken: 'address',
  invalid_host: 'smtp_host',
  reads_refusals: 'reads',
};

/** Returns a refusal with its field. */
export function placed(failure: ApiFailure): ApiFailure {
  const path = FIELD_OF_CODE[failure.code];
  return path === undefined || (failure.details ?? []).length > 0
    ? failure
    : { ...failure, details: [{ path, message: failure.message }] };
}

/** The fields in which the faults of a check arise. */
const FIELD_OF_STEP: Readonly<Partial<Record<MailboxStep, string>>> = {
  host: 'smtp_host',
  connect: 'smtp_host',
  tls: 'port',
  login: 'password',
  from: 'address',
  imap: 'imap_host',
};

/** Returns the failure of a check, with its faults at their fields; null: the mailbox can be used. */
export function failureOf({ state, steps }: Checked): ApiFailure | null {
  const bad = steps.filter((found) => found.state === 'bad');
  if (state === 'ok' && bad.length === 0) return null;
  const details = bad.flatMap(({ step, text }) => {
    const path = FIELD_OF_STEP[step];
    return path === undefined ? [] : [{ path, message: asMessage(text) }];
  });
  return { ok: false, status: 409, code: 'check_failed', message: MAILBOX_CHECK_MESSAGES.failed, details };
}

/** Returns another member's values as the form displays them. */
export const shownValues = (
  theirs: readonly TheirField<MailboxForm>[],
): { readonly label: string; readonly value: string }[] =>
  theirs.map(({ field, theirs: value }) => ({
    label: messages.labels[field],
    value: typeof value === 'boolean' ? messages.ticked[value ? 1 : 0] : value,
  }));

/** Returns why another address cannot be a sender of a mailbox; null: it can. */
export function faultOfFrom({ steps }: Checked): ApiFailure | null {
  const bad = steps.find(({ state }) => state === 'bad');
  if (bad === undefined) return null;
  return { ok: false, status: 409, code: 'check_failed', message: asMessage(bad.text) };
}
