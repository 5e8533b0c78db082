import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { eventually } from '#test/sending.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { type PeriodicTask, periodicTasks } from './periodic-tasks.ts';
import { readTaskRuns, recordRun } from './task-runs.queries.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let logged: unknown[][];
const log = {
  error: (...line: unknown[]) => void logged.push(line),
  warn: (...line: unknown[]) => void logged.push(line),
};

beforeEach(async () => {
  database = await emptyDatabase();
  logged = [];
});

/** Starts tasks as a process does. They stop with the test. */
function tasksOf(list: readonly PeriodicTask<undefined>[], db = database.service.db) {
  const tasks = periodicTasks({ db, log });
  onTestFinished(() => tasks.stop());
  tasks.start(list, undefined);
  return tasks;
}

const rows = () => database.db.selectFrom('task_run').selectAll().orderBy('name').execute();
const lastRun = async () => (await rows())[0];
const untilRecorded = () => eventually(lastRun, (run) => run !== undefined);

/** Lets so much time pass since all recorded runs. */
const age = (interval: string) =>
  sql`UPDATE task_run SET began_at = began_at - ${interval}::interval, ended_at = ended_at - ${interval}::interval,
    succeeded_at = succeeded_at - ${interval}::interval`.execute(database.db);

test.each(['login', 'service'] as const)('the role %s records when a task ran, and that it succeeded', async (role) => {
  const db = role === 'login' ? database.login : database.service.db;
  tasksOf([{ name: 'count', everyMs: HOUR_MS, work: () => sleep(50, undefined) }], db);
  const run = await untilRecorded();
  expect(run).toMatchObject({ name: 'count', fault: null, succeeded_at: run?.ended_at });
  // Timers of Node may fire a millisecond early.
  expect(Number(run?.ended_at) - Number(run?.began_at)).toBeGreaterThanOrEqual(48);
  expect(logged).toStrictEqual([]);
});

test('a task that throws is recorded with its fault, keeps its last success, and runs again', async () => {
  let fails = false;
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (fails) throw new Error('no room for taro@example.com\n  on the disk');
  };
  const untilMoreRuns = async (before = runs) => {
    await eventually(
      () => runs,
      (count) => count > before + 2,
    );
  };
  tasksOf([{ name: 'count', everyMs: 10, work }]);
  const success = (await untilRecorded())?.succeeded_at;
  fails = true;
  // A success that was under way must be recorded before, else it would be the next record.
  await untilMoreRuns();
  await age('61 seconds');
  const failed = await eventually(lastRun, (run) => run?.fault !== null);
  expect(failed?.fault).toBe('no room for t***@example.com   on the disk');
  expect(Number(success) - Number(failed?.succeeded_at)).toBe(61_000);
  fails = false;
  await untilMoreRuns();
  await age('61 seconds');
  await eventually(lastRun, (run) => run?.fault === null);
  expect(logged[0]).toMatchObject([{ retryAfterMs: 10 }, 'could not count; retrying']);
});

test('processes together record a task at most once a minute, each task for itself', async () => {
  await sql`CREATE TABLE written (name text, at timestamptz DEFAULT clock_timestamp());
    CREATE FUNCTION write_down() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO written (name) VALUES (NEW.name); RETURN NULL; END $$;
    CREATE TRIGGER writes AFTER INSERT OR UPDATE ON task_run FOR EACH ROW
      WHEN (NEW.ended_at = now()) EXECUTE FUNCTION write_down();
    GRANT INSERT ON written TO PUBLIC`.execute(database.db);
  onTestFinished(async () => {
    await sql`DROP TABLE written; DROP FUNCTION write_down CASCADE`.execute(database.db);
  });
  const written = async () =>
    (await sql<{ name: string }>`SELECT name FROM written ORDER BY name`.execute(database.db)).rows.map(
      ({ name }) => name,
    );
  const runs = vi.fn(async () => {});
  const list = ['one', 'two'].map((name) => ({ name, everyMs: 1, work: runs }));
  for (const db of [database.service.db, database.login, database.service.db]) tasksOf(list, db);
  await eventually(
    () => runs.mock.calls.length,
    (count) => count > 100,
  );
  expect(await written()).toStrictEqual(['one', 'two']);
  await age('59 seconds');
  const versions = sql`SELECT name, xmin::text, xmax::text FROM task_run ORDER BY name`;
  const before = (await versions.execute(database.db)).rows;
  await Promise.all([1, 2, 3].map(() => recordRun(database.service.db, { name: 'one', seconds: 0, fault: 'late' })));
  expect(await written()).toStrictEqual(['one', 'two']);
  // Not even locked.
  expect((await versions.execute(database.db)).rows).toStrictEqual(before);
  await age('1 second');
  await eventually(written, ({ length }) => length > 3);
  await sleep(50);
  expect(await written()).toStrictEqual(['one', 'one', 'two', 'two']);
});

test('a task runs again when its result says so, otherwise after its period', async () => {
  const waits = [1, undefined, 1];
  let runs = 0;
  tasksOf([
    {
      name: 'count',
      everyMs: HOUR_MS,
      work: async () => {
        runs += 1;
        return waits.shift();
      },
    },
  ]);
  await eventually(
    () => runs,
    (count) => count === 2,
  );
  await sleep(50);
  expect(runs).toBe(2);
});

test('a stop waits for a running task and its record, and lets none begin', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const tasks = tasksOf([
    {
      name: 'count',
      everyMs: 1,
      work: async () => {
        runs += 1;
        await held;
      },
    },
    {
      name: 'later',
      everyMs: 1,
      firstMs: HOUR_MS,
      work: () => Promise.reject<undefined>(new Error('it was told to wait')),
    },
  ]);
  await eventually(
    () => runs,
    (count) => count === 1,
  );
  const stopped = tasks.stop();
  expect(await Promise.race([stopped.then(() => 'stopped'), sleep(50, 'runs')])).toBe('runs');
  await database.db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE task_run`.execute(tx);
    resolve();
    expect(await Promise.race([stopped.then(() => 'stopped'), sleep(50, 'records')])).toBe('records');
  });
  await stopped;
  expect((await rows()).map(({ name }) => name)).toStrictEqual(['count']);
  await tasks.stop();
  expect([runs, logged]).toStrictEqual([1, []]);
});

test('a record that cannot be written is logged, and the task is run as before', async () => {
  await sql`ALTER TABLE task_run RENAME TO task_run_away`.execute(database.db);
  onTestFinished(() => sql`ALTER TABLE task_run_away RENAME TO task_run`.execute(database.db).then(() => undefined));
  let runs = 0;
  const tasks = tasksOf([
    {
      name: 'count',
      everyMs: 1,
      work: async () => {
        runs += 1;
      },
    },
  ]);
  await eventually(
    () => runs,
    (count) => count > 2,
  );
  await tasks.stop();
  expect(logged[0]).toMatchObject([{ task: 'count' }, expect.stringContaining('could not record how')]);
});

test('metrics show the age of the last success of each task of the process, by whatever process', async () => {
  const metrics = createMetrics();
  await recordRun(database.service.db, { name: 'recorded', seconds: 0, fault: null });
  await recordRun(database.service.db, { name: 'of another process', seconds: 0, fault: null });
  await age('400 seconds');
  const never = { firstMs: HOUR_MS, work: async () => undefined };
  const tasks = tasksOf([
    { name: 'recorded', everyMs: 120_000, ...never },
    { name: 'new', everyMs: 30_000, ...never },
  ]);
  metrics.watchTasks(() => tasks.ages());
  const scrape = async (name: string) =>
    Object.fromEntries(
      [...(await metrics.registry.metrics()).matchAll(new RegExp(`^${name}\\{task="(.*)"\\} (.*)$`, 'gm'))].map(
        ([, task, value]) => [task, Math.floor(Number(value) / 10) * 10],
      ),
    );
  expect(await scrape('kaitaku_task_seconds_since_success')).toStrictEqual({ recorded: 400, new: 0 });
  // A success is recorded once a minute at most.
  expect(await scrape('kaitaku_task_every_seconds')).toStrictEqual({ recorded: 120, new: 60 });
  await recordRun(database.service.db, { name: 'recorded', seconds: 0, fault: 'it failed' });
  expect((await readTaskRuns(database.service.db)).get('recorded')).toMatchObject({ fault: 'it failed' });
  expect(await scrape('kaitaku_task_seconds_since_success')).toStrictEqual({ recorded: 400, new: 0 });
});

test("a task of the operator's has an age once it was recorded, also where it has only failed", async () => {
  const operators = [{ name: 'back up', everyMs: 24 * HOUR_MS, lateMs: 26 * HOUR_MS }];
  const ages = async () => (await tasksOf([]).ages(operators)).map(({ name, seconds }) => [name, Math.round(seconds)]);
  expect(await ages()).toStrictEqual([]);
  await recordRun(database.service.db, { name: 'back up', seconds: 0, fault: 'no room' });
  expect(await ages()).toStrictEqual([['back up', 0]]);
  await recordRun(database.service.db, { name: 'back up', seconds: 0, fault: null, atMostEverySeconds: 0 });
  await age('27 hours');
  expect(await ages()).toStrictEqual([['back up', 27 * 3600]]);
});
