import { useQuery } from '@tanstack/react-query';
import { isWeekend, startOfWeek, weekdayOf } from '#domain/time/calendar.ts';
import { daysOf } from '#domain/time/report-period.ts';
import { monthAndDate } from '#domain/time/shown-time.ts';
import { ChartPanel } from '#web/components/charts/chart-panel.tsx';
import { FigureTable } from '#web/components/charts/figure-table.tsx';
import { StackedColumns } from '#web/components/charts/stacked-columns.tsx';
import { holidays } from '#web/lib/data/holidays.ts';
import { sentenceDay } from '#web/lib/screen-time.ts';
import { endedOf, NO_RESULTS, type Report, type Results, sumOf } from './report-query.ts';
import { REPORT_MESSAGES } from './words.ts';

const { byDay: messages, results, count } = REPORT_MESSAGES;

/** The parts of a column. */
export const PARTS = [
  { label: results.sent, look: 'sent' },
  { label: results.failed, look: 'failed' },
  { label: results.unknown, look: 'unknown' },
] as const;

/** For longer periods days are too narrow: the chart shows weeks. */
const MAX_DAYS = 92;
/** Up to this many days each has a label; above, only Mondays. */
const MAX_LABELLED_DAYS = 10;
/** The approximate number of labels that are readable on a phone. */
const LABELS = 8;

type Day = Report['days'][number];

/** Shows the mails of a period by day; of a long one by week. */
export function ByDay({ from, to, days }: Pick<Report, 'from' | 'to' | 'days'>) {
  const { data: names = {} } = useQuery(holidays);
  const known = new Map(days.map((day) => [day.day, day]));
  const all = daysOf({ from, to }).map((day): Day => known.get(day) ?? { day, ...NO_RESULTS });
  const isLong = all.length > MAX_DAYS;
  const shown = isLong ? weeksOf(all) : all;
  const title = isLong ? messages.weeks : messages.title;
  const ticks = ticksOf(shown);
  const titleOf = ({ day, sent, failed, unknown }: Day) =>
    messages.columnTitle(nameOf(day, names), count(sent), count(failed), count(unknown));
  const summary = summaryOf(days);
  return (
    <ChartPanel
      title={title}
      summary={isLong ? summary : summary + messages.offHelp}
      chart={
        <StackedColumns
          parts={PARTS}
          columns={shown.map((day) => ({
            key: day.day,
            values: [day.sent, day.failed, day.unknown],
            title: titleOf(day),
            tick: ticks.has(day.day) ? monthAndDate(day.day) : undefined,
            isOff: !isLong && (isWeekend(day.day) || names[day.day] !== undefined),
          }))}
        />
      }
      table={
        <FigureTable
          caption={title}
          headings={[isLong ? messages.week : messages.day, ...Object.values(results)]}
          rows={shown.map((day) => ({ key: day.day, label: nameOf(day.day, names), values: valuesOf(day) }))}
        />
      }
    />
  );
}

/** Returns a sentence about the days on which mails were sent, and their number. */
export function summaryOf(days: Report['days']): string {
  const sending = days.filter((day) => endedOf(day) > 0);
  const [first] = sending;
  const last = sending.at(-1);
  if (first === undefined || last === undefined) return '';
  const mails = count(sending.reduce((sum, day) => sum + endedOf(day), 0));
  if (sending.length === 1) return messages.oneDayHelp(sentenceDay(first.day), mails);
  const most = sending.reduce((best, day) => (endedOf(day) > endedOf(best) ? day : best));
  return (
    messages.severalDaysHelp(monthAndDate(first.day), monthAndDate(last.day), sending.length, mails) +
    messages.mostHelp(sentenceDay(most.day), count(endedOf(most)))
  );
}

/** Returns the figures of a row in the order of their headings. */
export const valuesOf = (row: Results): string[] =>
  (Object.keys(results) as (keyof Results)[]).map((name) => count(row[name]));

function nameOf(day: string, names: Readonly<Record<string, { readonly name: string }>>): string {
  const holiday = names[day];
  const text = sentenceDay(day);
  return holiday === undefined ? text : messages.holiday(text, holiday.name);
}

/** Returns the labelled days: all of a few, otherwise as many first days of weeks as are readable. */
function ticksOf(shown: readonly Day[]): ReadonlySet<string> {
  const days = shown.map(({ day }) => day);
  if (days.length <= MAX_LABELLED_DAYS) return new Set(days);
  const mondays = days.filter((day) => weekdayOf(day) === 1);
  const every = Math.ceil(mondays.length / LABELS);
  return new Set(mondays.filter((_, index) => index % every === 0));
}

/** Sums days by week, from Monday. */
function weeksOf(days: readonly Day[]): Day[] {
  const weeks = Map.groupBy(days, ({ day }) => startOfWeek(day));
  return [...weeks].map(([day, parts]) => ({ day, ...parts.reduce<Results>(sumOf, NO_RESULTS) }));
}
