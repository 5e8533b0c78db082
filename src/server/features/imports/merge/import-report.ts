import type { ReportKind, RowFault } from '../read/faults.ts';
import type { ListFile } from '../read/list-file.ts';
import type { Encoding } from '../read/read-records.ts';

export interface ReportLine extends RowFault {
  /** The row number as a spreadsheet counts: the heading is row 1. */
  row: number;
  /** For a repeated row: the row of the file with the same company. */
  firstRow?: number;
}

/** All lines with one reason. */
export interface ReportGroup extends Pick<RowFault, 'kind' | 'column' | 'reason'> {
  count: number;
  /** The first lines, at most GROUP_LINES. */
  lines: ReportLine[];
}

/**
 * The result of an import. If accepted, rowsRead is added + updated + unchanged + refused + duplicates + closed, and
 * the rows that brought a further person of their company.
 */
export interface ImportAnswer {
  /** No row was refused, or refused rows are skipped on request. */
  accepted: boolean;
  /** The file was accepted and this was not a dry run. Otherwise no data changed. */
  imported: boolean;
  encoding: Encoding | 'xlsx';
  /** The sheet that was read, and all sheets; null for CSV. */
  workbook: ListFile['workbook'];
  rowsRead: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Rows whose company, and person if they have one, is in an earlier row of the file. */
  duplicates: number;
  /** Rows of companies that are closed, as the file states. */
  closed: number;
  /** Cells that could not be read and were left blank, in rows that are imported. */
  blanked: number;
  /** Telephone numbers that lost their first 0 in a spreadsheet. */
  cutPhones: number;
  /** Absent: the file lists no people. */
  people?: { added: number; updated: number; unchanged: number };
  /** Headings that match no import column. */
  ignoredColumns: string[];
  /** The first 1,000 of `reportTotal` lines. */
  report: ReportLine[];
  reportTotal: number;
  /** All lines of the report, grouped by reason, refused rows first. */
  reportGroups: ReportGroup[];
}

/** The most lines of a report, which bounds its memory; further lines are only counted. */
export const MAX_REPORT_LINES = 1000;
const GROUP_LINES = 5;

/** Receives each line of a report, with the cells of a row that cannot be imported. */
export type TakeLine = (line: ReportLine, cells?: readonly string[]) => void;

/** Collects an import's report: the first lines, and for each reason a count and its first lines. */
export function createReport(takeLine?: TakeLine) {
  let lines: ReportLine[] = [];
  const groups = new Map<string, ReportGroup>();
  const counts: Record<ReportKind, number> = {
    refused: 0,
    repeated: 0,
    closed: 0,
    blanked: 0,
    not_taken: 0,
    cut_phone: 0,
  };
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
    /** @returns the first lines in the file's order, their total, and the groups, refused rows first */
    finish: () => ({
      report: lines.toSorted((a, b) => a.row - b.row),
      reportTotal: Object.values(counts).reduce((sum, count) => sum + count, 0),
      reportGroups: [...groups.values()].toSorted((a, b) => rank(a) - rank(b) || b.count - a.count),
    }),
  };
}
export type Report = ReturnType<typeof createReport>;

const rank = ({ kind }: ReportGroup): number =>
  ['refused', 'blanked', 'not_taken', 'cut_phone', 'repeated', 'closed'].indexOf(kind);
