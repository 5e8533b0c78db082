import { WEEKDAYS } from '#domain/time/calendar.ts';
import type { GroupRules } from '#web/lib/data/group-rules.ts';
import { FIGURE_SEPARATOR, LIST_SEPARATOR, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { spansAsText, WEEK, writeSpans } from './hours-form.ts';
import { HOURS_MESSAGES, RULES_SENTENCE_MESSAGES as messages } from './words.ts';

const NAMED: Readonly<Record<string, string>> = HOURS_MESSAGES.named;

/**
 * Returns sentences about a group: when it sends, then the effects of holidays, other times and the daily limit.
 * @param perDay of the account; null: no limit
 */
export function rulesSentence(
  { periods, on_holidays, outside }: Pick<GroupRules, 'periods' | 'on_holidays' | 'outside'>,
  perDay: number | null,
): { readonly times: string; readonly rest: string } {
  const byTime = Map.groupBy(
    WEEK.filter((weekday) => periods.some((period) => period.weekday === weekday)),
    (weekday) => writeSpans(periods.filter((period) => period.weekday === weekday)),
  );
  const times = [...byTime].map(([spans, weekdays]) => HOURS_MESSAGES.time(namesOf(weekdays), spansAsText(spans)));
  return {
    times: messages.sends(times.join(LIST_SEPARATOR)),
    rest: messages.holidays[on_holidays] + messages.outside[outside] + (perDay === null ? '' : messages.limit(perDay)),
  };
}

/** Formats weekdays as `平日`, `月〜木`, or `月・水`. */
function namesOf(weekdays: readonly (typeof WEEK)[number][]): string {
  const names = weekdays.map((weekday) => WEEKDAYS[weekday] ?? '');
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const places = weekdays.map((weekday) => WEEK.indexOf(weekday));
  const isRun = names.length > 2 && (places.at(-1) ?? 0) - (places[0] ?? 0) === names.length - 1;
  return NAMED[names.join('')] ?? (isRun ? first + RANGE_SEPARATOR + last : names.join(FIGURE_SEPARATOR));
}
