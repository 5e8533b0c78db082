import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { MB } from '#domain/import-limits.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { accountTurns } from './account-turns.ts';
import { workbookFaults } from './workbook-faults.ts';
import type { WorkbookAnswer } from './workbook-thread.ts';
import type { ReadSheet, WorkbookToCsv } from './workbook-to-csv.ts';

interface Limits {
  readonly heapMb: number;
  readonly ms: number;
  /** Milliseconds of computing by the thread, so that a busy machine refuses no honest workbook. */
  readonly cpuMs: number;
}

/**
 * Returns what a workbook may take. 200,000 rows of 14 columns (17 MB) take a fifth of it; bench/workbook.ts measures
 * it. For the first rows a person waits.
 */
const limitsOf = (packedBytes: number, isHead: boolean): Limits => ({
  heapMb: 512,
  ms: isHead ? 20_000 : 120_000,
  cpuMs: 20_000 + (packedBytes / MB) * 1000,
});

/** How often the computing of the thread is measured. */
const CPU_CHECK_MS = 200;

/** A process reads one workbook at a time, so that many at once take the memory of one. */
const inTurn = accountTurns();

/**
 * Writes a sheet of a workbook as CSV, in a thread with limits of memory and time. Accounts take turns.
 * @param signal ends the thread, or the wait for it; the promise then rejects with the reason
 * @returns a Refusal where the workbook cannot be read
 */
export function readWorkbook(
  options: WorkbookToCsv,
  accountId: number,
  signal?: AbortSignal,
  limits?: Limits,
): Promise<ReadSheet | Refusal> {
  return inTurn(accountId, signal, async () => {
    const { size } = await stat(options.path);
    return runThread(options, signal, limits ?? limitsOf(size, options.headRows !== null));
  });
}

async function runThread(
  options: WorkbookToCsv,
  signal: AbortSignal | undefined,
  { heapMb, ms, cpuMs }: Limits,
): Promise<ReadSheet | Refusal> {
  signal?.throwIfAborted();
  const thread = new Worker(new URL('./workbook-thread.ts', import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  // `once` removes its listener when the signal aborts; an error of the thread after that would end the process.
  thread.on('error', () => {});
  const tooMuch = new AbortController();
  const tooLate = AbortSignal.any([AbortSignal.timeout(ms), tooMuch.signal]);
  const watch = setInterval(() => {
    thread.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > cpuMs && tooMuch.abort(),
      // It has ended: its answer or error is about to arrive.
      () => {},
    );
  }, CPU_CHECK_MS);
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
    clearInterval(watch);
    await thread.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
