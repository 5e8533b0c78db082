import { csvCell } from '#domain/text/csv-cell.ts';
import { harmlessCell } from '#domain/text/harmless-cell.ts';
import type { Report, Results } from './report-query.ts';
import { REPORT_MESSAGES } from './words.ts';

const { file, filters, byDay, byTemplate, byHour, byIndustry, results } = REPORT_MESSAGES;

/** Excel reads UTF-8 only behind this mark. */
const BYTE_ORDER_MARK = '\ufeff';

/** Writes all figures of a report as one table, whose first column says what a row is of. */
export function reportCsv(report: Report): string {
  const row = (kind: string, item: string, figures: Results): string =>
    [kind, harmlessCell(item), ...(Object.keys(results) as (keyof Results)[]).map((name) => String(figures[name]))]
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
