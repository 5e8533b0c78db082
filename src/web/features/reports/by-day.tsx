import { useQuery } from '@tanstack/react-query';
import { addDays, formatDayWithWeekday, isWeekend, weekdayOf } from '#domain/calendar.ts';
import { daysOf } from '#domain/report-period.ts';
import { ChartPanel } from '#web/components/charts/chart-panel.tsx';
import { FigureTable } from '#web/components/charts/figure-table.tsx';
import { StackedColumns } from '#web/components/charts/stacked-columns.tsx';
import { holidays } from '#web/lib/holidays.ts';
import { endedOf, type Report, type Results } from './report-query.ts';
import { REPORT_MESSAGES } from './words.ts';

const { byDay: messages, results, count } = REPORT_MESSAGES;

const PARTS = [
  { label: results.sent, look: 'sent' },
  { label: results.failed, look: 'failed' },
  { label: results.unknown, look: 'unknown' },
] as const;

/** Above it, days are too narrow: the chart shows weeks. */
const MAX_DAYS = 92;
/** About so many days have a label. */
const LABELS = 8;

type Day = Report['days'][number];

const NONE: Results = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0 };

/** The mails of a period by day, or by week where it is long. */
export function ByDay({ from, to, days }: Pick<Report, 'from' | 'to' | 'days'>) {
  const { data: names = {} } = useQuery(holidays);
  const known = new Map(days.map((day) => [day.day, day]));
  const all = daysOf({ from, to }).map((day): Day => known.get(day) ?? { day, ...NONE });
  const isLong = all.length > MAX_DAYS;
  const shown = isLong ? weeksOf(all) : all;
  const every = Math.ceil(shown.length / LABELS);
  const titleOf = ({ day, sent, failed, unknown }: Day) =>
    messages.columnTitle(nameOf(day, names), count(sent), count(failed), count(unknown));
  const most = days.reduce((best, day) => (endedOf(day) > endedOf(best) ? day : best), { day: from, ...NONE });
  const mails = days.reduce((sum, day) => sum + endedOf(day), 0);
  const summary = messages.summaryHelp(days.length, count(mails), formatDayWithWeekday(most.day), count(endedOf(most)));
  return (
    <ChartPanel
      title={isLong ? messages.weeks : messages.title}
      summary={isLong ? summary : summary + messages.offHelp}
      chart={
        <StackedColumns
          parts={PARTS}
          columns={shown.map((day, index) => ({
            key: day.day,
            values: [day.sent, day.failed, day.unknown],
            title: titleOf(day),
            tick: index % every === 0 ? shortDay(day.day) : undefined,
            isOff: !isLong && (isWeekend(day.day) || names[day.day] !== undefined),
          }))}
        />
      }
      table={
        <FigureTable
          caption={messages.title}
          headings={[isLong ? messages.week : messages.day, ...Object.values(results)]}
          rows={shown.map((day) => ({ key: day.day, label: nameOf(day.day, names), values: valuesOf(day) }))}
        />
      }
    />
  );
}

/** The figures of a row in the order of their headings. */
export const valuesOf = (row: Results): string[] =>
  (Object.keys(results) as (keyof Results)[]).map((name) => count(row[name]));

const shortDay = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}`;

function nameOf(day: string, names: Readonly<Record<string, { readonly name: string }>>): string {
  const holiday = names[day];
  const text = formatDayWithWeekday(day);
  return holiday === undefined ? text : messages.holiday(text, holiday.name);
}

/** Sums days by week, which begins on Monday. */
function weeksOf(days: readonly Day[]): Day[] {
  const weeks = Map.groupBy(days, ({ day }) => addDays(day, -((weekdayOf(day) + 6) % 7)));
  return [...weeks].map(([day, parts]) =>
    parts.reduce<Day>(
      (sum, part) => ({
        day,
        sent: sum.sent + part.sent,
        failed: sum.failed + part.failed,
        unknown: sum.unknown + part.unknown,
        replied: sum.replied + part.replied,
        refused: sum.refused + part.refused,
      }),
      { day, ...NONE },
    ),
  );
}
