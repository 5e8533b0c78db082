/**
 * What the writer of an answer says, apart from what mail programs, signatures and ticket systems add to it.
 * Each line is read once, and a pattern has bounded repetitions: the time grows with the length alone.
 */

/** The parts of an answer. */
export interface OwnWords {
  /** The text above the first quotation, as it came. */
  readonly above: string;
  /** The writer's own sentences in one form: half-width, in lower case. */
  readonly sentences: readonly string[];
  /** Lines of theirs that stand by themselves: a mail without 「。」 is read line by line too. */
  readonly lines: readonly string[];
  /** The lines of their signature, and what stands below it. */
  readonly signature: readonly string[];
  /** Holds text of our mail: a program copied it without marking it as a quotation. */
  readonly holdsOurMail: boolean;
}

const QUOTED_LINE = /^ {0,3}[>＞]/;

/** After these everything is the mail that was answered. */
const QUOTED_BELOW = [
  /^_{10,}/,
  /^-{2,} ?(?:original message|forwarded message|元のメッセージ|転送されたメッセージ)/i,
  /^(?:from|差出人|送信者) ?[:：]/i,
];

/** After these it is too, unless quoted lines follow, which bear marks of their own. */
const INTRODUCTIONS = [
  /^on .{1,200} wrote:/i,
  /^.{0,20}\d{4}[年/.-]\d{1,2}[月/.-]\d{1,2}.{0,200}[:：]$/,
  /^.{1,80}(?:さん|様)(?:は|が)書きました[:：]?$/,
];

/** A link of ours, or its line of the footer. */
const OUR_MAIL = /\/u\/[0-9a-f]{32}|配信を停止(?:（|\()受信を拒否/i;

/** RFC 3676's mark of a signature, or a rule that people draw. */
const SIGNATURE_MARK = /^-- ?$/;
const RULE = /^[-=_*+~#/:.･・…‥―─━═ー－—–＝＿＊＋〜～☆★◇◆□■○●∴∵※ ]{5,}$/;
/** What stands in the lines below a rule that begins a signature. */
const CONTACT =
  /(?:株式|有限|合同|合資)会社|\(株\)|㈱|法人|tel|℡|電話|fax|e-?mail|@|https?:|www\.|〒|co\.|ltd|inc\.|[部課室]\s*\S{1,10}$/i;
const CONTACT_LINES = 4;

/** The longest sentence that is read: nobody writes longer ones, and patterns look ahead within it. */
const SENTENCE_LENGTH = 600;

/** Takes an answer apart. @param text at most some ten thousand characters */
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

/** The form in which words are looked for. */
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
  // The place of the next line that is not empty, found once for all lines.
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

/** @returns for each line the index of the next one that is not empty */
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

/** A line that ends so ends its sentence; others may be broken by a program after a number of letters. */
const ENDED = /(?:です|ます|ました|でした|ません|でしょう|ですか|ますか|ください|下さい|[。.!?:;」)|])$/;
const IS_LATIN = /[a-z0-9,.;:!?'")]$/;

/** Joins the lines of a paragraph that belong to one sentence. */
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

/** Splits at the ends of sentences. A full stop within a name or a number ends none. */
const sentencesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line
      .split(/[。!?]|\.(?= |$)/)
      .map((sentence) => sentence.trim().slice(0, SENTENCE_LENGTH))
      .filter((sentence) => sentence !== ''),
  );
