import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long one act keeps the event loop from other requests, milliseconds. */
export const SLICE_MS = 10;

/** The last slice that an act has asked for. Acts take turns, so that many of them block no longer than one. */
let lastSlice: Promise<unknown> = Promise.resolve();

export function nextSlice(): Promise<unknown> {
  lastSlice = lastSlice.then(() => nextTurn());
  return lastSlice;
}

/** Maps items whose work may add up to more than one act may block, in slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let begun = performance.now();
  for (const item of items) {
    if (performance.now() - begun >= SLICE_MS) {
      await nextSlice();
      begun = performance.now();
    }
    results.push(work(item));
  }
  return results;
}
