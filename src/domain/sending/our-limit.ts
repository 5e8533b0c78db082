import { domainOf } from '../mail/address-key.ts';
import { wordsOf } from '../mail/bounce-class.ts';
import { anyOf, OUR_QUOTA } from '../mail/bounce-words.ts';

/** Reads our mail server's replies about our own limits, which concern no single mail or recipient. */

/** The least time between two mails that probe whether such a limit still applies. */
export const LIMIT_PROBE_SECONDS = 15 * 60;
/** After this time at a limit, the members of a mail's run are notified. */
export const LIMIT_TOLD_HOURS = 24;

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

interface Row {
  /** Matches the words in lower case, without addresses and links. */
  readonly words: RegExp;
  /** Seconds after which the server accepts mails again at the latest, as far as the words tell. */
  readonly seconds: number;
}

/** The rows, of which the first match applies. */
const ROWS: readonly Row[] = [
  { words: /\b(?:per|a|each) (?:second|minute)\b/, seconds: MINUTE },
  { words: /(?:毎分|(?:1|一)分(?:間)?(?:に|あたり|当たり)).{0,20}(?:上限|制限|超)/, seconds: MINUTE },
  // cPanel «exceeded the max emails per hour», exim «105 / 1h», hosting «Limit of 1500 mails per hour exceeded».
  { words: /\b(?:per|an|each|every|this) hour\b|\bhourly\b|\/ ?(?:1 ?)?h(?:our)?\b/, seconds: HOUR },
  { words: /(?:毎時|(?:1|一)時間(?:に|あたり|当たり)?).{0,20}(?:上限|制限|超)/, seconds: HOUR },
  // Gmail «Daily user sending limit exceeded», Amazon SES «Daily message quota exceeded», Microsoft 365 «daily limit».
  { words: /\b(?:per|a|each|every) day\b|\bdaily\b|\b24[ -]?h(?:ours?|rs?)?\b|\/ ?(?:1 ?)?d(?:ay)?\b/, seconds: DAY },
  { words: /(?:毎日|(?:1|一)日(?:に|あたり|当たり)?|24時間).{0,20}(?:上限|制限|超)/, seconds: DAY },
  // A person extends a plan, or it restarts with its month: SendGrid «Maximum credits exceeded».
  { words: /\bmonthly\b|\bper month\b|\bcredits?\b|\b(?:plan|package|subscription)\b/, seconds: DAY },
  { words: /(?:月間|プラン|契約).{0,20}(?:上限|制限|超)/, seconds: DAY },
  // Amazon SES counts per second, without saying so: «Maximum sending rate exceeded».
  { words: /(?:send(?:ing)?|message|submission) rate (?:limit )?exceed/, seconds: MINUTE },
  // Microsoft 365: the recipients of a day.
  { words: /^550[ -]5\.1\.90\b/, seconds: DAY },
  // No time is named, as in Microsoft 365's «tenant has exceeded threshold».
  { words: /./, seconds: HOUR },
];

/**
 * Words that name sending, so that no mailbox is meant. RFC 5321 words a 450 and 550 as «mailbox unavailable», which
 * servers write before their own words: IONOS «Mail send limit exceeded».
 */
const SENDING = [
  OUR_QUOTA,
  // GoDaddy «24-hour sending limit», SES «Maximum sending rate exceeded», Zoho «Unusual sending activity».
  /\bsend(?:ing|er)? (?:rate|quota|limit)|\bunusual (?:sending|rate)\b/,
  /\bsen(?:t|ding|d) .{0,30}too (?:fast|quickly|many|much)/,
  // exim «Sender rate 105 / 1h», mail.ru «Ratelimit exceeded for mailbox», Amazon SES «Throttling failure».
  /\brate[ -]?limit|\brate over ?limit|\bthrottl|\brate (?:is )?(?:too high|exceeded)|\bfrequency (?:is )?limit/,
  // The codes of Microsoft 365 and Gmail for it, whatever their words.
  /^550[ -]5\.1\.90\b|^5\d\d[ -]5\.2\.0\b.{0,200}\brate\b|^4\d\d[ -]4\.7\.28\b/,
  // Japanese hosting providers.
  /送信.{0,20}(?:上限|制限|超え|超過)/,
];

/** Words for the amount of mail, of which the reply must have one. */
const LIMITS = [
  ...SENDING,
  // Gmail 5.4.5 «you have reached a limit for sending mail»; Microsoft 365 5.1.90 «reached your daily limit», 5.7.705.
  new RegExp(
    String.raw`\b(?:you(?:r|'ve| have)?|account|user|domain|tenant|customer|client|login)\b.{0,60}` +
      String.raw`\b(?:exceed|reach|over)\w{0,3}\b.{0,40}\b(?:limit|quota|rate|threshold|max(?:imum)?|allowance)s?\b`,
  ),
  // Policy servers of Postfix, Plesk, cPanel.
  /\b(?:submission|message|messaging|mail|e-?mail|traffic)s? (?:count |volume )?(?:quota|rate|limit|threshold)s?\b/,
  new RegExp(
    String.raw`\b(?:limit|quota|max(?:imum)?)(?: number)?(?: of| for)? (?:\d+ )?(?:\w+ )?` +
      String.raw`(?:messages?|e-?mails?|mails?|recipients|credits)\b.{0,60}(?:exceed|reach|used|allow)`,
  ),
  /\b(?:daily|hourly|monthly) (?:\w+ ){0,3}(?:limit|quota|maximum)\b/,
  /\b(?:limit|quota)\b.{0,30}\bper (?:second|minute|hour|day|month)\b/,
  /\b(?:messages|e-?mails|mails|recipients)\b.{0,30}\bper (?:minute|hour|day|month)\b.{0,60}(?:exceed|reach|limit)/,
  // Postfix «too much mail from», «too many recipients from»; others «too many recipients received this hour».
  /\btoo (?:many|much) (?:e-?mails?|messages?|mails?|traffic)\b/,
  /\btoo many recipients (?:from|.{0,20}\b(?:this|per|an?) (?:hour|day|minute))/,
  // SendGrid, Mailgun, Brevo: the plan is used up.
  /\bcredits? (?:exceeded|exhausted|used)|\b(?:insufficient|not enough|out of|no) credits?\b/,
  /\b(?:plan|package|subscription)\b.{0,30}\b(?:limit|quota|exceed|exhaust)/,
  /(?:時間|日|分|月)(?:間|に|あたり|当たり|の)?.{0,20}(?:通|件|送信).{0,20}(?:上限|制限|超え|超過)/,
];
const IS_SENDING = anyOf(...SENDING);
const IS_LIMIT = anyOf(...LIMITS);

/** Postfix names the restriction that applied, not the cause: «<a@b.example>: Recipient address rejected: …». */
const RESTRICTION = /<[^<>]{0,320}>:? (?:(?:recipient|helo|client) (?:address|host|command)|client host) rejected: /g;
/** Such a restriction about our address, where every quota is ours. */
const OUR_ADDRESS = /\bsender address rejected: .{0,80}(?:quota|limit|rate\b|exceed)/;

/** The reply quotes another server, whose limits are not those of our mail server. */
const QUOTES_OTHER =
  /\bsaid:|\b(?:replied|responded|answered)(?: with)?:|\bremote (?:mail )?(?:host|server)\b|\bin reply to\b|->|<<</;
/** The recipient's mailbox is full, unless the words name sending. */
const IS_FULL = /\bmail ?box|\binbox\b|\bstorage\b|\bdisk\b|\bover ?quota\b|\b[45]\.2\.[12]\b|メールボックス|容量/;
/** The recipient gets too many mails, or its server limits what it accepts. */
const BLAMES_RECIPIENT = anyOf(
  /receiving mail|\bincoming\b|\binbound\b|\breceives\b|\b(?:has|have) received\b/,
  /\b(?:user|person|account) (?:that )?you (?:are|were)\b|\bdestination\b|\bgr[ea]y-?list/,
  /\brecipient(?:'s)? (?:has|is|over|quota|account|domain|server|mail ?box|inbox)/,
  /\brecipient (?!limit|rate|count).{0,40}(?:exceed|full)/,
  /受信|宛先(?!数)/,
);
/** One session sent enough mails: the next one may send more. */
const OF_SESSION = /\b(?:per|in|this|for|on|a|one) (?:\w+ )?(?:session|connection)\b/;
/** The size of one mail, or the number of its recipients. */
const OF_MAIL =
  /\b(?:message|mail|e-?mail|file)s? size\b|\bsize limit|too (?:large|big)|per (?:message|mail|transaction)\b/;

/**
 * Returns the seconds until our quota, rate or plan is available again, if the mail server says that it is used up.
 * @param reply of the server to which mails are submitted
 * @param recipient of the mail: a reply that names its address concerns the recipient
 * @returns null: the reply has another cause
 */
export function ourLimitSeconds(reply: string, recipient: string | null): number | null {
  const { rawWords } = wordsOf(reply);
  if (QUOTES_OTHER.test(rawWords)) return null;
  const plain = rawWords.replace(RESTRICTION, ' ');
  const { words } = wordsOf(plain);
  const isOurs = OUR_ADDRESS.test(words.replace(/<[^<>]{0,320}>/g, ' '));
  if (!isOurs) {
    if (recipient && namesRecipient(plain, recipient.toLowerCase())) return null;
    if (!IS_LIMIT.test(words) || BLAMES_RECIPIENT.test(words)) return null;
    if (IS_FULL.test(words) && !IS_SENDING.test(words)) return null;
  }
  if (OF_SESSION.test(words) || OF_MAIL.test(words) || namesConnectionLimit(reply)) return null;
  return namedSeconds(words) ?? ROWS.find((row) => row.words.test(words))?.seconds ?? HOUR;
}

/**
 * Matches the address, or mails «for» or «to» its domain: a domain alone may be the sender's, as in a mail to a
 * colleague.
 */
const namesRecipient = (plain: string, recipient: string): boolean =>
  [recipient, ` for ${domainOf(recipient)}`, ` to ${domainOf(recipient)}`].some((name) => plain.includes(name));

const UNITS = { second: 1, sec: 1, s: 1, minute: MINUTE, min: MINUTE, m: MINUTE, hour: HOUR, h: HOUR } as const;
/** «try again in 45 minutes», «retry after 3600 seconds». */
const NAMED =
  /\b(?:again|retry|wait|resets?|expires?|until)\b.{0,24}?\b(\d{1,6}) ?(sec(?:ond)?s?|s|min(?:ute)?s?|m|hours?|h)\b/;

/** Returns the time that the server itself names, in seconds, from a minute to a day. */
function namedSeconds(words: string): number | null {
  const [, number, unit = ''] = NAMED.exec(words) ?? [];
  if (number === undefined) return null;
  const seconds = Number(number) * (UNITS[unit.replace(/(?<=..)s$/, '') as keyof typeof UNITS] ?? 1);
  return Math.min(Math.max(seconds, MINUTE), DAY);
}

/** The server limits concurrent connections, sessions or threads, or their rate. */
const CONNECTIONS = anyOf(
  // Postfix «too many connections from …», Gmail «Too many concurrent SMTP connections», Dovecot and others.
  /\btoo many (?:\w+ ){0,3}(?:connections|sessions|threads|clients)\b/,
  // Microsoft 365 432 4.3.2 «Concurrent connections limit exceeded», «sender thread limit exceeded»; sendmail.
  /\b(?:connections?|sessions?|thread|concurrency)(?: \w+){0,3} (?:limit|exceed)/,
  /\b(?:limit|max(?:imum)?|number)(?: \w+){0,2} (?:of|on|for) (?:\w+ ){0,3}(?:connections|sessions|threads)\b/,
  /\bmax(?:imum)? (?:\w+ ){0,3}(?:connections|sessions|threads)\b|同時(?:接続|セッション)/,
);

/** Returns whether our mail server says that it admits no further connection. */
export function namesConnectionLimit(reply: string): boolean {
  const { rawWords, words } = wordsOf(reply);
  return !QUOTES_OTHER.test(rawWords) && CONNECTIONS.test(words);
}
