import { MAX_TARGETS } from '#domain/limits.ts';
import { answeringSubject } from '#domain/mail/reply.ts';
import { type OffHours, offHours } from '#domain/sending/off-hours.ts';
import type { TimeNote } from '#web/lib/data/group-rules.ts';
import { asSentence, companies, FIGURE_SEPARATOR } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import type { LeftOutGroup } from '../left-out/left-out-groups.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';
import { ORDER_MESSAGES } from './words.ts';

/** The control that a part of the sentence leads to. `fault` is the first faulty field. */
export type Place =
  | 'testTo'
  | 'testLimit'
  | 'limit'
  | 'days'
  | 'followUp'
  | 'reservationMode'
  | 'sendAt'
  | 'fault'
  | 'template'
  | 'chosen'
  | 'legal'
  | 'confirmation'
  | 'domains'
  | 'bringBack';

/** A part of a sentence. It can be pressed if it leads to a place, or to the companies of a group. */
export type Part =
  | string
  | { readonly text: string; readonly to: Place }
  | { readonly text: string; readonly group: LeftOutGroup };

/** The facts from which the sentence is built. */
export interface OrderFacts {
  /** undefined: loading; null: none is chosen. */
  readonly sender:
    | { readonly subject: string; readonly name: string; readonly isConfirmed: boolean }
    | null
    | undefined;
  /** undefined: not loaded. */
  readonly targets: TargetFacts | undefined;
  readonly hasFailed: boolean;
  /** The first error of a setting. */
  readonly fault: string | undefined;
  /** The address as typed; null: not a test. */
  readonly testTo: string | null;
  /** Epoch milliseconds, as `now`; null: at once. */
  readonly sendAt: number | null;
  readonly now: number;
  readonly holidays?: Readonly<Record<string, unknown>> | undefined;
  /** What the group's own rules say about the time; undefined: the group has none. */
  readonly ownHours?: Pick<TimeNote, 'text' | 'isHeld'> | undefined;
  readonly days: number;
  readonly isFollowUp: boolean;
  /** The subject of the followed run, if it has loaded. */
  readonly followedSubject?: string | undefined;
  /** The chosen companies, if they make the list; undefined: the filters make it. */
  readonly chosen?: { readonly fallen: readonly string[] } | undefined;
  /** Whether the group's mails show what the law requires. */
  readonly isLegal: boolean;
  /** Whether the domain of the sender's address has known faults. */
  readonly isBadDomain?: boolean;
}

interface TargetFacts {
  readonly ticked: number;
  readonly aside: number;
  /** The number of companies that exceed the limit of their domain, and this limit. */
  readonly overDomain: number;
  readonly perDomain: number;
  /** 取得件数. */
  readonly limit: number;
  readonly isCutByTest: boolean;
  readonly eligible: number;
}

export interface OrderText {
  readonly sentence: readonly Part[];
  /** The subject of the mails, with its merge fields. */
  readonly subject: string;
  readonly notes: readonly (readonly Part[])[];
  readonly button: string;
  /** Whether the button can do what it says, or is about to know. */
  readonly canOrder: boolean;
}

const { help, ...messages } = ORDER_MESSAGES;

/**
 * Returns a sentence that says what the button will do, or why it cannot. Without a company to mail there is none: the
 * empty list says why (nothing-text.ts), as does the card of a list that could not be read.
 */
export function orderText(facts: OrderFacts): OrderText {
  const problem = problemOf(facts);
  return {
    sentence: problem ?? sentenceOf(facts),
    subject: subjectOf(facts),
    notes: notesOf(facts),
    button: buttonOf(facts),
    canOrder: problem === null || problem === LOADING,
  };
}

/** Replaces each `{name}` of a text by its part. */
export function fill(text: string, parts: Readonly<Record<string, Part>> = {}): readonly Part[] {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, at) => (at % 2 === 0 ? piece : (parts[piece] ?? '')))
    .filter((part) => part !== '');
}

/** Returns the kind of the order: test or real, at once or later. */
const kindOf = ({ testTo, sendAt }: OrderFacts) =>
  testTo === null ? (sendAt === null ? 'now' : 'later') : sendAt === null ? 'testNow' : 'testLater';

const LOADING: readonly Part[] = [help.loading];

function problemOf(facts: OrderFacts): readonly Part[] | null {
  const { sender, targets, fault, isLegal } = facts;
  if (fault !== undefined) return [{ text: asSentence(fault), to: 'fault' }];
  if (facts.hasFailed) return [];
  if (sender === null) return fill(help.noSender, { template: { text: messages.template, to: 'template' } });
  if (sender === undefined || targets === undefined) return LOADING;
  if (targets.eligible === 0) return [];
  if (targets.ticked === 0) return fill(help.allAside);
  if (facts.testTo !== null) return null;
  if (!isLegal) return fill(help.legal, { legal: { text: messages.legal, to: 'legal' } });
  return sender.isConfirmed ? null : fill(help.unconfirmed, { sender: { text: messages.sender, to: 'confirmation' } });
}

function sentenceOf(facts: OrderFacts): readonly Part[] {
  const { sender, testTo, sendAt, isFollowUp } = facts;
  const body = fill(help[kindOf(facts)], {
    from: { text: sender?.name ?? '', to: 'template' },
    subject: { text: messages.subject(subjectOf(facts)), to: 'template' },
    number: numberOf(facts),
    when: sendAt === null ? { text: messages.now, to: 'reservationMode' } : timeOf(sendAt),
    to: { text: testTo ?? '', to: 'testTo' },
  });
  const followUp: Part = { text: messages.followUp, to: 'followUp' };
  return isFollowUp ? [...fill(messages.prefix, { followUp }), ...body] : body;
}

/** Returns the subject of the mails. That of a follow-up answers the followed run. */
function subjectOf({ sender, isFollowUp, followedSubject }: OrderFacts): string {
  if (!isFollowUp) return sender?.subject ?? '';
  return followedSubject === undefined ? messages.followUpSubject : answeringSubject(followedSubject);
}

const timeOf = (sendAt: number): Part => ({ text: sentenceTime(sendAt), to: 'sendAt' });

/** Returns the number of targets as a part that leads to what has limited it. */
function numberOf({ targets, chosen, testTo }: OrderFacts): Part {
  if (targets === undefined) return '';
  const { ticked, aside, overDomain, limit, isCutByTest, eligible } = targets;
  const isAll = chosen === undefined && !isCutByTest && aside + overDomain === 0 && eligible < limit;
  const some = chosen === undefined ? companies(ticked) : ATTACK_LIST_MESSAGES.chosen(ticked);
  const text = isAll ? messages.all(ticked) : some;
  return {
    text: testTo === null ? text : messages.ofTest[isAll ? 'all' : 'some'](text),
    to: isCutByTest ? 'testLimit' : chosen === undefined ? 'limit' : 'chosen',
  };
}

function notesOf(facts: OrderFacts): OrderText['notes'] {
  const { targets, days, chosen, fault, isBadDomain } = facts;
  if (targets === undefined || targets.eligible === 0 || fault !== undefined) return [];
  const { aside, overDomain, perDomain, limit, eligible } = targets;
  const over: Part = { text: companies(overDomain), group: 'domain_limit' };
  return [
    days === 0
      ? fill(help.noInterval, { days: { text: messages.noInterval, to: 'days' } })
      : fill(help.interval, { days: { text: messages.days(days), to: 'days' } }),
    ...(aside === 0 ? [] : [[`${messages.aside(aside)} `, { text: messages.restoreAll, to: 'bringBack' } as const]]),
    ...(overDomain === 0 ? [] : [fill(help.overDomain(perDomain), { over })]),
    ...(chosen === undefined || chosen.fallen.length === 0 ? [] : [[help.fallen(namesOf(chosen.fallen))]]),
    ...(chosen === undefined && limit === MAX_TARGETS && eligible > MAX_TARGETS ? [fill(help.most)] : []),
    ...hoursNotes(facts),
    ...(isBadDomain === true ? [fill(help.badDomain, { mend: { text: messages.mend, to: 'domains' } })] : []),
  ];
}

/** The number of names in the sentence; the list of a reason has them all. */
const NAMES = 3;
const namesOf = (names: readonly string[]): string =>
  messages.names(names.slice(0, NAMES), Math.max(0, names.length - NAMES));

/** Warns about real mails outside of sending hours: the group's own, or else the usual ones. */
function hoursNotes({ testTo, sendAt, now, holidays, ownHours }: OrderFacts): readonly (readonly Part[])[] {
  const reserve: Part = { text: messages.reserve, to: 'reservationMode' };
  if (ownHours !== undefined) {
    if (testTo !== null || ownHours.text === null) return [];
    const text = asSentence(ownHours.text);
    if (sendAt !== null) return [[{ text, to: 'sendAt' }]];
    return [ownHours.isHeld ? [text] : [text, ...fill(help.closedNow, { reserve })]];
  }
  const causes = testTo === null ? offHours(sendAt ?? now, holidays) : [];
  if (causes.length === 0) return [];
  const words = causes.map((cause: OffHours) => messages.offHours[cause]).join(FIGURE_SEPARATOR);
  return [
    sendAt === null
      ? fill(help.offHoursNow(words), { reserve })
      : fill(help.offHoursLater(words), { when: timeOf(sendAt) }),
  ];
}

function buttonOf(facts: OrderFacts): string {
  const kind = kindOf(facts);
  const { buttons } = messages;
  if (facts.targets === undefined || facts.targets.ticked === 0) return buttons.unknown[kind];
  return kind === 'testLater' ? buttons.testLater : buttons[kind](facts.targets.ticked);
}
