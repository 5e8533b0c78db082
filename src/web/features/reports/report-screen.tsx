import { useQuery } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { saveText } from '#web/lib/save-file.ts';
import { ByDay } from './by-day.tsx';
import { ByHour } from './by-hour.tsx';
import { ByIndustry, ByTemplate } from './by-name.tsx';
import { Figures } from './figures.tsx';
import { reportCsv } from './report-csv.ts';
import { ReportFilters } from './report-filters.tsx';
import { endedOf, notJudged, type Report, reportOf, shareOf } from './report-query.ts';
import styles from './reports.module.css';
import { usePlace } from './use-place.ts';
import { REPORT_MESSAGES as messages } from './words.ts';

interface Props {
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

/** The results of a period, against the one before. */
export function ReportScreen({ groups }: Props) {
  const at = usePlace();
  const { place } = at;
  const { data, isError, isPlaceholderData, refetch } = useQuery(reportOf(place));
  return (
    <PageFrame
      title={messages.title}
      help={messages.help}
      guide="results"
      tools={data ? <Tools report={data} /> : null}
    >
      <ReportFilters at={at} groups={groups} />
      <p className={styles.period}>
        {messages.filters.showsDays(written(place.period.from), written(place.period.to))}
        <span>{messages.filters.comparedWith(written(place.before.from), written(place.before.to))}</span>
      </p>
      {data === undefined ? (
        <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />
      ) : (
        <div className={styles.report} aria-busy={isPlaceholderData}>
          {endedOf(data.total) === 0 ? (
            <EmptyState kind="no-match" title={messages.empty} help={messages.emptyHelp}>
              {place.name === 'this_year' ? null : (
                <Button onClick={() => at.choosePeriod('this_year')}>{messages.changePeriod}</Button>
              )}
            </EmptyState>
          ) : (
            <Results report={data} />
          )}
        </div>
      )}
    </PageFrame>
  );
}

/** A day in the form of the screen. */
const written = (day: string): string => day.replaceAll('-', '/');

function Tools({ report }: { readonly report: Report }) {
  const save = () => saveText(reportCsv(report), messages.file.name(report.from, report.to), 'text/csv');
  return (
    <>
      <Button onClick={save}>{messages.csv}</Button>
      <Button onClick={() => window.print()}>{messages.print}</Button>
    </>
  );
}

function Results({ report }: { readonly report: Report }) {
  return (
    <>
      <Figures report={report} />
      <ByDay from={report.from} to={report.to} days={report.days} />
      <div className={styles.pair}>
        <ByTemplate templates={report.templates} />
        <ByHour hours={report.hours} />
        <ByIndustry industries={report.industries} />
        <DomainRates report={report} />
      </div>
    </>
  );
}

/** The rates by which mail servers judge a domain, over the mails that are old enough. */
function DomainRates({ report }: { readonly report: Report }) {
  const { health, percent, target } = messages;
  const { judged } = report;
  const reason = notJudged(report);
  const textOf = (rate: number, withTarget: (rate: string) => string) =>
    reason === null ? withTarget(percent(rate)) : target[reason];
  return (
    <section className={styles.health}>
      <h2>{health.title}</h2>
      <p>{health.complaints(textOf(shareOf(judged.complained, judged.sent), health.complaintsTarget))}</p>
      <p>{health.dead(textOf(shareOf(judged.dead, endedOf(judged)), health.deadTarget))}</p>
      <Link to={PATHS.settingsDomains}>{health.link}</Link>
    </section>
  );
}
