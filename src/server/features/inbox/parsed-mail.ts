import PostalMime, { type Email, type Header } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import { isAnswering } from '#domain/mail/reply.ts';
import { PASSED_ON } from '../../platform/http/hosts.ts';
import { visibleOfHtml } from '../mail-content/visible-text.ts';
import { cutMail, headerOf, MAIL_LIMITS } from './cut-mail.ts';
import type { InboxEnvelope } from './inbox-mail.ts';
import { labelledMail, readJis } from './labelled-mail.ts';

/** cutMail keeps within them, so that nothing is refused. A returned mail is read by its header, never as a mail. */
const LIMITS = {
  maxNestingDepth: MAIL_LIMITS.parts,
  maxHeadersSize: MAIL_LIMITS.bytes,
  maxRfc822NestingDepth: 0,
  forceRfc822Attachments: true,
  attachmentEncoding: 'utf8',
} as const;

export interface ParsedMail extends InboxEnvelope {
  readonly email: Email;
  /** Of the mail, or of the returned part in a report. */
  readonly returned: Email | null;
}

async function parse(raw: Uint8Array): Promise<Email> {
  const email = await PostalMime.parse(labelledMail(raw), LIMITS);
  return {
    ...email,
    ...(email.text !== undefined && { text: readJis(email.text) }),
    ...(email.html !== undefined && { html: readJis(email.html) }),
  };
}

/** Parses a mail, within the limits of cut-mail.ts, and the header of the mail that it returns. */
export async function parseMail(raw: Uint8Array, envelope: InboxEnvelope): Promise<ParsedMail> {
  const email = await parse(cutMail(raw));
  const part = contentOf(email, RETURNED_TYPES);
  const returned = part === null ? null : await parseHeader(part);
  return { ...envelope, email, returned };
}

/** Parses the header of a mail alone. */
export async function parseMailHeader(raw: Uint8Array, envelope: InboxEnvelope): Promise<ParsedMail> {
  return { ...envelope, email: await parse(headerOf(raw)), returned: null };
}

/** Parses text as a header, up to its first empty line: nothing unfolds by hand. */
export const parseHeader = (text: string): Promise<Email> => parse(headerOf(Buffer.from(text.trimStart())));

const RETURNED_TYPES = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/rfc822-headers'];

/** Returns the first part of one of these types as text, without the zeros of UTF-16. */
export function contentOf({ attachments }: Email, types: readonly string[]): string | null {
  const content = attachments.find(({ mimeType }) => types.includes(mimeType))?.content;
  return typeof content === 'string' ? content.replaceAll('\0', '') : null;
}

type WithHeaders = { readonly headers: readonly Header[] };

/** Returns the topmost field of a name: servers add theirs above those of the sender. */
export const fieldOf = ({ headers }: WithHeaders, name: string): string | null =>
  headers.find(({ key }) => key === name)?.value.trim() ?? null;

/** Returns all fields of a name. */
export const fieldsOf = ({ headers }: WithHeaders, name: string): string[] =>
  headers.flatMap(({ key, value }) => (key === name ? value.trim() : []));

/**
 * Whether the envelope sender was empty, as that of each bounce must be. All that another cell passes on comes without
 * one: it says which mails are a person's answers.
 * @returns null where nobody says so
 */
export function hasNullSender({ email, sender }: ParsedMail): boolean | null {
  if (PASSED_ON_REPLY.test(fieldOf(email, PASSED_ON) ?? '')) return false;
  // Postfix gives its pipes MAILER-DAEMON in place of an empty sender.
  if (sender !== null) return sender === '' || sender === '<>' || sender === 'MAILER-DAEMON';
  const path = fieldOf(email, 'return-path');
  return path === null ? null : path === '<>' || path === '';
}

const PASSED_ON_REPLY = /^\d+; reply$/;

/** Returns the text of a mail, or the visible text of its HTML. */
export const textOf = ({ text, html }: Email): string => text ?? visibleOfHtml(html ?? '').text;

/** Returns the subject that its writer chose. One taken over from our mail says nothing: '' in its place. */
export const ownSubjectOf = ({ subject = '' }: Email): string => (isAnswering(subject) ? '' : subject);

const DELIVERED_TO = ['delivered-to', 'x-original-to', 'envelope-to'];
const TO_MAX = 20;

/** Returns the addresses that a mail came to, the most reliable first. */
export function recipientsOf({ email, recipient }: ParsedMail): string[] {
  const named = DELIVERED_TO.flatMap((name) => fieldOf(email, name) ?? []);
  const to = (email.to ?? []).flatMap(({ address }) => address ?? []).slice(0, TO_MAX);
  return [...(recipient === null ? [] : [recipient]), ...named, ...to];
}

/** Returns the address in `rfc822; <a@b.example>`, in the form of addressKey. @returns null for none */
export function reportedAddress(field: string | null): string | null {
  const address =
    field
      ?.slice(field.indexOf(';') + 1)
      .trim()
      .replace(/^<|>$/g, '') ?? '';
  return address.includes('@') ? addressKey(address) : null;
}
