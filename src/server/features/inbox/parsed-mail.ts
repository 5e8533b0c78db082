import PostalMime, { type Email, type Header } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import { isAnswering } from '#domain/mail/reply.ts';
import { PASSED_ON } from '../../platform/http/hosts.ts';
import { visibleOfHtml } from '../mail-content/visible-text.ts';
import { type InboxEnvelope, MAIL_BYTES_MAX } from './inbox-mail.ts';
import { labelledMail, readJis } from './labelled-mail.ts';

/*
 * Limits the part of a mail that a parser gets. It keeps each line, part and field as an object, some outside of the
 * heap limit of a thread: 256 KB of line breaks took 600 MB. Text above a limit is cut off first. The rest is still
 * read: a report before a long letter remains a report.
 */

export const MAIL_LIMITS = {
  bytes: MAIL_BYTES_MAX,
  /** A mail of the largest size with lines of usual length has 4,000. */
  lines: 10_000,
  parts: 1000,
  /** Lines of one header, of the mail or a part, including continuation lines, and their bytes. */
  headerLines: 2000,
  headerBytes: 128 * 1024,
};

/** The header bytes that are read of an unparseable mail. */
const HEADER_BYTES_MAX = 32 * 1024;

/**
 * Returns a mail within the limits; the same bytes if it already is.
 * Cuts before the first line or part above them. Omits header fields above them, and keeps the rest of the mail.
 */
export const cutMail = (raw: Uint8Array): Uint8Array => cut(raw.subarray(0, MAIL_LIMITS.bytes));

/** Returns a mail's header within the limits and 32 KB, with its final empty line. */
const headerOf = (raw: Uint8Array): Uint8Array =>
  Buffer.concat([cut(raw.subarray(0, HEADER_BYTES_MAX), 'header'), Buffer.from('\r\n\r\n')]);

const [TAB, LF, CR, SPACE, DASH] = [9, 10, 13, 32, 45];

function cut(raw: Uint8Array, wanted: 'header' | 'all' = 'all'): Uint8Array {
  const judge = lineJudge();
  const kept: Uint8Array[] = [];
  let at = 0;
  // The start of the kept lines that are not yet in `kept`.
  let from = 0;
  while (at < raw.length) {
    const lineEnd = raw.indexOf(LF, at);
    const end = lineEnd < 0 ? raw.length : lineEnd + 1;
    const line = raw.subarray(at, end);
    const judged = judge(line);
    if (judged === 'end' || (judged === 'header-end' && wanted === 'header')) break;
    if (judged === 'left out') {
      if (from < at) kept.push(raw.subarray(from, at));
      from = end;
    }
    at = end;
  }
  const last = raw.subarray(from, at);
  return kept.length === 0 ? last : Buffer.concat([...kept, last]);
}

/**
 * Returns a function that judges a mail's lines in order. Only a parser knows the real boundaries: here each line with
 * `--` counts as one, so that no header line is missed.
 */
function lineJudge(): (line: Uint8Array) => 'kept' | 'left out' | 'header-end' | 'end' {
  const counts = { lines: 0, parts: 0 };
  let header = { lines: 0, bytes: 0 };
  let isHeader = true;
  let isFieldKept = true;
  const isLeftOut = (line: Uint8Array): boolean => {
    if (line[0] !== SPACE && line[0] !== TAB) isFieldKept = true;
    isFieldKept &&= header.lines < MAIL_LIMITS.headerLines && header.bytes + line.length <= MAIL_LIMITS.headerBytes;
    if (isFieldKept) header = { lines: header.lines + 1, bytes: header.bytes + line.length };
    return !isFieldKept;
  };
  return (line) => {
    const isPart = line[0] === DASH && line[1] === DASH;
    const isHeaderEnd = isHeader && line.every((byte) => byte === CR || byte === LF);
    if (isHeader && !isPart && !isHeaderEnd && isLeftOut(line)) return 'left out';
    counts.lines += 1;
    if (isPart) {
      counts.parts += 1;
      header = { lines: 0, bytes: 0 };
    }
    if (counts.lines > MAIL_LIMITS.lines || counts.parts > MAIL_LIMITS.parts) return 'end';
    isHeader = isPart || (isHeader && !isHeaderEnd);
    return isHeaderEnd ? 'header-end' : 'kept';
  };
}

/** cutMail stays within these limits, so the parser refuses nothing. A returned mail is read by its header only. */
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

/** Only the server of the inbox, or another cell, may write them. */
const SERVER_FIELDS: readonly string[] = ['authentication-results', PASSED_ON.toLowerCase()];

async function parse(raw: Uint8Array, isMailbox = false): Promise<Email> {
  const email = await PostalMime.parse(labelledMail(raw), LIMITS);
  return {
    ...email,
    ...(isMailbox && { headers: email.headers.filter(({ key }) => !SERVER_FIELDS.includes(key)) }),
    ...(email.text !== undefined && { text: readJis(email.text) }),
    ...(email.html !== undefined && { html: readJis(email.html) }),
  };
}

/** Parses a mail, within MAIL_LIMITS, and the header of the mail that it returns. */
export async function parseMail(raw: Uint8Array, envelope: InboxEnvelope): Promise<ParsedMail> {
  const email = await parse(cutMail(raw), envelope.isMailbox);
  const part = contentOf(email, RETURNED_TYPES);
  const returned = part === null ? null : await parseHeader(part);
  return { ...envelope, email, returned };
}

/** Parses only a mail's header. */
export async function parseMailHeader(raw: Uint8Array, envelope: InboxEnvelope): Promise<ParsedMail> {
  return { ...envelope, email: await parse(headerOf(raw), envelope.isMailbox), returned: null };
}

/** Parses text as a header up to its first empty line, and unfolds its lines. */
export const parseHeader = (text: string): Promise<Email> => parse(headerOf(Buffer.from(text.trimStart())));

const RETURNED_TYPES = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/rfc822-headers'];

/** Returns the first part of one of these types as text, without UTF-16's zero bytes. */
export function contentOf({ attachments }: Email, types: readonly string[]): string | null {
  const content = attachments.find(({ mimeType }) => types.includes(mimeType))?.content;
  return typeof content === 'string' ? content.replaceAll('\0', '') : null;
}

type WithHeaders = { readonly headers: readonly Header[] };

/** Returns the topmost field of a name: servers add theirs above the sender's. */
export const fieldOf = ({ headers }: WithHeaders, name: string): string | null =>
  headers.find(({ key }) => key === name)?.value.trim() ?? null;

/** Returns all fields of a name. */
export const fieldsOf = ({ headers }: WithHeaders, name: string): string[] =>
  headers.flatMap(({ key, value }) => (key === name ? value.trim() : []));

/**
 * Whether the envelope sender was empty, as required of bounces. Mails passed on by another cell have none: that cell
 * states which are replies of persons.
 * @returns null if unknown
 */
export function hasNullSender({ email, sender }: ParsedMail): boolean | null {
  if (PASSED_ON_REPLY.test(fieldOf(email, PASSED_ON) ?? '')) return false;
  // Postfix passes MAILER-DAEMON to its pipes instead of an empty sender.
  if (sender !== null) return sender === '' || sender === '<>' || sender === 'MAILER-DAEMON';
  const path = fieldOf(email, 'return-path');
  return path === null ? null : path === '<>' || path === '';
}

const PASSED_ON_REPLY = /^\d+; reply$/;

/** Returns the text of a mail, or the visible text of its HTML. */
export const textOf = ({ text, html }: Email): string => text ?? visibleOfHtml(html ?? '').text;

/** Returns the subject that the writer chose; '' for one copied from our mail. */
export const ownSubjectOf = ({ subject = '' }: Email): string => (isAnswering(subject) ? '' : subject);

const DELIVERED_TO = ['delivered-to', 'x-original-to', 'envelope-to'];
const TO_MAX = 20;

/** Returns the addresses that received a mail, the most reliable first. */
export function recipientsOf({ email, recipient }: ParsedMail): string[] {
  const named = DELIVERED_TO.flatMap((name) => fieldOf(email, name) ?? []);
  const to = (email.to ?? []).flatMap(({ address }) => address ?? []).slice(0, TO_MAX);
  return [...(recipient === null ? [] : [recipient]), ...named, ...to];
}

/** Returns the address in `rfc822; <a@b.example>`, in the form of addressKey. @returns null if there is none */
export function reportedAddress(field: string | null): string | null {
  const address =
    field
      ?.slice(field.indexOf(';') + 1)
      .trim()
      .replace(/^<|>$/g, '') ?? '';
  return address.includes('@') ? addressKey(address) : null;
}
