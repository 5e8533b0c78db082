import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../../platform/refusal.ts';
import { workbookFaults } from './workbook-faults.ts';
import type { WorkbookAnswer } from './workbook-thread.ts';
import type { ReadSheet, WorkbookToCsv } from './workbook-to-csv.ts';

/** What 200,000 rows of 14 columns take, several times; bench/workbook.ts measures it. */
const LIMITS = { heapMb: 512, ms: 120_000 };

/** The last thread of this process. */
let lastThread: Promise<unknown> = Promise.resolve();

/**
 * Writes a sheet of a workbook as CSV, in a thread with limits of memory and time.
 * The threads of a process take turns, so that many workbooks at once take the memory of one.
 * @param signal ends the thread; the promise then rejects with the reason
 * @returns a Refusal where the workbook cannot be read
 */
export function readWorkbook(
  options: WorkbookToCsv,
  signal?: AbortSignal,
  limits: typeof LIMITS = LIMITS,
): Promise<ReadSheet | Refusal> {
  const thread = lastThread.then(() => runThread(options, signal, limits));
  lastThread = thread.catch(() => {});
  return thread;
}

async function runThread(
  options: WorkbookToCsv,
  signal: AbortSignal | undefined,
  { heapMb, ms }: typeof LIMITS,
): Promise<ReadSheet | Refusal> {
  signal?.throwIfAborted();
  const tooLate = AbortSignal.timeout(ms);
  const thread = new Worker(new URL('./workbook-thread.ts', import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  try {
    const ended = signal === undefined ? tooLate : AbortSignal.any([signal, tooLate]);
    const [answer] = (await once(thread, 'message', { signal: ended })) as [WorkbookAnswer];
    if ('read' in answer) return answer.read;
    const { status, code, message } = answer.refused;
    return new Refusal(status, code, message);
  } catch (error) {
    signal?.throwIfAborted();
    if (tooLate.aborted) return workbookFaults.tooSlow;
    if (isOutOfMemory(error)) return workbookFaults.expandsTooFar;
    throw error;
  } finally {
    await thread.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
