import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies } from '#web/lib/phrases.ts';
import { sentenceDay, sentenceTime } from '#web/lib/screen-time.ts';
import { type CountedGroup, largestGroups } from '../left-out/left-out-groups.ts';
import type { OnlyLeftOut } from '../left-out/only-left-out.ts';
import { fill, type Part } from './order-sentence.ts';
import { NOTHING_MESSAGES, ORDER_MESSAGES } from './words.ts';

/** The facts from which the sentence of an empty list is built. */
export interface NothingFacts {
  /** Who is left out, and why. */
  readonly groups: readonly CountedGroup[];
  readonly matched: number;
  /** The only company of the list, once it is known. */
  readonly only?: Pick<OnlyLeftOut, 'name' | 'sendAt'> | null | undefined;
  readonly days: number;
  /** When the re-send interval releases the first company. */
  readonly nextAt: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly isChosen: boolean;
  readonly isFollowUp: boolean;
  readonly isFiltered: boolean;
}

const messages = NOTHING_MESSAGES;

/** Returns a sentence that says why no company can be mailed. */
export function nothingText(facts: NothingFacts): readonly Part[] {
  const { largest } = largestGroups(facts.groups);
  const [first, second] = largest;
  if (first === undefined || (facts.isChosen && facts.matched === 0)) return fill(noneText(facts));
  if (second === undefined) return [...reasonText(facts, first), ...nextText(facts, first.count === 1 ? 'one' : 'all')];
  const several = fill(messages.several, { first: partOf(first), second: partOf(second) });
  return [...several, ...nextText(facts, 'some')];
}

function noneText({ isChosen, isFollowUp, isFiltered }: NothingFacts): string {
  if (isChosen) return messages.noChosen;
  return isFollowUp && !isFiltered ? messages.noFollowUp : messages.noMatch;
}

const partOf = ({ group, name, count }: CountedGroup): Part => ({
  text: DATA_MESSAGES.leftOut.reason(name, count),
  group,
});

function reasonText({ only, days }: NothingFacts, { group, count }: CountedGroup): readonly Part[] {
  const isOne = count === 1;
  const sendAt = group === 'reserved' && isOne ? only?.sendAt : null;
  const text = sendAt ? messages.reservedFor(sentenceTime(sendAt)) : messages.reasons[group];
  const who = isOne ? (only?.name ?? companies(1)) : messages.all(count);
  return fill(text.replace('{subject}', messages.subject[isOne ? 'one' : 'all']), {
    who: { text: who, group },
    days: { text: ORDER_MESSAGES.days(days), to: 'days' },
  });
}

/** Says when the first company can be mailed: by its day, or its time if it is today. */
function nextText({ nextAt, now }: NothingFacts, form: keyof typeof messages.next): readonly Part[] {
  const at = nextAt === undefined ? null : parseDateTime(nextAt);
  if (at === null) return [];
  const day = dayOf(at);
  return [messages.next[form](day === dayOf(now) ? sentenceTime(at) : sentenceDay(day))];
}
