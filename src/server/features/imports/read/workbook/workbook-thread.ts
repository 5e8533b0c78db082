import { parentPort, workerData } from 'node:worker_threads';
import { WorkbookFault } from './workbook-faults.ts';
import { type ReadSheet, type WorkbookToCsv, workbookToCsv } from './workbook-to-csv.ts';

/*
 * The thread in which read-workbook.ts reads a workbook, so that it blocks no event loop and its memory is limited.
 */

/** The parts of a Problem: instances of a class do not cross threads. */
export interface FaultyWorkbook {
  readonly status: 400 | 413;
  readonly code: string;
  readonly message: string;
}
export type WorkbookAnswer = { readonly read: ReadSheet } | { readonly fault: FaultyWorkbook };

async function answer(): Promise<WorkbookAnswer> {
  try {
    return { read: await workbookToCsv(workerData as WorkbookToCsv) };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    const { status, code, message } = error.fault;
    return { fault: { status: status as FaultyWorkbook['status'], code, message } };
  }
}

parentPort?.postMessage(await answer());
