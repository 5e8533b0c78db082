import { useQuery } from '@tanstack/react-query';
import { csvCell, harmlessCell } from '#domain/text/harmless-cell.ts';
import type { Period } from '#domain/time/report-period.ts';
import { shortDay } from '#domain/time/shown-time.ts';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { Panel } from '#web/components/panel.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { saveText } from '#web/lib/api/save-file.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { Link } from '#web/lib/router/link.tsx';
import { ByDay } from './by-day.tsx';
import { ByHour } from './by-hour.tsx';
import { ByIndustry, ByTemplate } from './by-name.tsx';
import { Figures, JudgedNote } from './figures.tsx';
import { ReportFilters } from './report-filters.tsx';
import {
  endedOf,
  hasRates,
  notJudged,
  type Report,
  replyRate,
  type Results as reportCsvResults,
  reportOf,
  shareOf,
} from './report-query.ts';
import styles from './reports.module.css';
import { usePlace } from './use-place.ts';
import { REPORT_MESSAGES as messages } from './words.ts';

const { file, filters, byDay, byTemplate, byHour, byIndustry, results, sentence, count, percent } = messages;

interface Props {
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

/** Shows the results of a period, compared with the previous one. */
export function ReportScreen({ groups }: Props) {
  const at = usePlace();
  const { place } = at;
  const { data, error, isPlaceholderData, refetch } = useQuery(reportOf(place));
  return (
    <PageFrame
      title={messages.title}
      help={messages.help}
      guide="results"
      tools={data && !place.isWrong ? <Tools report={data} /> : null}
    >
      <ReportFilters at={at} groups={groups} />
      {place.isWrong ? null : (
        <>
          <p className="row note">
            {messages.filters.showsDays(...shownDays(place.period))}
            <span>{messages.filters.comparedWith(...shownDays(place.before))}</span>
          </p>
          {data === undefined ? (
            <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />
          ) : (
            <div className={`stack-wide ${styles.report}`} aria-busy={isPlaceholderData}>
              {endedOf(data.total) === 0 ? (
                <EmptyState kind="no-match" title={messages.empty} help={messages.emptyHelp}>
                  {place.name === 'this_year' ? null : (
                    <Button onClick={() => at.choosePeriod('this_year')}>{messages.changePeriod}</Button>
                  )}
                </EmptyState>
              ) : (
                <>
                  <p className="sentence">{sentenceOf(data, messages.sentence.of[data.name](data.from))}</p>
                  <Results report={data} />
                </>
              )}
            </div>
          )}
        </>
      )}
    </PageFrame>
  );
}

const shownDays = ({ from, to }: Period): [string, string] => [shortDay(from, serverNow()), shortDay(to, serverNow())];

/** Returns one sentence about the results of a period. @param when the sentence's beginning, such as 11月は */
export function sentenceOf({ total, before }: Pick<Report, 'total' | 'before'>, when: string): string {
  const { sent, replied } = total;
  if (sent === 0) {
    const ended = count(endedOf(total));
    return total.unknown > 0
      ? sentence.unknownHelp(when, ended, count(total.unknown))
      : sentence.noneArrivedHelp(when, ended);
  }
  const then = replyRate(before);
  const rate = percent(replyRate(total));
  const replies =
    replied === 0
      ? sentence.noReplyHelp
      : before.sent === 0
        ? sentence.repliesHelp(count(replied), rate)
        : sentence.comparedHelp(count(replied), rate, percent(then));
  return sentence.sent(when, count(sent)) + replies;
}

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
      <JudgedNote report={report} />
      <ByDay from={report.from} to={report.to} days={report.days} />
      <div className={`pair ${styles.pair}`}>
        <ByTemplate templates={report.templates} />
        {hasRates(report.total.sent) ? <ByHour hours={report.hours} /> : null}
        <ByIndustry industries={report.industries} />
        <DomainRates report={report} />
      </div>
    </>
  );
}

/** Shows the rates by which mail servers judge a domain, counting only mails that are old enough. */
function DomainRates({ report }: { readonly report: Report }) {
  const { health, target } = messages;
  const { judged } = report;
  const reason = notJudged(report);
  const textOf = (rate: number, withTarget: (rate: string) => string) =>
    reason === null ? withTarget(percent(rate)) : target[reason];
  return (
    <Panel title={health.title}>
      <p>{health.complaints(textOf(shareOf(judged.complained, judged.sent), health.complaintsTarget))}</p>
      <p>{health.dead(textOf(shareOf(judged.dead, endedOf(judged)), health.deadTarget))}</p>
      <Link to={PATHS.settingsDomains}>{health.link}</Link>
    </Panel>
  );
}

/** Excel reads UTF-8 only after this mark. */
const BYTE_ORDER_MARK = '\ufeff';

/** Writes all figures of a report as one CSV table. Its first column names what a row describes. */
export function reportCsv(report: Report): string {
  const row = (kind: string, item: string, figures: reportCsvResults): string =>
    [
      kind,
      harmlessCell(item),
      ...(Object.keys(results) as (keyof reportCsvResults)[]).map((name) => String(figures[name])),
    ]
      .map(csvCell)
      .join(',');
  const rows = [
    file.headings.map(csvCell).join(','),
    row(file.total, filters.showsDays(report.from, report.to), report.total),
    row(file.before, filters.showsDays(report.before_from, report.before_to), report.before),
    ...report.days.map((day) => row(byDay.title, day.day, day)),
    ...report.templates.map((one) => row(byTemplate.title, one.name ?? byTemplate.none, one)),
    ...report.hours.map((slot) => row(byHour.title, byHour.slot(byHour.weekdays[slot.weekday] ?? '', slot.hour), slot)),
    ...report.industries.map((one) => row(byIndustry.title, one.name ?? byIndustry.none, one)),
  ];
  return `${BYTE_ORDER_MARK}${rows.join('\r\n')}\r\n`;
}
