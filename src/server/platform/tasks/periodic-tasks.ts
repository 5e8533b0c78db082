import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../database/db.ts';
import { faultText } from '../log.ts';
import { type Loop, startLoop } from '../loop.ts';
import { readTaskRuns, recordRun, successSeconds } from './task-runs.queries.ts';

/** A task that a process runs periodically, as a declaration. commands/tasks/periodic-tasks.ts lists them all. */
export interface PeriodicTask<Parts> {
  /** An infinitive for the log, the metrics and `kaitaku tasks`: 'blank old mails'. It is the key of `task_run`. */
  readonly name: string;
  readonly everyMs: number;
  /** The wait before the first run. Default: none. */
  readonly firstMs?: number;
  /** The wait after an error. Default: `everyMs`. */
  readonly retryMs?: number;
  /** @returns milliseconds until the next run, if more work is left; otherwise it runs again after `everyMs` */
  readonly work: (parts: Parts) => Promise<number | undefined> | Promise<void>;
}

/** A task that no process of ours starts by itself, but a command that the operator runs. */
export interface OperatorTask {
  readonly name: string;
  readonly everyMs: number;
  /** Its last success must not be older. */
  readonly lateMs: number;
}

/** The periodic tasks of a process. */
export interface PeriodicTasks {
  start<Parts>(list: readonly PeriodicTask<Parts>[], parts: Parts): void;
  /**
   * Returns the time since the last success of each task of this process, in whatever process that was.
   * @param operators further tasks, where one was ever recorded
   */
  ages(operators?: readonly OperatorTask[]): Promise<readonly TaskAge[]>;
  /** Ends the waits, and waits for the current runs, at most STOP_MS_MAX. It may be called again. */
  stop(): Promise<void>;
}

export interface TaskAge {
  readonly name: string;
  /** Since the process started, if no success was recorded. */
  readonly seconds: number;
  /** How often a success is recorded if nothing fails. */
  readonly everySeconds: number;
}

const STOP_MS_MAX = 30_000;
const MAX_FAULT_LENGTH = 300;

interface Parts {
  /** A pool of the role kaitaku_login or kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

interface Running {
  readonly name: string;
  readonly everyMs: number;
  /** When this process started the task, by performance.now(). */
  readonly since: number;
  readonly loop: Loop;
}

/** Returns functions that start periodic tasks, record their ends in `task_run`, and stop them. */
export function periodicTasks({ db, log }: Parts): PeriodicTasks {
  const running: Running[] = [];
  const opened = performance.now();

  /** Runs a task once, and records the end. @returns the result of its work @throws its error */
  async function runRecorded(name: string, work: () => Promise<number | undefined> | Promise<void>) {
    const begin = performance.now();
    const record = (fault: string | null) =>
      recordRun(db, { name, seconds: (performance.now() - begin) / 1000, fault }).catch((error: unknown) =>
        log.warn({ err: error, task: name }, 'could not record how a periodic task ended; the task continues'),
      );
    try {
      const ms = await work();
      await record(null);
      return ms ?? undefined;
    } catch (error) {
      // Without the database nothing can be recorded, and a try would only delay the retry.
      if (!isDatabaseUnavailable(error)) await record(faultText(error).slice(0, MAX_FAULT_LENGTH));
      throw error;
    }
  }

  return {
    start(list, parts) {
      for (const { name, everyMs, firstMs, retryMs = everyMs, work } of list) {
        const loop = startLoop({
          log,
          task: name,
          isPeriodic: true,
          work: async () => (await runRecorded(name, () => work(parts))) ?? everyMs,
          firstMs,
          retryMs,
        });
        running.push({ name, everyMs, since: performance.now(), loop });
      }
    },
    async ages(operators = []) {
      const runs = await readTaskRuns(db);
      const recorded = operators.filter(({ name }) => runs.has(name)).map((task) => ({ ...task, since: opened }));
      return [...running, ...recorded].map(({ name, everyMs, since }) => ({
        name,
        seconds: runs.get(name)?.successAge ?? (performance.now() - since) / 1000,
        everySeconds: successSeconds(everyMs),
      }));
    },
    async stop() {
      const deadline = Promise.withResolvers<void>();
      const timer = setTimeout(deadline.resolve, STOP_MS_MAX);
      await Promise.race([Promise.all(running.map(({ loop }) => loop.stop())), deadline.promise]);
      clearTimeout(timer);
    },
  };
}
