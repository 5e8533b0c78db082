import { MAX_DOMAIN_LABEL_LENGTH, MAX_EMAIL_LENGTH, MAX_LOCAL_PART_LENGTH } from '../limits.ts';

/** Normalises typed mail addresses to the one form that is stored, compared and sent. */

export type MailAddressFault =
  | 'blank'
  | 'too_long'
  | 'control_character'
  | 'space'
  | 'list'
  | 'group'
  | 'comment'
  | 'quoted'
  | 'display_name'
  | 'address_literal'
  | 'no_at'
  | 'local_part'
  | 'non_ascii_local_part'
  | 'idn'
  | 'domain';

export type ParsedMailAddress = { ok: true; address: string } | { ok: false; reason: MailAddressFault };

/** The longest text that is read. No address with its wrapping is longer, so this bounds the work on hostile input. */
const MAX_WRITTEN_LENGTH = 2 * MAX_EMAIL_LENGTH;

/** Control characters (C0, C1), line separators, and invisible or direction-changing characters. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** RFC 5322 atext and the dot. It allows `..` and a dot at either end, as in old docomo addresses. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NON_ASCII = /[^\p{ASCII}]/u;

/**
 * Folds only full-width ASCII and the half-width 。. NFKC would also turn ① into 1 and the Kelvin sign into K, so that
 * another person would get the mail.
 */
const foldWidth = (text: string): string =>
  text
    .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll('\u3000', ' ')
    .replaceAll('｡', '。');

function unwrap(written: string): string {
  let text = written.trim().replace(/。$/, '');
  if (text.startsWith('<') && text.endsWith('>')) text = text.slice(1, -1).trim();
  if (/^mailto:/i.test(text)) text = text.slice('mailto:'.length).replace(/\?.*$/, '').trim();
  return text;
}

/** Returns why a text is not a single plain address. The most helpful reason takes precedence. */
function structureFault(text: string): MailAddressFault | null {
  if (text === '') return 'blank';
  if (CONTROL.test(text)) return 'control_character';
  if (text.includes('"')) return 'quoted';
  if (/[()]/.test(text)) return 'comment';
  if (/[[\]]/.test(text)) return 'address_literal';
  if (/:.*;/.test(text)) return 'group';
  if (/[,;、]/.test(text) || text.indexOf('@') !== text.lastIndexOf('@')) return 'list';
  if (/[<>]/.test(text)) return 'display_name';
  if (/\s/.test(text)) return 'space';
  return text.includes('@') ? null : 'no_at';
}

function domainFault(domain: string): MailAddressFault | null {
  if (NON_ASCII.test(domain)) return 'idn';
  const labels = domain.split('.');
  if (labels.length < 2) return 'domain';
  if (labels.some((label) => label.length > MAX_DOMAIN_LABEL_LENGTH)) return 'too_long';
  // A last label of digits would make the domain an IP address.
  if (!labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? '')) return 'domain';
  return null;
}

/**
 * Normalises an address, or returns why it is not one. Folds full-width forms, removes white space, `mailto:`, `<…>`
 * and a trailing 。, and lower-cases the domain. The local part keeps its case (addressKey compares without it).
 * Unnecessary quotes are removed, so that `"a..b"@x.jp` and `a..b@x.jp` are one address. Domains outside ASCII are
 * refused (`idn`); they can be written as xn--. The time is linear in the text.
 */
export function parseMailAddress(written: string): ParsedMailAddress {
  if (written.length > MAX_WRITTEN_LENGTH) return { ok: false, reason: 'too_long' };
  const text = unwrap(foldWidth(written)).replace(/^"([^"\s@]+)"@/, '$1@');
  const fault = structureFault(text);
  if (fault !== null) return { ok: false, reason: fault };

  const at = text.indexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (NON_ASCII.test(local)) return { ok: false, reason: 'non_ascii_local_part' };
  if (!LOCAL_PART.test(local)) return { ok: false, reason: 'local_part' };
  if (local.length > MAX_LOCAL_PART_LENGTH || text.length > MAX_EMAIL_LENGTH) return { ok: false, reason: 'too_long' };
  const domainReason = domainFault(domain);
  if (domainReason !== null) return { ok: false, reason: domainReason };
  return { ok: true, address: `${local}@${domain.toLowerCase()}` };
}

/** Hides most of an address's local part, so that only its owner recognises it. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return `${local.slice(0, local.length > 2 ? 2 : 1)}***${address.slice(at)}`;
}
