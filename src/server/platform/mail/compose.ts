import { randomUUID } from 'node:crypto';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import { type RefusalPlace, refusalMailto } from '#domain/law/refusal-place.ts';
import { signMessage } from './dkim.ts';
import type { Outcome } from './outcome.ts';
import type { SmtpSettings } from './smtp/settings.ts';

/* Composes a mail's message as it is transferred, and signs it. */

export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  /** The address for replies; null: the sender's. */
  readonly replyTo?: string | null;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Includes the angle brackets. */
  readonly messageId: string;
  /** The Message-ID of the mail in whose thread it goes; absent: it starts a thread. */
  readonly follows?: string | undefined;
  /** It names its own Message-ID as a reference, because the server may replace the field. */
  readonly namesItself?: boolean;
  readonly date: Date;
  /** Where its reader can opt out; null: nowhere, as in the program's own mails. */
  readonly refusal?: RefusalPlace | null;
  /** An address that also accepts opt-outs of this mail; null: none. */
  readonly refusalAddress?: string | null;
  /** A mail that no person wrote, so that autoresponders do not answer it. Letters to companies are not automatic. */
  readonly isAutomatic?: boolean;
}

/** Returns whether a header value holds CR, LF or NUL, and so could inject fields or break the mail. */
export const isUnsafeHeader = (value: string): boolean => /[\r\n\0]/.test(value);

/**
 * Composes the message as it is transferred: UTF-8 text and HTML, encoded in ASCII. Lines end with CRLF and stay below
 * 998 bytes. nodemailer writes the header fields. The body parts are joined here, because nodemailer's streams take
 * half of a mail's time.
 * @throws if a header field holds CR, LF or NUL, which the caller should have refused
 */
export function composeMessage(mail: Mail): Buffer {
  const {
    from,
    replyTo = null,
    to,
    subject,
    text,
    html,
    messageId,
    follows,
    namesItself = false,
    date,
    refusal = null,
    refusalAddress = null,
    isAutomatic = false,
  } = mail;
  for (const value of [from.name, from.address, replyTo ?? '', to, subject, messageId, follows ?? '']) {
    if (isUnsafeHeader(value)) throw new Error('CR, LF or NUL in a header field');
  }
  const lines = [
    shared('From', `${from.name}\n${from.address}`, () =>
      looksEncoded(from.name) ? folded('From', `${encoded(from.name)} <${from.address}>`) : field('From', from),
    ),
    ...(replyTo === null ? [] : [field('Reply-To', { name: '', address: replyTo })]),
    field('To', { name: '', address: to }),
    shared('Subject', subject, () => field('Subject', looksEncoded(subject) ? encoded(subject) : subject)),
    field('Message-ID', messageId),
    ...threadFields(follows, namesItself ? messageId : undefined).map(([name, value]) => field(name, value)),
    ...refusalFields(refusal, refusalAddress).map(([name, value]) => `${name}: ${value}`),
    ...(isAutomatic ? [field(...AUTOMATIC_FIELD)] : []),
    field('Date', date),
    'MIME-Version: 1.0',
    // An empty HTML part would hide the text in every client that prefers HTML.
    html.trim() === '' ? part('plain', text) : alternatives(part('plain', text), part('html', html)),
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

/** The field of a mail that a program sends by itself (RFC 3834, section 5). */
export const AUTOMATIC_FIELD = ['Auto-Submitted', 'auto-generated'] as const;

/**
 * Returns the fields by which a mail program offers to unsubscribe (RFC 2369).
 * With an opt-out page of ours, one click suffices (RFC 8058). Their lines are not folded: a reader need not expect a
 * break within the brackets.
 * @param address that also accepts opt-outs of this mail
 */
export function refusalFields(
  place: RefusalPlace | null,
  address: string | null = null,
): readonly (readonly [name: string, value: string])[] {
  if (place === null) return [];
  if ('email' in place) return [['List-Unsubscribe', `<${refusalMailto(place.email, place.mailKey)}>`]];
  const places = [place.url, ...(address === null ? [] : [refusalMailto(address)])];
  return [
    ['List-Unsubscribe', places.map((one) => `<${one}>`).join(', ')],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ];
}

/**
 * Returns the fields that put a mail into another mail's thread (RFC 5322, section 3.6.4).
 * @param own the mail's own Message-ID, named as a reference too: answers repeat it where a server replaces the field
 */
export function threadFields(
  follows: string | undefined,
  own?: string,
): readonly (readonly [name: string, value: string])[] {
  const references = [follows, own].filter((id) => id !== undefined).join(' ');
  return [
    ...(follows === undefined ? [] : [['In-Reply-To', follows] as const]),
    ...(references === '' ? [] : [['References', references] as const]),
  ];
}

function alternatives(...parts: readonly string[]): string {
  const boundary = `_part_${randomUUID()}`;
  return [
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    ...parts.flatMap((written) => [`--${boundary}`, written]),
    `--${boundary}--`,
  ].join('\r\n');
}

/** Belongs to no message; it only encodes header values. */
const writer = new MimeNode();

const field = (name: string, value: string | Date | Mail['from']): string =>
  folded(name, writer.encodeHeaderValue(name, value));

/** The last written line of each field that most mails of a run share. */
const last = new Map<string, { readonly value: string; readonly line: string }>();

/** Returns the last line of a field, or writes a new one if its value differs. */
function shared(name: string, value: string, write: () => string): string {
  const known = last.get(name);
  if (known?.value === value) return known.line;
  const line = write();
  last.set(name, { value, line });
  return line;
}

const folded = (name: string, value: string): string => foldLines(`${name}: ${value}`, LINE_LENGTH);

/**
 * Returns whether a text looks like an RFC 2047 encoded word. A mail program would decode it, and nodemailer does not
 * escape it.
 */
const looksEncoded = (text: string): boolean => text.includes('=?');
const encoded = (text: string): string => encodeWord(text, 'B', ENCODED_LENGTH);

const ENCODED_LENGTH = 52;
const LINE_LENGTH = 76;
const isShortAscii = (text: string): boolean =>
  /^[\t\r\n\x20-\x7e]*$/.test(text) && text.split(/[\r\n]/).every(({ length }) => length <= LINE_LENGTH);

function part(subtype: 'plain' | 'html', text: string): string {
  const isPlain = isShortAscii(text);
  return [
    `Content-Type: text/${subtype}; charset=utf-8`,
    `Content-Transfer-Encoding: ${isPlain ? '7bit' : 'base64'}`,
    '',
    isPlain ? text.replace(/\r\n?|\n/g, '\r\n') : inLines(Buffer.from(text).toString('base64')),
  ].join('\r\n');
}

/** Breaks base64 into lines, twice as fast as a regular expression. */
function inLines(encoded: string): string {
  let lines = encoded.slice(0, LINE_LENGTH);
  for (let from = LINE_LENGTH; from < encoded.length; from += LINE_LENGTH) {
    lines += `\r\n${encoded.slice(from, from + LINE_LENGTH)}`;
  }
  return lines;
}

export interface Envelope {
  readonly from: string;
  /** The header's From address, if it differs from the envelope's. Receivers compare it with the signature. */
  readonly author?: string;
  /** The main recipient, who decides the outcome. The others get copies. */
  readonly to: string;
  readonly bcc: readonly string[];
}

/** A composed mail, not signed yet. */
export interface ComposedMail {
  readonly envelope: Envelope;
  readonly message: Buffer;
}

/** A mail as it is sent: signed, with its addresses checked. */
export type SignedMail = ComposedMail;

/** Signs a mail and checks its addresses. @returns an outcome if it must not be offered to a server */
export async function signMail(
  { envelope, message }: ComposedMail,
  { dkim = null }: Pick<SmtpSettings, 'dkim'>,
): Promise<SignedMail | Extract<Outcome, { kind: 'unsendable' }>> {
  // An empty sender: nobody may reply to the mail (RFC 5321 4.5.5).
  const addresses = [...(envelope.from === '' ? [] : [envelope.from]), envelope.to, ...envelope.bcc];
  if (!addresses.every((address) => PLAIN_ADDRESS.test(address))) return { kind: 'unsendable', reply: NOT_PLAIN };
  try {
    return { envelope, message: await signMessage(message, envelope.author ?? envelope.from, dkim) };
  } catch {
    return { kind: 'unsendable', reply: NOT_SIGNED };
  }
}

/**
 * Matches an address that needs no SMTPUTF8, and cannot end a command. Only ASCII addresses are accepted
 * (src/domain/mail/address.ts). This refuses one from another source before a server could read it as another person's.
 * The composed message is ASCII too, and so needs no 8BITMIME.
 */
const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
const NOT_PLAIN = 'メールアドレスに半角英数字と記号以外の文字が含まれています';

/** The key was checked at startup. The error of a later failure could reveal part of it, so it is not shown. */
const NOT_SIGNED =
  'メールにDKIM署名を付けられなかったため、送信しませんでした。このサーバーのDKIMの設定を確認してください。';
