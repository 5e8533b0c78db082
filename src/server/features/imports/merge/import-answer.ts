import type { Encoding } from '../read/file-encoding.ts';
import type { ListFile } from '../read/list-file.ts';
import type { ReportGroup, ReportLine } from './import-report.ts';

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
  /** Headings that match no column of an import. */
  ignoredColumns: string[];
  /** The first 1,000 of `reportTotal` lines. */
  report: ReportLine[];
  reportTotal: number;
  /** All lines of the report, grouped by reason, refused rows first. */
  reportGroups: ReportGroup[];
}
