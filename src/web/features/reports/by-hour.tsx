import { ChartPanel } from '#web/components/charts/chart-panel.tsx';
import { FigureTable } from '#web/components/charts/figure-table.tsx';
import { HeatMap } from '#web/components/charts/heat-map.tsx';
import { valuesOf } from './by-day.tsx';
import { bestOf, type Report, replyRate, shareOf } from './report-query.ts';
import { REPORT_MESSAGES } from './words.ts';

const { byHour: messages, results, count, percent } = REPORT_MESSAGES;

/** Weeks begin on Monday. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0];
/** The hours that are always shown: those that can be reserved. */
const FIRST_HOUR = 8;
const LAST_HOUR = 20;

type Slot = Report['hours'][number];

const nameOf = ({ weekday, hour }: Slot): string => messages.slot(messages.weekdays[weekday] ?? '', hour);

/** Shows the share of mails that were replied to, by weekday and hour of sending. */
export function ByHour({ hours }: Pick<Report, 'hours'>) {
  const first = Math.min(FIRST_HOUR, ...hours.map(({ hour }) => hour));
  const last = Math.max(LAST_HOUR, ...hours.map(({ hour }) => hour));
  const columns = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const slots = new Map(hours.map((slot) => [`${slot.weekday} ${slot.hour}`, slot]));
  const best = bestOf(hours);
  const top = Math.max(0, ...hours.map(replyRate));
  const cellOf = (weekday: number, hour: number) => {
    const slot = slots.get(`${weekday} ${hour}`);
    if (slot === undefined) return { share: null, text: '', title: '' };
    return {
      share: shareOf(replyRate(slot), top),
      text: String(Math.round(100 * replyRate(slot))),
      title: messages.cellTitle(nameOf(slot), count(slot.sent), count(slot.replied)),
    };
  };
  return (
    <ChartPanel
      title={messages.title}
      summary={best === undefined ? messages.plainHelp : messages.summaryHelp(nameOf(best), percent(replyRate(best)))}
      chart={
        <HeatMap
          columns={columns.map(String)}
          rows={WEEKDAYS.map((weekday) => ({
            label: messages.weekdays[weekday] ?? '',
            cells: columns.map((hour) => cellOf(weekday, hour)),
          }))}
        />
      }
      table={
        <FigureTable
          caption={messages.title}
          headings={[messages.time, ...Object.values(results)]}
          rows={hours.map((slot) => ({ key: nameOf(slot), label: nameOf(slot), values: valuesOf(slot) }))}
        />
      }
    />
  );
}
