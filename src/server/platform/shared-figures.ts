import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_WITHIN_MS = 2000;

/**
 * Returns a function that reads figures from the database, for the gauges of one scrape together.
 * It runs one query at a time: scrapes cannot pile up on a database that hangs. Without an answer it returns null, so
 * that no stale value is shown as current.
 */
export function sharedFigures<Figures>(read: () => Promise<Figures>): () => Promise<Figures | null> {
  let asking: Promise<Figures | null> | null = null;
  return () => {
    asking ??= read()
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return Promise.race([asking, sleep(ANSWER_WITHIN_MS, null, { ref: false })]);
  };
}
