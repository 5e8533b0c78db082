import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { loopAges, startLoop } from './loop.ts';
import { createMetrics } from './metrics/metrics.ts';

let runs: number;
let logged: unknown[][];
const log = { error: (...line: unknown[]) => void logged.push(line) };

beforeEach(() => {
  runs = 0;
  logged = [];
});

/** Starts a loop whose waits no test outlasts, unless it names others. It stops with the test. */
function loopOf(parts: Partial<Parameters<typeof startLoop>[0]>) {
  const count = async () => {
    runs += 1;
    return 3_600_000;
  };
  const loop = startLoop({ log, task: 'count', work: count, ...parts });
  onTestFinished(loop.stop);
  return loop;
}

const untilRuns = (count: number) => vi.waitFor(() => expect(runs).toBe(count));

test("the work's result is the wait until its next run", async () => {
  const waits = [0, 1, 20];
  const begun: number[] = [];
  loopOf({
    async work() {
      begun.push(performance.now());
      return waits.shift() ?? 3_600_000;
    },
  });
  await vi.waitFor(() => expect(begun).toHaveLength(4));
  // Timers of Node may fire a millisecond early.
  expect(Number(begun[3]) - Number(begun[2])).toBeGreaterThanOrEqual(19);
});

test('a wake ends the wait', async () => {
  const loop = loopOf({});
  await untilRuns(1);
  loop.wake();
  await untilRuns(2);
});

test('a wake during a run lets the next one follow at once', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const loop = loopOf({
    async work() {
      runs += 1;
      if (runs === 1) await held;
      return 3_600_000;
    },
  });
  loop.wake();
  resolve();
  await untilRuns(2);
  await nextTurn();
  expect(runs).toBe(2);
});

test('announcements of work wake it, until it stops', async () => {
  const listeners = new Set<() => void>();
  const loop = loopOf({
    wake(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
  });
  await untilRuns(1);
  for (const announce of listeners) announce();
  await untilRuns(2);
  await loop.stop();
  expect(listeners.size).toBe(0);
});

test('an error is logged, and waits whoever wakes it; then the work runs again', async () => {
  const error = new Error('the database is away');
  const begun: number[] = [];
  const loop = loopOf({
    async work() {
      begun.push(performance.now());
      if (begun.length === 1) throw error;
      return 3_600_000;
    },
    retryMs: 200,
  });
  await vi.waitFor(() =>
    expect(logged).toStrictEqual([[{ err: error, retryAfterMs: 200 }, 'could not count; retrying']]),
  );
  loop.wake();
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  expect(Number(begun[1]) - Number(begun[0])).toBeGreaterThanOrEqual(199);
});

test('the first run waits for firstMs, and a stop does not wait for it', async () => {
  const loop = loopOf({ firstMs: 3_600_000 });
  await nextTurn();
  await loop.stop();
  expect(runs).toBe(0);
});

test.each([
  ['between two runs', async () => 3_600_000],
  [
    'after an error',
    async () => {
      throw new Error('away');
    },
  ],
])('stop ends the wait %s, and nothing runs after it', async (_, work) => {
  const loop = loopOf({
    work: () => {
      runs += 1;
      return work();
    },
    retryMs: 3_600_000,
  });
  await nextTurn();
  await loop.stop();
  loop.wake();
  await nextTurn();
  expect(runs).toBe(1);
});

test('stop waits for the current run, which sees the abort signal', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  const loop = loopOf({
    async work(stopping) {
      await held;
      seen.push(stopping.aborted);
      return 0;
    },
  });
  const stopped = loop.stop();
  expect(await Promise.race([stopped.then(() => 'stopped'), nextTurn('runs')])).toBe('runs');
  resolve();
  await stopped;
  expect(seen).toStrictEqual([true]);
});

test('a loop shows how long ago its last good turn was, also while it fails, until it stops', async () => {
  let fails = false;
  const loop = loopOf({
    task: 'turn',
    async work() {
      runs += 1;
      if (fails) throw new Error('away');
      return 1;
    },
    retryMs: 1,
  });
  loopOf({ task: 'run by time', isPeriodic: true });
  const age = () => Number(loopAges().get('turn'));
  const untilMoreRuns = (before = runs) => vi.waitFor(() => expect(runs).toBeGreaterThan(before + 2));
  await untilMoreRuns();
  fails = true;
  await untilMoreRuns();
  const failing = age();
  await untilMoreRuns();
  expect(age()).toBeGreaterThan(failing);
  fails = false;
  await vi.waitFor(() => expect(age()).toBeLessThan(failing));
  expect(loopAges().has('run by time')).toBe(false);
  const scrape = () => createMetrics().registry.getSingleMetricAsString('kaitaku_loop_seconds_since_turn');
  expect(await scrape()).toMatch(/^kaitaku_loop_seconds_since_turn\{task="turn"\} [\d.e-]+$/m);
  await loop.stop();
  expect(await scrape()).not.toContain('task="turn"');
});
