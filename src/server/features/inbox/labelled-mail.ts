import { isUtf8 } from 'node:buffer';

/*
 * Japanese mails whose label no parser knows, or that have none: they are given one, before the parser reads them.
 * It reads bytes without a label as UTF-8.
 */

/** Labels of ASCII, and those that say nothing. */
const NO_LABELS = 'us-?ascii|ascii|ansi_x3\\.4-19\\d\\d|unknown-?8bit|unknown|x-unknown|default|none|_?auto\\w*';

/** Labels that postal-mime does not know, by those that it does. */
const ALIASES: Readonly<Record<string, string>> = {
  'iso-2022-jp': 'iso-?2022-?jp[-_](?:ms|3|2004|ext)|cp50220-?ms|x-?iso-?2022-?jp[-_]?\\w*',
  'euc-jp': 'x-?euc-?jp[-_]ms|euc-?jp[-_](?:ms|win|2004|jisx0213)|ujis|x-ujis|eucjp-open|u-jis',
  'utf-8': NO_LABELS,
  shift_jis: 'shift_?jis[-_](?:2004|x0213|ms|win)|sjis[-_](?:win|ms|2004|open|mac)|x-mac-japanese|macjapanese',
};
const LABELS = Object.entries(ALIASES).map(
  ([known, labels]) =>
    [known, new RegExp(`(charset\\*?\\s*=\\s*"?'?|=\\?)(?:${labels})(?=["';\\s?*]|$)`, 'gi')] as const,
);

const ESCAPE = String.fromCharCode(27);
const JIS_ESCAPE = new RegExp(`${ESCAPE}(?:\\$[@B]|\\$\\(D|\\(I)`);
const JIS_RUN = new RegExp(`${ESCAPE}\\p{ASCII}*`, 'gu');
/** A label that names an encoding of more than ASCII. */
const LABEL = new RegExp(`charset\\*?\\s*=\\s*"?(?!(?:${NO_LABELS})\\b)[\\w]`, 'i');
/** What chance makes no Japanese of. */
const JAPANESE = /[ぁ-んァ-ヶ]|[一-龠]{2}/;
const ENDS_HEADER = /\r?\n\r?\n/;

function decoded(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Returns bytes without a label as UTF-8. Bytes that are no Japanese stay.
 * @param latin1 each character is a byte
 */
function asUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  const text = JIS_ESCAPE.test(latin1)
    ? new TextDecoder('iso-2022-jp').decode(bytes)
    : isUtf8(bytes)
      ? null
      : ['euc-jp', 'shift_jis'].map((encoding) => decoded(encoding, bytes)).find((one) => JAPANESE.test(one ?? ''));
  return typeof text === 'string' ? Buffer.from(text).toString('latin1') : latin1;
}

/**
 * Returns a mail whose Japanese a parser reads: its header in UTF-8, labels by a name that is known, and a body without
 * a label anywhere in UTF-8. Other mails are returned as they are.
 */
export function labelledMail(raw: Uint8Array): Uint8Array {
  const mail = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('latin1');
  const headerEnd = ENDS_HEADER.exec(mail)?.index ?? mail.length;
  const header = asUtf8(mail.slice(0, headerEnd));
  const body = mail.slice(headerEnd);
  let read = header + (LABEL.test(mail) ? body : asUtf8(body));
  for (const [known, label] of LABELS) read = read.replace(label, (_, before: string) => before + known);
  return read === mail ? raw : Buffer.from(read, 'latin1');
}

/** Returns a text that was read without its label: the escape sequences of JIS are in it. */
export const readJis = (text: string): string =>
  JIS_ESCAPE.test(text)
    ? text.replace(JIS_RUN, (run) => new TextDecoder('iso-2022-jp').decode(Buffer.from(run)))
    : text;
