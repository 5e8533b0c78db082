import { parentPort } from 'node:worker_threads';
import writeExcelFile from 'write-excel-file/node';
import { typedCell } from '#domain/text/harmless-cell.ts';
import type { Row } from './export-table.ts';

/**
 * The thread in which export-job.ts makes a workbook, so that compression blocks no event loop.
 * It collects rows, and answers 'end' with the file's bytes.
 */
const rows: Row[] = [];

parentPort?.on('message', (message: readonly Row[] | 'end') => {
  if (message !== 'end') return void rows.push(...message);
  void writeExcelFile(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? typedCell(cell) : cell))),
    { stickyRowsCount: 1 },
  )
    .toBuffer()
    .then((file) => {
      parentPort?.postMessage(file);
      parentPort?.close();
    });
});
