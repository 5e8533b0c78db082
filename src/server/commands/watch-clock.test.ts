import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { eventually } from '#test/sending.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { watchClock } from './watch-clock.ts';

test('a difference of over a minute is a metric, and a warning at its begin and its end', async () => {
  const { login } = await emptyDatabase();
  const lines: { level: number; msg: string; secondsAhead: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const [metrics, running] = [createMetrics(), [] as (() => unknown)[]];
  let offset = 0;
  let looks = 0;
  const now = () => {
    looks += 1;
    return Date.now() + offset * 1000;
  };
  watchClock({ log, metrics, running }, login, { now, everyMs: 10 });
  onTestFinished(async () => {
    for (const stop of running) await stop();
  });
  const lookTwice = async () => {
    const before = looks;
    await eventually(
      () => looks,
      (count) => count > before + 4,
    );
  };
  const scrape = async () =>
    Number(/^kaitaku_clock_difference_seconds (.*)$/m.exec(await metrics.registry.metrics())?.[1]);
  await lookTwice();
  offset = -50;
  await lookTwice();
  expect(lines).toStrictEqual([]);
  expect(await scrape()).toBeCloseTo(50, -1);
  offset = -7200;
  await eventually(
    () => lines,
    ({ length }) => length > 0,
  );
  await lookTwice();
  expect(lines).toMatchObject([
    { level: 40, secondsAhead: expect.any(Number), msg: expect.stringContaining('differs from this') as string },
  ]);
  expect(await scrape()).toBeCloseTo(7200, -1);
  offset = 0;
  await eventually(
    () => lines,
    ({ length }) => length > 1,
  );
  offset = 3600;
  await eventually(
    () => lines,
    ({ length }) => length > 2,
  );
  expect(lines.map(({ level }) => level)).toStrictEqual([40, 30, 40]);
});
