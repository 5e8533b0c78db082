import type { ReportKind, RowFault } from '../read/faults.ts';
import type { ListFile } from '../read/list-file.ts';
import type { Encoding } from '../read/read-records.ts';

export interface ReportLine extends RowFault {
  /** The row as a spreadsheet counts it: the heading is row 1. */
  row: number;
  /** Of a repeated row: the row of the file that holds the same company. */
  firstRow?: number;
}

/** All lines with one reason. */
export interface ReportGroup extends Pick<RowFault, 'kind' | 'column' | 'reason'> {
  count: number;
  /** The first of them, at most GROUP_LINES. */
  lines: ReportLine[];
}

/** What an import did. Of an accepted file, rowsRead is added + updated + unchanged + refused + duplicates + closed. */
export interface ImportAnswer {
  /** No row was refused, or refused rows were to be skipped. */
  accepted: boolean;
  /** The file was accepted and this was not a dry run. Otherwise nothing has changed. */
  imported: boolean;
  encoding: Encoding | 'xlsx';
  /** The sheet that was read, and all sheets; null for CSV. */
  workbook: ListFile['workbook'];
  rowsRead: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Rows whose company is in an earlier row of the file. */
  duplicates: number;
  /** Rows of companies that are closed, as the file states. */
  closed: number;
  /** Cells that could not be read and were left blank, in rows that are imported. */
  blanked: number;
  /** Telephone numbers whose first 0 a spreadsheet took. */
  cutPhones: number;
  /** Headings that match no column of an import. */
  ignoredColumns: string[];
  /** The first 1,000 of `reportTotal` lines. */
  report: ReportLine[];
  reportTotal: number;
  /** All lines of the report, grouped by reason, refused rows first. */
  reportGroups: ReportGroup[];
}

/** A report lists so many lines; the others are only counted. This bounds its memory. */
export const MAX_REPORT_LINES = 1000;
const GROUP_LINES = 5;

/** Takes each line of a report, with the cells of a row that cannot be imported. */
export type TakeLine = (line: ReportLine, cells?: readonly string[]) => void;

/** Collects what an import reports: the first lines, and for each reason a count and its first lines. */
export function createReport(takeLine?: TakeLine) {
  let lines: ReportLine[] = [];
  const groups = new Map<string, ReportGroup>();
  const counts: Record<ReportKind, number> = { refused: 0, repeated: 0, closed: 0, blanked: 0, cut_phone: 0 };
  return {
    add(line: ReportLine, cells?: readonly string[]): void {
      takeLine?.(line, cells);
      counts[line.kind] += 1;
      if (lines.length < MAX_REPORT_LINES) lines.push(line);
      const { kind, column, reason } = line;
      const key = `${kind}\n${column}\n${reason}`;
      const group = groups.get(key) ?? { kind, column, reason, count: 0, lines: [] };
      group.count += 1;
      if (group.lines.length < GROUP_LINES) group.lines.push(line);
      groups.set(key, group);
    },
    /** Removes all lines of a kind. */
    forget(kind: ReportKind): void {
      counts[kind] = 0;
      lines = lines.filter((line) => line.kind !== kind);
      for (const [key, group] of groups) if (group.kind === kind) groups.delete(key);
    },
    count: (kind: ReportKind): number => counts[kind],
    /** @returns the first lines in the file's order, how many there are, and the groups, refused rows first */
    finish: () => ({
      report: lines.toSorted((a, b) => a.row - b.row),
      reportTotal: Object.values(counts).reduce((sum, count) => sum + count, 0),
      reportGroups: [...groups.values()].toSorted((a, b) => rank(a) - rank(b) || b.count - a.count),
    }),
  };
}
export type Report = ReturnType<typeof createReport>;

const rank = ({ kind }: ReportGroup): number => ['refused', 'blanked', 'cut_phone', 'repeated', 'closed'].indexOf(kind);
