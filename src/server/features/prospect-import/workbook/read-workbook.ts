import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../../platform/refusal.ts';
import { workbookFaults } from './workbook-faults.ts';
import type { WorkbookAnswer } from './workbook-thread.ts';
import type { ReadSheet, WorkbookToCsv } from './workbook-to-csv.ts';

/** What 200,000 rows of 14 columns take, several times; bench/workbook.ts measures it. */
const LIMITS = { heapMb: 512, ms: 120_000 };
/** A person waits for the first rows. */
const HEAD_LIMITS = { heapMb: 512, ms: 20_000 };

/** The end of the last thread of this process. */
let lastThread: Promise<void> = Promise.resolve();

/**
 * Writes a sheet of a workbook as CSV, in a thread with limits of memory and time.
 * The threads of a process take turns, so that many workbooks at once take the memory of one.
 * @param signal ends the thread, or the wait for it; the promise then rejects with the reason
 * @returns a Refusal where the workbook cannot be read
 */
export async function readWorkbook(
  options: WorkbookToCsv,
  signal?: AbortSignal,
  limits: typeof LIMITS = options.headRows === null ? LIMITS : HEAD_LIMITS,
): Promise<ReadSheet | Refusal> {
  signal?.throwIfAborted();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const previous = lastThread;
  lastThread = previous.then(() => ended);
  const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  try {
    await Promise.race([previous, aborted]);
    return await runThread(options, signal, limits);
  } finally {
    end();
  }
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
  // `once` removes its listener when the signal aborts; an error of the thread after that would end the process.
  thread.on('error', () => {});
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
