import { stat } from 'node:fs/promises';
import { MB } from '#domain/company/import-limits.ts';
import { nextMessage, startThread, ThreadLimit } from '../../../../platform/limited-thread.ts';
import { Problem, type Refusal } from '../../../../platform/problem.ts';
import { accountTurns } from './account-turns.ts';
import { workbookFaults } from './workbook-faults.ts';
import type { WorkbookAnswer } from './workbook-thread.ts';
import type { ReadSheet, WorkbookToCsv } from './workbook-to-csv.ts';

interface Limits {
  readonly heapMb: number;
  readonly ms: number;
  /** CPU milliseconds of the thread, so that a busy machine refuses no honest workbook. */
  readonly cpuMs: number;
}

/**
 * Returns the limits of a workbook. 200,000 rows of 14 columns (17 MB) use a fifth; bench/workbook.ts measures it. The
 * first rows have shorter limits, because a person waits.
 */
const limitsOf = (packedBytes: number, isHead: boolean): Limits => ({
  heapMb: 512,
  ms: isHead ? 20_000 : 120_000,
  cpuMs: 20_000 + (packedBytes / MB) * 1000,
});

/** A process reads one workbook at a time, so that many use the memory of one. */
const inTurn = accountTurns();

/**
 * Writes a workbook's sheet as CSV, in a thread with memory and time limits. Accounts take turns.
 * @param signal ends the thread or the wait; the promise then rejects with its reason
 * @returns a Problem if the workbook cannot be read
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
  const thread = startThread(new URL('./workbook-thread.ts', import.meta.url), { heapMb, data: options });
  try {
    const answer = await nextMessage<WorkbookAnswer>(thread, { ms, cpuMs, signal });
    if ('read' in answer) return answer.read;
    const { code, message } = answer.fault;
    return new Problem(code, message);
  } catch (error) {
    if (!(error instanceof ThreadLimit)) throw error;
    return error.limit === 'time' ? workbookFaults.tooSlow : workbookFaults.expandsTooFar;
  } finally {
    await thread.terminate();
  }
}
