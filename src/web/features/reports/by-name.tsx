import { BarList, type BarRow } from '#web/components/charts/bar-list.tsx';
import { ChartPanel } from '#web/components/charts/chart-panel.tsx';
import { FigureTable } from '#web/components/charts/figure-table.tsx';
import { valuesOf } from './by-day.tsx';
import { bestOf, hasRates, type Report, type Results, replyRate, shareOf } from './report-query.ts';
import { REPORT_MESSAGES } from './words.ts';

const { byTemplate, byIndustry, results, count, percent } = REPORT_MESSAGES;

type Named = Results & { readonly name: string | null };

const isRated = ({ sent }: Results): boolean => hasRates(sent);
const refusalRate = ({ refused, sent }: Results): number => shareOf(refused, sent);
const most = (rows: readonly Results[], value: (row: Results) => number): number => Math.max(0, ...rows.map(value));

const sentBar = (row: Results, rows: readonly Results[]) => ({
  share: shareOf(
    row.sent,
    most(rows, ({ sent }) => sent),
  ),
  text: count(row.sent),
  look: 'sent' as const,
});
/** A rate among those of rows with enough mails. A row with fewer has none. */
function rateBar(
  look: 'replied' | 'refused',
  rateOf: (row: Results) => number,
  row: Results,
  rows: readonly Results[],
) {
  if (!isRated(row)) return { share: 0, text: byTemplate.noRate, look };
  return { share: shareOf(rateOf(row), most(rows.filter(isRated), rateOf)), text: percent(rateOf(row)), look };
}
const replyBar = (row: Results, rows: readonly Results[]) => rateBar('replied', replyRate, row, rows);
const refusalBar = (row: Results, rows: readonly Results[]) => rateBar('refused', refusalRate, row, rows);

/** Rates have a heading where a row has one. */
const headingsOf = (rows: readonly BarRow[], rates: readonly string[]): readonly string[] =>
  [byTemplate.sent, ...rates].slice(0, rows[0]?.bars.length);

const tableRows = (rows: readonly Named[], none: string) =>
  rows.map((row) => ({ key: row.name ?? '', label: row.name ?? none, values: valuesOf(row) }));

/** Shows the mails of a period by template. */
export function ByTemplate({ templates }: Pick<Report, 'templates'>) {
  if (templates.length === 0) return null;
  const best = bestOf(templates);
  const rows = templates.map(
    (row): BarRow => ({
      key: String(row.template_id),
      label: row.name ?? byTemplate.none,
      bars: [
        sentBar(row, templates),
        ...(templates.some(isRated) ? [replyBar(row, templates), refusalBar(row, templates)] : []),
      ],
    }),
  );
  return (
    <ChartPanel
      title={byTemplate.title}
      summary={
        byTemplate.summaryHelp(templates.length) +
        (best === undefined ? '' : byTemplate.bestHelp(best.name ?? byTemplate.none, percent(replyRate(best))))
      }
      chart={<BarList headings={headingsOf(rows, [byTemplate.replyRate, byTemplate.refusalRate])} rows={rows} />}
      table={
        <FigureTable
          caption={byTemplate.title}
          headings={[byTemplate.template, ...Object.values(results)]}
          rows={templates.map((row) => ({
            key: String(row.template_id),
            label: row.name ?? byTemplate.none,
            values: valuesOf(row),
          }))}
        />
      }
    />
  );
}

/** Shows the mails of a period for the industries with the most mails. */
export function ByIndustry({ industries }: Pick<Report, 'industries'>) {
  const [first] = industries;
  if (first === undefined) return null;
  const rows = industries.map(
    (row): BarRow => ({
      key: row.name ?? '',
      label: row.name ?? byIndustry.none,
      bars: [sentBar(row, industries), ...(industries.some(isRated) ? [replyBar(row, industries)] : [])],
    }),
  );
  return (
    <ChartPanel
      title={byIndustry.title}
      summary={byIndustry.summaryHelp(first.name ?? byIndustry.none, count(first.sent))}
      chart={<BarList headings={headingsOf(rows, [byTemplate.replyRate])} rows={rows} />}
      table={
        <FigureTable
          caption={byIndustry.title}
          headings={[byIndustry.industry, ...Object.values(results)]}
          rows={tableRows(industries, byIndustry.none)}
        />
      }
    />
  );
}
