import { pino } from 'pino';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { clockDifference, clockLook } from './watch-clock.ts';

test('a difference of over a minute is a metric, and a warning at its begin and its end', async () => {
  const { login } = await emptyDatabase();
  const lines: { level: number; msg: string; secondsAhead: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  let offset = 0;
  const now = () => Date.now() + offset * 1000;
  metrics.watchClock(() => clockDifference(login, now));
  const look = clockLook(login, log, now);
  const lookTwice = async () => {
    await look();
    await look();
  };
  const scrape = async () =>
    Number(/^kaitaku_clock_difference_seconds (.*)$/m.exec(await metrics.registry.metrics())?.[1]);
  await lookTwice();
  offset = -50;
  await lookTwice();
  expect(lines).toStrictEqual([]);
  expect(await scrape()).toBeCloseTo(50, -1);
  offset = -7200;
  await lookTwice();
  expect(lines).toMatchObject([
    { level: 40, secondsAhead: expect.any(Number), msg: expect.stringContaining('differs from this') as string },
  ]);
  expect(await scrape()).toBeCloseTo(7200, -1);
  offset = 0;
  await lookTwice();
  offset = 3600;
  await lookTwice();
  expect(lines.map(({ level }) => level)).toStrictEqual([40, 30, 40]);
});
