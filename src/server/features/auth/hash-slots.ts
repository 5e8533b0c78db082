/**
 * Concurrent hashes of a process. Each takes 46 MiB and one of Node's four worker threads.
 * One thread stays free for files and DNS: a flood of log-ins neither exhausts memory nor stops sending.
 */
const MAX_AT_ONCE = 3;
/** Callers that may wait for a slot, for a few seconds. Further ones are refused. */
const MAX_WAITING = 100;

export type Slots = <Result>(work: () => Promise<Result>) => Promise<Result | null>;

/**
 * Makes a gate that runs at most `atOnce` tasks concurrently, in order of arrival.
 * It resolves to null without running the task while `maxWaiting` others wait.
 */
export function slots(atOnce: number, maxWaiting: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) return null;
      // A finished task passes its slot to the first in the queue, so that no later caller overtakes it.
      await new Promise<void>((enter) => waiting.push(enter));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** The one gate to password hashes in this process. */
export const inHashSlot = slots(MAX_AT_ONCE, MAX_WAITING);
