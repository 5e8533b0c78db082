import {
  BLOCKED,
  CARRIER,
  FILTERED,
  FILTERED_BY_KDDI,
  FILTERED_JAPANESE,
  FULL,
  GONE,
  LATER,
  REFUSED_SENDER,
  TOO_LARGE,
  UNKNOWN_DOMAIN,
  UNKNOWN_JAPANESE,
  UNKNOWN_USER,
  UNWELCOME,
} from './bounce-words.ts';

/**
 * What a bounce says about a mail and its address.
 * `hard`: the address does not exist. `filtered`: its reader's settings refuse us. `soft`: it failed for now, such as a
 * full mailbox. `policy`: the server refuses our domain, our host or the content, not the address. `mail`: this mail
 * alone could not be delivered, or nobody knows why.
 */
export const BOUNCE_CLASSES = ['hard', 'filtered', 'soft', 'policy', 'mail'] as const;
export type BounceClass = (typeof BOUNCE_CLASSES)[number];

export interface BounceWords {
  /** The enhanced status code of the report (RFC 3463); null: it has none. */
  readonly status: string | null;
  /** What the server said: the Diagnostic-Code of a report, or the text of a bounce without one. */
  readonly text: string;
  /** Of the address that could not be reached. */
  readonly domain: string;
}

/** Longer texts are cut: a server says why in its first lines. It also bounds the time of all patterns. */
const MAX_TEXT_LENGTH = 2000;

interface Rule {
  readonly class: BounceClass;
  /** Matches the status code. Absent: any. */
  readonly status?: RegExp;
  /** Matches the server's words without addresses and links. Absent: any. */
  readonly words?: RegExp;
  /** Matches the server's words with them. */
  readonly rawWords?: RegExp;
  /** The rule holds for carriers alone, or for all others. Absent: for every domain. */
  readonly isCarrier?: boolean;
}

/** Codes that say less than the words beside them. */
const GENERIC = /^5\.(?:0\.0|1\.0|2\.0|3\.0|4\.0|4\.1|5\.0)$/;

/**
 * The rules, of which the first that matches holds.
 * Where two classes are possible, the rule that keeps the address comes first: a suppressed address is lost, a kept one
 * bounces again.
 */
const RULES: readonly Rule[] = [
  { class: 'filtered', isCarrier: true, rawWords: FILTERED_BY_KDDI },
  { class: 'filtered', isCarrier: true, status: /^5\.2\.[01]$/ },
  { class: 'filtered', words: FILTERED },
  { class: 'soft', status: /^[45]\.2\.2$/ },
  { class: 'soft', words: FULL },
  { class: 'policy', words: BLOCKED },
  { class: 'policy', rawWords: REFUSED_SENDER },
  { class: 'policy', status: /^5\.1\.[78]$/ },
  { class: 'hard', status: /^5\.1\.(?:1|2|3|6|10)$/ },
  { class: 'hard', status: /^5\.4\.4$/ },
  { class: 'hard', status: /^5\.2\.1$/, isCarrier: false },
  { class: 'filtered', words: FILTERED_JAPANESE },
  // Some servers give 5.7.x to a mail for nobody.
  { class: 'hard', status: /^5\.7\./, words: UNKNOWN_USER },
  // Exchange Online, which looks recipients up at its edge.
  { class: 'hard', status: /^5\.4\.1$/, words: /recipient address rejected: access denied/ },
  { class: 'policy', status: /^5\.7\./ },
  { class: 'mail', status: /^5\.(?:3\.4|2\.3|6\.\d{1,3})$/ },
  { class: 'policy', status: /^4\.7\./, words: UNWELCOME },
  { class: 'soft', status: /^4\./ },
  { class: 'hard', status: GENERIC, words: UNKNOWN_USER },
  { class: 'hard', status: GENERIC, words: GONE },
  { class: 'hard', status: GENERIC, words: UNKNOWN_DOMAIN },
  { class: 'hard', status: GENERIC, words: UNKNOWN_JAPANESE },
  { class: 'policy', words: UNWELCOME },
  { class: 'mail', words: TOO_LARGE },
  { class: 'soft', words: LATER },
];

/** Returns the class of a bounce. `mail` where no rule matches: then its mail alone counts as not delivered. */
export function bounceClass({ status, text, domain }: BounceWords): BounceClass {
  const { rawWords, words } = wordsOf(text);
  const code = codeOf(status, rawWords);
  const isCarrier = CARRIER.test(domain.toLowerCase());
  const matches = (rule: Rule) =>
    (rule.isCarrier ?? isCarrier) === isCarrier &&
    (rule.status?.test(code) ?? true) &&
    (rule.words?.test(words) ?? true) &&
    (rule.rawWords?.test(rawWords) ?? true);
  return RULES.find(matches)?.class ?? 'mail';
}

const LINK = /https?:\/\/[^\s<>"]{1,500}/g;
/** An address may hold any word, such as `spam`. */
const ADDRESS = /[^\s<>"'(),:;[\]@]{1,64}@[^\s<>"'(),:;[\]@]{1,255}/g;

/** Returns a server's words in lower case and on one line, with and without addresses and links. */
export function wordsOf(text: string): { readonly rawWords: string; readonly words: string } {
  const rawWords = text.slice(0, MAX_TEXT_LENGTH).toLowerCase().replace(/\s+/g, ' ');
  return { rawWords, words: rawWords.replace(LINK, ' ').replace(ADDRESS, ' ') };
}

/** An enhanced code in a server's words, as in `550-5.1.1 …` or `(#5.1.1)`, but no part of an IP address. */
const CODE = /(?:^|[\s#([-])([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/;

/** Returns the most specific code of a report and its words. A text without any reply counts as a final one. */
function codeOf(status: string | null, words: string): string {
  const written = CODE.exec(words)?.[1] ?? null;
  const specific = [status, written].find((code) => code !== null && !GENERIC.test(code));
  return specific ?? status ?? written ?? (/(?:^|\s)4\d\d[ -]/.test(words) ? '4.0.0' : '5.0.0');
}

/** Soft and filtered bounces in a row, of different runs, after which an address counts as undeliverable. */
export const SOFT_BOUNCES_MAX = 3;
/** Older ones do not count. */
export const SOFT_BOUNCE_DAYS = 180;
