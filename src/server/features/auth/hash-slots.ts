/**
 * Hashes computed at the same time in a process. Each takes 46 MiB and one of node's four worker threads.
 * One thread stays free for files and DNS, so that a flood of logins neither exhausts the memory nor stops the sending.
 */
const MAX_AT_ONCE = 3;
/** Callers that may wait for a slot, a few seconds' worth. Further ones are refused. */
const MAX_WAITING = 100;

export type Slots = <Result>(work: () => Promise<Result>) => Promise<Result | null>;

/**
 * Makes a gate that runs at most `atOnce` works at the same time, in the order of arrival.
 * The gate resolves to null, without running the work, when `maxWaiting` wait already.
 */
export function slots(atOnce: number, maxWaiting: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) return null;
      // A work that ends passes its place to the first in the queue, so that no later caller overtakes it.
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
