import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

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

/**
 * Returns a function that registers gauges of figures, which one query reads at each scrape.
 * A gauge is absent where there is no answer, and where its figure is null.
 */
export function figureGauges<Figures extends object>(registry: Registry, read: () => Promise<Figures | null>) {
  const figures = sharedFigures(read);
  const gauge = (name: string, help: string, figureOf: (shown: Figures) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const shown = await figures();
        const figure = shown && figureOf(shown);
        if (figure === null) this.remove();
        else this.set(figure);
      },
    });
  return { figures, gauge };
}
