import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { monthAndDate } from '#domain/time/shown-time.ts';
import { dayOf, formatSecond, parseDateTime } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { ChartPanel } from '#web/components/charts/chart-panel.tsx';
import { FigureTable } from '#web/components/charts/figure-table.tsx';
import { StackedColumns } from '#web/components/charts/stacked-columns.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { SEND_LOG } from '#web/lib/api/query-keys.ts';
import { listClock, listTime, sentenceDay } from '#web/lib/screen-time.ts';
import { PARTS, valuesOf } from './by-day.tsx';
import { endedOf, NO_RESULTS, type Results, shareOf, sumOf } from './report-query.ts';
import styles from './reports.module.css';
import { REPORT_MESSAGES } from './words.ts';

const { ofRun: messages, byDay, results, count, percent } = REPORT_MESSAGES;

type RunResults = AnswerOf<'viewRunResults'>;
type Slot = RunResults['times'][number];

/** The poll interval in ms while mails are sent: each poll counts all mails of the run. */
const POLL_MS = 10_000;
/** The number of bars up to which gaps are shown. */
const MAX_BARS = 100;
/** The approximate number of labelled bars. */
const LABELS = 8;

const resultsOf = ({ id, finished }: Pick<Run, 'id' | 'finished'>) =>
  queryOptions({
    // `finished` causes one more count at the end, because the last poll may be ten seconds old.
    queryKey: [SEND_LOG, id, 'results', finished] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<RunResults> =>
      unwrap(await call('viewRunResults', { params: { id: String(id) } }, { signal })),
    refetchInterval: finished ? false : POLL_MS,
    placeholderData: (counted, of) => (of?.queryKey[1] === id ? counted : undefined),
  });

/** Shows the results of a run by time. They are counted when the user opens them. */
export function RunResultsPart({ run }: { readonly run: Pick<Run, 'id' | 'finished'> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.ofRun} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{messages.title}</summary>
      {isOpen ? <OpenedResults run={run} /> : null}
    </details>
  );
}

function OpenedResults({ run }: { readonly run: Pick<Run, 'id' | 'finished'> }) {
  const { data, error, refetch } = useQuery(resultsOf(run));
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  if (data.times.length === 0) return <p className="note">{messages.empty}</p>;
  return <ByTime {...data} />;
}

function ByTime({ step_minutes: step, times }: RunResults) {
  const total = times.reduce<Results>(sumOf, NO_RESULTS);
  const bars = withGaps(times, step);
  const every = Math.ceil(bars.length / LABELS);
  return (
    <ChartPanel
      title={messages.byTime}
      summary={messages.summaryHelp({
        step: messages.steps[step],
        ended: count(endedOf(total)),
        replied: count(total.replied),
        rate: percent(shareOf(total.replied, total.sent)),
        refused: count(total.refused),
      })}
      chart={
        <StackedColumns
          parts={PARTS}
          columns={bars.map((bar, index) => ({
            key: bar.at,
            values: [bar.sent, bar.failed, bar.unknown],
            title: byDay.columnTitle(nameOf(bar.at, step), count(bar.sent), count(bar.failed), count(bar.unknown)),
            tick: index % every === 0 ? tickOf(bar.at, step) : undefined,
          }))}
        />
      }
      table={
        <FigureTable
          caption={messages.byTime}
          headings={[messages.time, ...Object.values(results)]}
          rows={times.map((time) => ({ key: time.at, label: nameOf(time.at, step), values: valuesOf(time) }))}
        />
      }
    />
  );
}

/** Adds empty slots between those with mails, so that the bars are spaced by time. */
function withGaps(times: readonly Slot[], step: number): readonly Slot[] {
  const known = new Map(times.map((time) => [parseDateTime(time.at) ?? 0, time]));
  const first = Math.min(...known.keys());
  const length = (Math.max(...known.keys()) - first) / (step * MINUTE_MS) + 1;
  if (length > MAX_BARS) return times;
  return Array.from({ length }, (_, index) => {
    const at = first + index * step * MINUTE_MS;
    return known.get(at) ?? { at: formatSecond(at), ...NO_RESULTS };
  });
}

const DAY_MINUTES = 1440;
const dayIn = (at: string): string => dayOf(parseDateTime(at) ?? 0);
const nameOf = (at: string, step: number): string => (step === DAY_MINUTES ? sentenceDay(dayIn(at)) : listTime(at));
const tickOf = (at: string, step: number): string => (step === DAY_MINUTES ? monthAndDate(dayIn(at)) : listClock(at));
