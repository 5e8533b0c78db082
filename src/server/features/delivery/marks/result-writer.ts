import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryResult } from './delivery-step.ts';

export interface ResultWriter {
  /**
   * Resolves when a result is committed, however long the database is away, or reported as lost.
   * @param isAwaited a connection waits for it: it is written at once, not with others a moment later
   */
  finish(result: DeliveryResult, isAwaited: boolean): Promise<void>;
  /** Writes the waiting results a last time, for at most `withinMs`. Later ones are lost. */
  end(withinMs: number): Promise<void>;
}

export interface ResultWriterParts {
  /** Commits 1 to `most` results together. */
  readonly write: (results: DeliveryResult[]) => Promise<void>;
  readonly most: number;
  /** Wait after a failed write. */
  readonly retryMs: number;
  /** A write failed. `results`: how many are kept for the next write. */
  readonly onFault: (error: unknown, results: number) => void;
  /** 1 or more results that will not be written. */
  readonly onLost: (results: readonly DeliveryResult[]) => void;
}

interface Entry {
  readonly result: DeliveryResult;
  readonly resolve: () => void;
}

/** How long a result that nobody waits for is gathered with others. */
const GATHER_MS_MAX = 50;

/** Writes results in order, one write at a time. Without the database they are kept, and written first. */
export function resultWriter(parts: ResultWriterParts): ResultWriter {
  const { write, most, retryMs, onFault, onLost } = parts;
  /** In their order. A failed write puts its results back. */
  let waiting: Entry[] = [];
  let writing: Entry[] = [];
  let running: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  /** All that waits is written now; false: a success may still be gathered with others. */
  let isDue = false;
  const ending = new AbortController();

  function startWriting(): void {
    isDue = true;
    if (gathering) clearTimeout(gathering);
    gathering = null;
    // Not at once: results of this turn of the event loop still join the batch.
    running ??= nextTurn().then(writeAll);
  }

  async function writeAll(): Promise<void> {
    while (isDue) {
      writing = waiting.slice(0, most);
      waiting = waiting.slice(most);
      isDue = waiting.length > 0;
      try {
        await write(writing.map(({ result }) => result));
        for (const { resolve } of writing) resolve();
        writing = [];
      } catch (error) {
        onFault(error, writing.length);
        waiting = [...writing, ...waiting];
        writing = [];
        isDue = true;
        if (ending.signal.aborted) break;
        await sleep(retryMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    running = null;
  }

  /** Reports results as lost. */
  function drop(entries: readonly Entry[]): void {
    if (entries.length > 0) onLost(entries.map(({ result }) => result));
    for (const { resolve } of entries) resolve();
  }

  return {
    finish: (result, isAwaited) =>
      new Promise((resolve) => {
        const entry = { result, resolve };
        if (ending.signal.aborted) return drop([entry]);
        waiting.push(entry);
        if (isAwaited || waiting.length >= most) startWriting();
        else gathering ??= setTimeout(startWriting, GATHER_MS_MAX);
      }),
    async end(withinMs) {
      ending.abort();
      if (waiting.length > 0) startWriting();
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })]);
      const lost = [...writing, ...waiting];
      [writing, waiting] = [[], []];
      if (gathering) clearTimeout(gathering);
      drop(lost);
    },
  };
}
