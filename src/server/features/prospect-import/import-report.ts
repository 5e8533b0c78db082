import type { RowFault } from './faults.ts';

/** `row`: the line of the file where the row starts. A notice was no reason to refuse the row's data. */
export interface ReportLine extends RowFault {
  kind: 'refused' | 'notice';
  row: number;
}

export const MAX_REPORT_LINES = 1000;

/** Collects what is wrong with a file. Past MAX_REPORT_LINES lines are counted only: a bad file must not fill the memory. */
export function createReport() {
  const lines: ReportLine[] = [];
  let refused = 0;
  let notices = 0;
  return {
    refuse(row: number, fault: RowFault): void {
      refused += 1;
      if (lines.length < MAX_REPORT_LINES) lines.push({ kind: 'refused', row, ...fault });
    },
    /** `total`: how many there are; `found` holds the first of them. */
    notice(found: readonly { row: number; message: string }[], total: number): void {
      notices += total;
      lines.push(...found.map(({ row, message }) => ({ kind: 'notice' as const, row, column: '', message })));
    },
    refused: () => refused,
    /** `report`: the first lines in the file's order; `reportTotal`: how many there would be. */
    finish: () => ({
      refused,
      report: lines.toSorted((a, b) => a.row - b.row).slice(0, MAX_REPORT_LINES),
      reportTotal: refused + notices,
    }),
  };
}
export type Report = ReturnType<typeof createReport>;
