import { parentPort, workerData } from 'node:worker_threads';
import { WorkbookRefused } from './workbook-faults.ts';
import { type ReadSheet, type WorkbookToCsv, workbookToCsv } from './workbook-to-csv.ts';

/*
 * The thread in which read-workbook.ts reads a workbook, so that it blocks no event loop and its memory is limited.
 */

/** The parts of a Refusal: instances of a class do not cross threads. */
export interface RefusedWorkbook {
  readonly status: 400 | 413;
  readonly code: string;
  readonly message: string;
}
export type WorkbookAnswer = { readonly read: ReadSheet } | { readonly refused: RefusedWorkbook };

async function answer(): Promise<WorkbookAnswer> {
  try {
    return { read: await workbookToCsv(workerData as WorkbookToCsv) };
  } catch (error) {
    if (!(error instanceof WorkbookRefused)) throw error;
    const { status, code, message } = error.refusal;
    return { refused: { status: status as RefusedWorkbook['status'], code, message } };
  }
}

parentPort?.postMessage(await answer());
