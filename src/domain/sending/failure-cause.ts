import { type BounceClass, bounceClass, wordsOf } from '../mail/bounce-class.ts';
import {
  BLOCKED,
  FULL,
  LINK_OF_BLOCKLIST,
  REFUSED_SENDER,
  TOO_LARGE,
  TOO_MANY,
  UNAUTHENTICATED,
  UNKNOWN_DOMAIN,
  UNKNOWN_HOST,
  UNREACHABLE,
  UNWELCOME,
} from '../mail/bounce-words.ts';
import type { ShownState } from './delivery-state.ts';
import type { FailureCause } from './failure-cause-names.ts';
import { ourLimitSeconds } from './our-limit.ts';

interface Answer {
  readonly state: ShownState;
  /** The last reply of the server, or the program's own; null: none yet. */
  readonly reply: string | null;
  /** The recipient; null: unknown. */
  readonly address: string | null;
}

interface Rule {
  readonly class: BounceClass;
  readonly cause: FailureCause;
  /** Matches the server's words without addresses and links. Absent: any. */
  readonly words?: RegExp;
  /** Matches the server's words including addresses and links. */
  readonly rawWords?: RegExp;
}

/** The rules, of which the first one that matches the class and the words applies. */
const RULES: readonly Rule[] = [
  { class: 'hard', cause: 'unknown_domain', words: UNKNOWN_DOMAIN },
  { class: 'hard', cause: 'unknown_domain', words: /5\.1\.2\b|5\.4\.4\b|host unknown|unrouteable mail domain/ },
  { class: 'hard', cause: 'unknown_address' },
  // The reader's own settings refuse our address.
  { class: 'filtered', cause: 'sender_refused' },
  { class: 'soft', cause: 'mailbox_full', words: FULL },
  { class: 'soft', cause: 'mailbox_full', words: /[45]\.2\.2\b/ },
  { class: 'soft', cause: 'limit', words: TOO_MANY },
  { class: 'soft', cause: 'unknown_domain', words: UNKNOWN_HOST },
  { class: 'soft', cause: 'unreachable', words: UNREACHABLE },
  { class: 'soft', cause: 'busy' },
  { class: 'policy', cause: 'limit', words: TOO_MANY },
  { class: 'policy', cause: 'authentication', words: UNAUTHENTICATED },
  { class: 'policy', cause: 'sender_refused', rawWords: REFUSED_SENDER },
  { class: 'policy', cause: 'spam', words: UNWELCOME },
  { class: 'policy', cause: 'spam', words: BLOCKED },
  { class: 'policy', cause: 'spam', rawWords: LINK_OF_BLOCKLIST },
  { class: 'policy', cause: 'sender_refused' },
  { class: 'mail', cause: 'too_large', words: TOO_LARGE },
  { class: 'mail', cause: 'too_large', words: /5\.3\.4\b|5\.2\.3\b|message size larger/ },
  { class: 'mail', cause: 'unreachable', words: UNREACHABLE },
];

/** SendGrid's words about a mail that it did not try to send. */
const DROPPED: readonly (readonly [RegExp, FailureCause])[] = [
  [/^(?:bounced address|invalid)$/i, 'unknown_address'],
  [/^spam content/i, 'spam'],
  [/over package quota/i, 'limit'],
];

const OF_SENDGRID = /^SendGrid: [a-z_]+(?: \((.*)\))?$/s;

/**
 * Returns the plain cause of a mail that failed, may have failed or will be retried.
 * @returns null if nothing has failed, or no cause is known
 */
export function failureCause({ state, reply, address }: Answer): FailureCause | null {
  if (state === 'unknown') return 'connection_lost';
  if (reply === null || (state !== 'failed' && state !== 'queued')) return null;
  const event = OF_SENDGRID.exec(reply);
  const text = event ? (event[1] ?? '') : reply;
  const dropped = event && DROPPED.find(([words]) => words.test(text));
  if (dropped) return dropped[1];
  // Before the classes: «quota exceeded» about our address is no full mailbox.
  if (ourLimitSeconds(text, address) !== null) return 'limit';
  const found = bounceClass({ status: null, text, recipients: address === null ? [] : [address] });
  const { words, rawWords } = wordsOf(text);
  const matches = (rule: Rule) =>
    rule.class === found && (rule.words?.test(words) ?? true) && (rule.rawWords?.test(rawWords) ?? true);
  return RULES.find(matches)?.cause ?? 'other';
}
