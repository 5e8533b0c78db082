/** What came back from a company: its answer, that of a robot, or one that a member noted. */
export const REPLY_KINDS = ['reply', 'auto_reply', 'manual'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

const STOP_WORDS = /配信停止|配信不要|配信を停止|送らないで|unsubscribe|今後.{0,12}(?:不要|お断り|ご遠慮)/;

/** A link of ours, or its line of the footer: a mail program copied our mail without marking it as a quotation. */
const OWN_MAIL = /\/u\/[0-9a-f]{32}|配信を停止(?:（|\()受信を拒否/i;

/** Subjects that an answer takes over from our mail. */
const ANSWERING = /^(?:re|fw|fwd|aw|返|転送)\d{0,2} ?[:：]/i;

/**
 * Checks whether an answer asks for no more mails.
 * @param own its text above the quotation
 */
export function asksToStop(own: string, subject = ''): boolean {
  const text = plain(own);
  if (OWN_MAIL.test(text)) return false;
  return STOP_WORDS.test(text) || (!ANSWERING.test(subject.trim()) && STOP_WORDS.test(plain(subject)));
}

/** Without widths of letters and blanks, which differ between mail programs. Lines stay apart. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ \t]+/g, '');
