import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Wait before a failed database call is tried again. */
export const RETRY_MS = 500;

interface LoopParts {
  readonly log: Pick<Logger, 'error'>;
  /** For the log, an infinitive: 'claim mail'. */
  readonly task: string;
  /**
   * @param stopping aborted by stop(), for runs that take long
   * @returns milliseconds until the next run; 0: at once
   */
  readonly work: (stopping: AbortSignal) => Promise<number>;
  /** Subscribes to announcements of work. @returns a function that unsubscribes */
  readonly wake?: ((wake: () => void) => () => void) | undefined;
  /** Wait before the first run. */
  readonly firstMs?: number;
  /** Wait after an error. */
  readonly retryMs?: number;
}

export interface Loop {
  /** Ends the wait; during a run it skips the next wait. A wait after an error is not ended. */
  readonly wake: () => void;
  /** Ends the wait. Resolves when the run under way has ended; never rejects. */
  readonly stop: () => Promise<void>;
}

/** Repeats a task until it is stopped. After an error it logs and waits. */
export function startLoop({ log, task, work, wake: subscribe, firstMs = 0, retryMs = RETRY_MS }: LoopParts): Loop {
  const stopping = new AbortController();
  // Plain state, no AbortController: send loops wake the claim loop for each mail, and each abort would create two
  // errors with stacks.
  let isWoken = false;
  let endWait = () => {};
  const wake = () => {
    isWoken = true;
    endWait();
  };
  const waitUnlessWoken = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isWoken) return resolve();
      const timer = setTimeout(resolve, ms);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const unsubscribe = subscribe?.(wake);

  async function repeat(): Promise<void> {
    if (firstMs > 0) await pause(firstMs, stopping.signal);
    while (!stopping.signal.aborted) {
      isWoken = false;
      try {
        const ms = await work(stopping.signal);
        if (ms > 0) await waitUnlessWoken(ms);
      } catch (error) {
        log.error({ err: error, retryAfterMs: retryMs }, `could not ${task}; retrying`);
        await pause(retryMs, stopping.signal);
      }
    }
  }

  const running = repeat();
  return {
    wake,
    stop() {
      unsubscribe?.();
      stopping.abort();
      wake();
      return running;
    },
  };
}

/** The timer keeps the process alive: without a database nothing else would. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
