import { queryOptions } from '@tanstack/react-query';
import { MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { daysInSentence } from '#domain/time/calendar-names.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SENDING_RULES } from '#web/lib/api/query-keys.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';

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

/** Returns `12/29（火）〜12/31（木）`, or a single day. */
export const shownDays = (first: string, last = first): string => daysInSentence(first, last, serverNow());
