/**
 * Extracts the words of a reply's writer from what mail programs, signatures and ticket systems add.
 * Each line is read once, and repetitions in patterns are bounded: the time is linear in the length.
 */

/** The parts of a reply. */
export interface OwnWords {
  /** The text above the first quotation, unchanged. */
  readonly above: string;
  /** The writer's own sentences in a normalised form: half-width, in lower case. */
  readonly sentences: readonly string[];
  /** The writer's separate lines: a mail without 「。」 is read line by line too. */
  readonly lines: readonly string[];
  /** The signature's lines, and those below it. */
  readonly signature: readonly string[];
  /** Holds text of our mail that a program copied without marking it as a quotation. */
  readonly holdsOurMail: boolean;
}

const QUOTED_LINE = /^ {0,3}[>＞]/;

/** After one of these, everything is the quoted mail. */
const QUOTED_BELOW = [
  /^_{10,}/,
  /^-{2,} ?(?:original message|forwarded message|元のメッセージ|転送されたメッセージ)/i,
  /^(?:from|差出人|送信者) ?[:：]/i,
];

/** The same, unless lines with quotation marks of their own follow. */
const INTRODUCTIONS = [
  /^on .{1,200} wrote:/i,
  /^.{0,20}\d{4}[年/.-]\d{1,2}[月/.-]\d{1,2}.{0,200}[:：]$/,
  /^.{1,80}(?:さん|様)(?:は|が)書きました[:：]?$/,
];

/** A link of ours, or the footer's line with it. */
const OUR_MAIL = /\/u\/[0-9a-f]{32}|配信を停止(?:（|\()受信を拒否/i;

/** RFC 3676's mark of a signature, or a line that people draw. */
const SIGNATURE_MARK = /^-- ?$/;
const RULE = /^[-=_*+~#/:.･・…‥―─━═ー－—–＝＿＊＋〜～☆★◇◆□■○●∴∵※ ]{5,}$/;
/** What the lines below the rule of a signature contain. */
const CONTACT =
  /(?:株式|有限|合同|合資)会社|\(株\)|㈱|法人|tel|℡|電話|fax|e-?mail|@|https?:|www\.|〒|co\.|ltd|inc\.|[部課室]\s*\S{1,10}$/i;
const CONTACT_LINES = 4;

/** The longest sentence that is read, because patterns look ahead within it. Nobody writes longer ones. */
const SENTENCE_LENGTH = 600;

/** Splits a reply into its parts. @param text at most some ten thousand characters */
export function ownWordsOf(text: string): OwnWords {
  const lines = text.split(/\r\n?|\n/);
  const { own, firstQuoted } = withoutQuotations(lines);
  const start = signatureStart(own);
  const written = own.slice(0, start).map(plain);
  return {
    above: firstQuoted === null ? text : lines.slice(0, firstQuoted).join('\n'),
    sentences: sentencesOf(joined(written)),
    lines: sentencesOf(written),
    signature: sentencesOf(own.slice(start).map(plain)),
    holdsOurMail: OUR_MAIL.test(own.join('\n').replace(/[ \t]+/g, '')),
  };
}

/** The normalised form in which words are searched. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/[ \t]+/g, ' ')
    .trim();

function withoutQuotations(lines: readonly string[]): { readonly own: string[]; readonly firstQuoted: number | null } {
  const own: string[] = [];
  let firstQuoted: number | null = null;
  // The index of the next non-empty line, computed once for all lines.
  const nextOf = nextLines(lines);
  for (const [index, line] of lines.entries()) {
    const isIntroduction = INTRODUCTIONS.some((pattern) => pattern.test(line));
    const next = lines[nextOf[index] ?? lines.length] ?? '';
    const isQuoted = QUOTED_LINE.test(line) || (isIntroduction && QUOTED_LINE.test(next));
    const endsHere = isIntroduction || QUOTED_BELOW.some((pattern) => pattern.test(line));
    if (isQuoted || endsHere) firstQuoted ??= index;
    if (isQuoted) continue;
    if (endsHere) break;
    own.push(line);
  }
  return { own, firstQuoted };
}

/** @returns for each line the index of the next non-empty one */
function nextLines(lines: readonly string[]): readonly number[] {
  const next: number[] = [];
  let found = lines.length;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    next[index] = found;
    if (/\S/.test(lines[index] ?? '')) found = index;
  }
  return next;
}

function signatureStart(lines: readonly string[]): number {
  const start = lines.findIndex(
    (line, index) =>
      SIGNATURE_MARK.test(line) ||
      (RULE.test(line) && lines.slice(index + 1, index + 1 + CONTACT_LINES).some((next) => CONTACT.test(next))),
  );
  return start === -1 ? lines.length : start;
}

/** A line with this end ends its sentence. Programs may break others after a number of letters. */
const ENDED = /(?:です|ます|ました|でした|ません|でしょう|ですか|ますか|ください|下さい|[。.!?:;」)|])$/;
const IS_LATIN = /[a-z0-9,.;:!?'")]$/;

/** Joins a paragraph's lines that belong to one sentence. */
function joined(lines: readonly string[]): string[] {
  const paragraphs: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line === '') {
      isOpen = false;
      continue;
    }
    if (isOpen) paragraphs.at(-1)?.push(line);
    else paragraphs.push([line]);
    isOpen = !ENDED.test(line);
  }
  return paragraphs.map((parts) => parts.map((part) => (IS_LATIN.test(part) ? `${part} ` : part)).join(''));
}

/** Splits text into sentences. A full stop within a name or a number does not end one. */
const sentencesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line
      .split(/[。!?]|\.(?= |$)/)
      .map((sentence) => sentence.trim().slice(0, SENTENCE_LENGTH))
      .filter((sentence) => sentence !== ''),
  );
