const WINDOW_MS = 60_000;

/**
 * The most counters kept, some 10 MB. Above it the oldest is dropped: counters cannot limit a client with that many
 * networks.
 */
const MAX_COUNTERS = 100_000;

/**
 * Counts requests in memory, in windows of a minute from the first one. The sender must not be able to choose the key:
 * an account or a network.
 * @returns a function that returns null, or the seconds to wait
 */
export function requestRate(perMinute: number, now: () => number): (key: number | string) => number | null {
  const counters = new Map<number | string, { count: number; endsAt: number }>();

  const counterOf = (key: number | string) => {
    const counter = counters.get(key);
    if (counter && counter.endsAt > now()) return counter;
    const fresh = { count: 0, endsAt: now() + WINDOW_MS };
    // Deletes the key first, so that the map stays in the order in which windows started.
    counters.delete(key);
    counters.set(key, fresh);
    if (counters.size > MAX_COUNTERS) counters.delete(counters.keys().next().value as number | string);
    return fresh;
  };

  return (key) => {
    const counter = counterOf(key);
    counter.count += 1;
    return counter.count > perMinute ? (counter.endsAt - now()) / 1000 : null;
  };
}
