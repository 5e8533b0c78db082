import { queryOptions } from '@tanstack/react-query';
import { MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { WEEKDAYS, weekdayOf } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SENDING_RULES } from '#web/lib/api/query-keys.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';
import { inBrackets, RANGE_SEPARATOR } from '#web/lib/phrases.ts';

export type ClosingDayRow = CompleteRow<AnswerOf<'listClosingDays'>[number]>;

export interface Group {
  readonly id: number;
  readonly group_name: string;
}

/** Returns the name of a day's draft in the session. */
export const draftOf = (id: number | 'new'): string => `closing_day.${id}`;

/** Fetches the closing days of all groups of the account. */
export const closingDays = queryOptions({
  queryKey: [SENDING_RULES, 'closing_days'],
  queryFn: async ({ signal }): Promise<ClosingDayRow[]> =>
    // Without `columns`, rows have all of them.
    (await allRows(MAX_CLOSING_DAYS, (offset) =>
      call('listClosingDays', { query: { where_info: { active: 1 }, offset } }, { signal }),
    )) as ClosingDayRow[],
  staleTime: 0,
});

/** Formats days as `12/29（火）〜1/3（日）`, or a single day; with the year if it differs. */
export function shownDays(first: string, last = first): string {
  const year = first.slice(0, 4) === dayOf(serverNow()).slice(0, 4) ? '' : `${first.slice(0, 4)}/`;
  return year + shownDay(first) + (first === last ? '' : RANGE_SEPARATOR + shownDay(last));
}

function shownDay(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${month}/${date}${inBrackets(WEEKDAYS[weekdayOf(day)] ?? '')}`;
}
