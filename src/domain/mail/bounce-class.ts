import { addressKey, domainOf } from './address-key.ts';
import {
  BLOCKED,
  BROKEN_DNS,
  CARRIER,
  FILTERED,
  FILTERED_BY_KDDI,
  FILTERED_JAPANESE,
  FULL,
  GONE,
  GREYLISTED,
  LATER,
  LINK_OF_BLOCKLIST,
  OUR_QUOTA,
  REFUSED_SENDER,
  TOO_LARGE,
  TOO_MANY,
  UNKNOWN_DOMAIN,
  UNKNOWN_JAPANESE,
  UNKNOWN_USER,
  UNWELCOME,
} from './bounce-words.ts';

/**
 * The class of a bounce, for the mail and its address.
 * `hard`: the address does not exist. `filtered`: its reader's settings refuse us. `soft`: a temporary fault, such as a
 * full mailbox. `policy`: the server refuses our domain, our host or the content, not the address. `mail`: only this
 * mail was undeliverable, or the cause is unknown.
 */
export const BOUNCE_CLASSES = ['hard', 'filtered', 'soft', 'policy', 'mail'] as const;
export type BounceClass = (typeof BOUNCE_CLASSES)[number];

interface BounceWords {
  /** The report's enhanced status code (RFC 3463); null: none. */
  readonly status: string | null;
  /** The server's reply: the report's Diagnostic-Code, or the text of a bounce without one. */
  readonly text: string;
  /** The failed address, in each form that a server may name. Empty: unknown. */
  readonly recipients: readonly string[];
}

/** Longer texts are cut: a server gives its reason in the first lines. This also bounds the time of all patterns. */
const MAX_TEXT_LENGTH = 2000;

interface Rule {
  readonly class: BounceClass;
  /** Matches the status code. Absent: any. */
  readonly status?: RegExp;
  /** Matches the server's words without addresses and links. Absent: any. */
  readonly words?: RegExp;
  /** Matches the server's words including addresses and links. */
  readonly rawWords?: RegExp;
  /** Restricts the rule to carriers, or to all other domains. Absent: every domain. */
  readonly isCarrier?: boolean;
}

/** Codes that are less specific than the words beside them. */
const GENERIC = /^5\.(?:0\.0|1\.0|2\.0|3\.0|4\.0|4\.1|5\.0)$/;

/** Codes for a nonexistent mailbox or domain. Those of three digits are Microsoft 365's. */
const DEAD = /^5\.(?:1\.(?:[1236]|10|35[01])|2\.1|4\.(?:4|310))$/;

/**
 * Microsoft 365: a group, mailbox, contact or organization accepts only mails of its own people, or of listed senders.
 * RFC 3463 defines 5.7.2 as the same for mailing lists.
 */
const REFUSES_OUTSIDERS = /^5\.7\.(?:2|12|12[3-9]|13[0-9]|193)$/;

/**
 * The rules, of which the first match applies. Words come before codes, because gateways and providers use codes too
 * freely. Where two classes are possible, the rule that keeps the address comes first: a suppressed address is lost, a
 * kept one bounces again. `hard` applies only if the words do not name another mailbox than the recipient's.
 */
const RULES: readonly Rule[] = [
  // Carriers: readers choose their senders, and the server reports that by a code or by omitting the address.
  { class: 'filtered', isCarrier: true, rawWords: FILTERED_BY_KDDI },
  { class: 'filtered', isCarrier: true, status: /^5\.2\.[01]$/ },
  // A reader, or a group's owner, accepts only some senders. The mailbox exists.
  { class: 'filtered', words: FILTERED },
  { class: 'filtered', words: FILTERED_JAPANESE },
  { class: 'filtered', status: REFUSES_OUTSIDERS },
  // Our sending quota: Microsoft uses the code of a full mailbox for it.
  { class: 'policy', words: OUR_QUOTA },
  // A full mailbox exists.
  { class: 'soft', status: /^[45]\.2\.2$/ },
  { class: 'soft', words: FULL },
  // A blocklist or DMARC refuses our host or domain, for which servers give 5.1.1 and 5.1.3 too.
  { class: 'policy', words: BLOCKED },
  { class: 'policy', rawWords: LINK_OF_BLOCKLIST },
  // A callout checks whether our own address exists: «mailbox does not exist» then concerns us.
  { class: 'policy', rawWords: REFUSED_SENDER },
  { class: 'policy', status: /^5\.1\.[78]$/ },
  // Exchange Online's edge words an unknown recipient like this.
  { class: 'hard', status: /^5\.4\.1$/, words: /recipient address rejected: access denied/ },
  // The next attempt would be accepted, whatever else the words blame.
  { class: 'soft', words: GREYLISTED },
  // Some servers give 5.7.x for an unknown recipient.
  { class: 'hard', status: /^5\.7\./, words: UNKNOWN_USER },
  // The server refuses our content or our host.
  { class: 'policy', status: /^(?:5|4\.7)\./, words: UNWELCOME },
  { class: 'policy', status: /^5\.7\./ },
  // This mail is too large, or its content is broken.
  { class: 'mail', status: /^5\.(?:3\.4|2\.3|6\.\d{1,3})$/ },
  { class: 'mail', status: /^5\./, words: TOO_LARGE },
  // The recipient gets, or we send, more than the server accepts now. Google gives 5.2.1 for a busy mailbox.
  { class: 'soft', words: TOO_MANY },
  { class: 'soft', status: /^5\.2\.12[12]$/ },
  // Only «no such domain» of the DNS proves that a domain is gone.
  { class: 'soft', words: BROKEN_DNS },
  // A temporary fault: the server was unreachable, or gave up after days.
  { class: 'soft', words: LATER },
  { class: 'soft', status: /^5\.4\.(?:3|7|300|312|316)$/ },
  { class: 'soft', status: /^4\./ },
  // The words name the recipient's mailbox.
  { class: 'hard', words: UNKNOWN_USER },
  { class: 'hard', words: GONE },
  { class: 'hard', words: UNKNOWN_DOMAIN },
  { class: 'hard', words: UNKNOWN_JAPANESE },
  // No known words: only the code decides.
  { class: 'hard', status: DEAD },
];

/** Returns the class of a bounce. `mail` if no rule matches: then only this mail counts as undelivered. */
export function bounceClass({ status, text, recipients }: BounceWords): BounceClass {
  const { rawWords, words } = wordsOf(text);
  const code = codeOf(status, rawWords);
  const names = recipients.map(addressKey);
  const isCarrier = names.some((name) => CARRIER.test(domainOf(name)));
  const isOthers = namesOthers(rawWords, names);
  const matches = (rule: Rule) =>
    !(rule.class === 'hard' && isOthers) &&
    (rule.isCarrier ?? isCarrier) === isCarrier &&
    (rule.status?.test(code) ?? true) &&
    (rule.words?.test(words) ?? true) &&
    (rule.rawWords?.test(rawWords) ?? true);
  return RULES.find(matches)?.class ?? 'mail';
}

const LINK = /https?:\/\/[^\s<>"]{1,500}/g;
/** Removed, because an address may contain any word, such as `spam`. */
const ADDRESS = /[^\s<>"'(),:;[\]@]{1,64}@[^\s<>"'(),:;[\]@]{1,255}/g;

/** What a gateway writes for every refusal, before the words of the last server. */
const WRAPPER = /unknown address error (?=\d{3}-)|remote server returned [^<>]{0,80}(?=->)/g;

/** Returns a server's words in lower case and on one line, with and without addresses, links and wrappers. */
export function wordsOf(text: string): { readonly rawWords: string; readonly words: string } {
  const rawWords = text.slice(0, MAX_TEXT_LENGTH).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  const own = rawWords.replace(LINK, ' ').replace(ADDRESS, ' ');
  return { rawWords, words: own.replace(WRAPPER, ' ') };
}

/** Addresses that are mentioned, but not refused: contacts, the mail's header, the server's own. */
const MENTIONED_AFTER =
  /(?:contact|mailto:?|e-?mail to|ask|write to|^from:| from:|差出人:|送信者:|message-id:?|問い合わせ先:?)[\s<]{0,4}$/;
const SERVICE = /^(?:postmaster|mailer-daemon|abuse|hostmaster)@/;

/** Checks whether the words name mailboxes, but not the recipient's. */
function namesOthers(rawWords: string, recipients: readonly string[]): boolean {
  if (recipients.length === 0 || recipients.some((name) => rawWords.includes(name))) return false;
  return [...rawWords.replace(LINK, ' ').matchAll(ADDRESS)].some(
    ({ 0: address, index, input }) =>
      !SERVICE.test(address) && !MENTIONED_AFTER.test(input.slice(Math.max(0, index - 40), index)),
  );
}

/** An enhanced code in a server's words, as in `550-5.1.1 …`, `'5.7.1 …` or `(#5.1.1)`, not in an IP address. */
const CODE = /(?:^|[\s#([\-'";:])([45]\.[0-7]\.\d{1,3})(?!\.?\d)/g;

/**
 * Returns the most specific code of a report and its words. A gateway writes its own beside the last server's: a code
 * that keeps the address takes precedence. A text without a reply counts as permanent.
 */
function codeOf(status: string | null, words: string): string {
  const written = [...words.matchAll(CODE)].flatMap(([, code]) => code ?? []);
  const codes = status === null ? written : [status, ...written];
  const specific = codes.filter((code) => !GENERIC.test(code));
  const found = specific.find((code) => !DEAD.test(code)) ?? specific[0] ?? codes[0];
  return found ?? (/(?:^|\s)4\d\d[ -]/.test(words) ? '4.0.0' : '5.0.0');
}

/** Consecutive soft and filtered bounces, of different runs, after which an address counts as undeliverable. */
export const SOFT_BOUNCES_MAX = 3;
/** Older bounces do not count. */
export const SOFT_BOUNCE_DAYS = 180;

/**
 * The most bounces by policy before a run of at least POLICY_TARGETS_MIN targets stops; and the share for smaller runs.
 */
const POLICY_BOUNCES_MAX = 2;
const POLICY_TARGETS_MIN = 20;
const POLICY_SHARE_MAX = 0.05;

/** Whether the bounces by policy show that a run's other mails would be refused too. */
export const isStoppedByPolicy = (bounces: number, targets: number): boolean =>
  (bounces > POLICY_BOUNCES_MAX && targets >= POLICY_TARGETS_MIN) || bounces > targets * POLICY_SHARE_MAX;
