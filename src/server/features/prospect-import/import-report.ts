import type { RowFault } from './faults.ts';

export interface ReportLine extends RowFault {
  /** A refused row cannot be read. A notice reports a good row that was not imported. */
  kind: 'refused' | 'notice';
  /** The line of the file where the row starts, from 1. */
  row: number;
}

export const MAX_REPORT_LINES = 1000;

/**
 * Collects the refused rows and notices of an import. Lines beyond MAX_REPORT_LINES are only counted, to bound memory.
 */
export function createReport() {
  const lines: ReportLine[] = [];
  let refused = 0;
  let notices = 0;
  return {
    refuse(row: number, fault: RowFault): void {
      refused += 1;
      if (lines.length < MAX_REPORT_LINES) lines.push({ kind: 'refused', row, ...fault });
    },
    /** @param first the first notices @param total how many there are */
    notice(first: readonly { row: number; message: string }[], total: number): void {
      notices += total;
      lines.push(...first.map(({ row, message }) => ({ kind: 'notice' as const, row, column: '', message })));
    },
    refused: () => refused,
    /** @returns the first lines in the file's order, and how many there are in all */
    finish: () => ({
      refused,
      report: lines.toSorted((a, b) => a.row - b.row).slice(0, MAX_REPORT_LINES),
      reportTotal: refused + notices,
    }),
  };
}
export type Report = ReturnType<typeof createReport>;
