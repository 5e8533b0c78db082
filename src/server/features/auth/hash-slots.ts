/**
 * At once in a process. A hash takes 46 MiB and one of the four threads node has for such work: one stays free for
 * files and names, so that a flood of logins neither eats the memory nor holds up the sending.
 */
const MAX_AT_ONCE = 3;
/** Who waits for a slot longer than these many hashes take (some seconds) is better told to come again. */
const MAX_WAITING = 100;

export type Slots = <Result>(work: () => Promise<Result>) => Promise<Result | null>;

/**
 * Runs at most `atOnce` works at once, first come, first served.
 * @returns null, without running it, where too many wait already
 */
export function slots(atOnce: number, maxWaiting: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) return null;
      // Whoever ends hands its place on, so that nobody who comes later gets in between.
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
