import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** The wait before a failed database call is retried. */
export const RETRY_MS = 500;

interface LoopParts {
  readonly log: Pick<Logger, 'error'>;
  /** An infinitive for the log: 'claim mail'. */
  readonly task: string;
  /** @param stopping aborted by stop(), for long runs @returns milliseconds until the next run; 0: at once */
  readonly work: (stopping: AbortSignal) => Promise<number>;
  /** Subscribes to announcements of work. @returns a function that unsubscribes */
  readonly wake?: ((wake: () => void) => () => void) | undefined;
  /** Wait before the first run. */
  readonly firstMs?: number | undefined;
  /** Wait after an error. */
  readonly retryMs?: number;
  /** A periodic task (tasks/periodic-tasks.ts), which the gauge of loops excludes. */
  readonly isPeriodic?: boolean;
}

export interface Loop {
  /** Ends the wait. During a run it skips the next wait. It does not end a wait after an error. */
  readonly wake: () => void;
  /** Ends the wait. Resolves when the current run has ended; never rejects. */
  readonly stop: () => Promise<void>;
}

/** The running loops of this process, with the time of their last successful turn. */
const turns = new Set<{ readonly task: string; at: number }>();

/** Returns the seconds since each loop's last successful turn, or since its start if it has none. */
export function loopAges(): ReadonlyMap<string, number> {
  const ages = new Map<string, number>();
  for (const { task, at } of turns) {
    ages.set(task, Math.max(ages.get(task) ?? 0, (performance.now() - at) / 1000));
  }
  return ages;
}

/** Repeats a task until it is stopped. After an error it logs and waits. */
export function startLoop({
  log,
  task,
  work,
  wake: subscribe,
  firstMs = 0,
  retryMs = RETRY_MS,
  isPeriodic = false,
}: LoopParts): Loop {
  const stopping = new AbortController();
  // A plain flag, no AbortController: send loops wake the claim loop for each mail, and each abort would create two
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
        turn.at = performance.now();
        if (ms > 0) await waitUnlessWoken(ms);
      } catch (error) {
        log.error({ err: error, retryAfterMs: retryMs }, `could not ${task}; retrying`);
        await pause(retryMs, stopping.signal);
      }
    }
  }

  const turn = { task, at: performance.now() };
  if (!isPeriodic) turns.add(turn);
  const running = repeat();
  return {
    wake,
    stop() {
      unsubscribe?.();
      turns.delete(turn);
      stopping.abort();
      wake();
      return running;
    },
  };
}

/** The timer keeps the process alive: without a database nothing else does. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
