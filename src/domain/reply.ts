/** What came back from a company: its answer, that of a robot, or one that a member noted. */
export const REPLY_KINDS = ['reply', 'auto_reply', 'manual'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

/**
 * What is known of the From of an answer. `single`: it is one plain address, which anybody may have written.
 * `authenticated`: the inbox server says besides that its domain has sent the answer (DMARC). `none`: neither.
 */
export type FromTrust = 'none' | 'single' | 'authenticated';

/** The most answers to one mail that are stored while they are open, and the most of robots. */
export const MAX_OPEN_ANSWERS = 20;
/** The most answers beyond them that are counted. */
export const MAX_FOLDED_ANSWERS = 1000;

const STOP_WORDS = /配信[をのは]?(?:停止|不要|解除|中止)|送(?:ら|信し)ないで|unsubscribe/;
/** Words that are common by themselves: they count on the same line. */
const NO_MORE = /今後.{0,12}(?:不要|お断り|ご遠慮)/;

/** A link of ours, or its line of the footer: a mail program copied our mail without marking it as a quotation. */
const OWN_MAIL = /\/u\/[0-9a-f]{32}|配信を停止(?:（|\()受信を拒否/i;

/** Subjects that an answer takes over from our mail. */
const ANSWERING = /^(?:re|fwd?|aw|返信?|転送)(?:\[\d{1,2}\]|\^?\d{1,2})? ?[:：]/i;

/** Checks whether a subject is that of our mail, taken over, and not the writer's own. */
export const isAnswering = (subject: string): boolean => ANSWERING.test(subject.trim());

/**
 * Checks whether an answer asks for no more mails.
 * @param own its text above the quotation
 */
export function asksToStop(own: string, subject = ''): boolean {
  const text = plain(own);
  if (OWN_MAIL.test(text)) return false;
  return hasStopWords(text) || (!isAnswering(subject) && hasStopWords(plain(subject)));
}

/** Mail programs break lines within words. */
const hasStopWords = (text: string): boolean => STOP_WORDS.test(text.replace(/\s+/g, '')) || NO_MORE.test(text);

/** Without widths of letters and blanks, which differ between mail programs. Lines stay apart. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ \t]+/g, '');
