import { isUtf8 } from 'node:buffer';

/*
 * Adds or corrects the charset label of Japanese mails before the parser reads them.
 * The parser reads bytes without a label as UTF-8.
 */

/** Labels of ASCII, and meaningless ones. */
const NO_LABELS = 'us-?ascii|ascii|ansi_x3\\.4-19\\d\\d|unknown-?8bit|unknown|x-unknown|default|none|_?auto\\w*';

/** Names that postal-mime knows for labels that it does not. */
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
/** A text that is Japanese, and not by chance. */
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
 * Returns bytes without a label as UTF-8, if they are Japanese; otherwise unchanged.
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
 * Returns a mail whose Japanese a parser reads: the header in UTF-8, known label names, and an unlabelled body in
 * UTF-8. Other mails are unchanged.
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

/** Decodes a text that was read without its label, and so contains JIS escape sequences. */
export const readJis = (text: string): string =>
  JIS_ESCAPE.test(text)
    ? text.replace(JIS_RUN, (run) => new TextDecoder('iso-2022-jp').decode(Buffer.from(run)))
    : text;
