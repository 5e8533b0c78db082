const WINDOW_MS = 60_000;

/**
 * Counters kept at once, some 10 MB. Beyond, the oldest goes: whoever has as many networks is not held by a count of
 * each.
 */
const MAX_COUNTERS = 100_000;

/**
 * Counts requests in memory, a minute from the first one. @returns for each request null, or the seconds to wait. The
 * key must be something the sender cannot choose: an account, a network.
 */
export function requestRate(perMinute: number, now: () => number): (key: number | string) => number | null {
  const counters = new Map<number | string, { count: number; endsAt: number }>();

  const counterOf = (key: number | string) => {
    const counter = counters.get(key);
    if (counter && counter.endsAt > now()) return counter;
    const fresh = { count: 0, endsAt: now() + WINDOW_MS };
    // Deleted first, so that the map stays in the order in which windows began.
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
