import { parentPort, workerData } from 'node:worker_threads';
import type { Refusal } from '../../../../platform/problem.ts';
import { WorkbookFault } from './workbook-faults.ts';
import { type ReadSheet, type WorkbookToCsv, workbookToCsv } from './workbook-to-csv.ts';

/* The thread in which read-workbook.ts reads a workbook: it does not block the event loop, and has a memory limit. */

/** The fields of a Problem: class instances do not cross threads. */
export interface FaultyWorkbook {
  readonly code: Refusal['code'];
  readonly message: string;
}
export type WorkbookAnswer = { readonly read: ReadSheet } | { readonly fault: FaultyWorkbook };

async function answer(): Promise<WorkbookAnswer> {
  try {
    return { read: await workbookToCsv(workerData as WorkbookToCsv) };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    const { code, message } = error.fault;
    return { fault: { code, message } };
  }
}

parentPort?.postMessage(await answer());
