import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long, in milliseconds, one task may block the event loop for other requests. */
export const SLICE_MS = 10;

/** The last requested slice. Tasks take turns, so that many block no longer than one. */
let lastSlice: Promise<unknown> = Promise.resolve();

export function nextSlice(): Promise<unknown> {
  lastSlice = lastSlice.then(() => nextTurn());
  return lastSlice;
}

/**
 * Maps items in slices, if their work together could block the event loop for too long.
 * @param group the items after which it looks at the clock: for many that take microseconds the looks count
 */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  group = 1,
): Promise<Result[]> {
  const results: Result[] = [];
  let begun = performance.now();
  for (const item of items) {
    if (results.length % group === 0 && performance.now() - begun >= SLICE_MS) {
      await nextSlice();
      begun = performance.now();
    }
    results.push(work(item));
  }
  return results;
}
