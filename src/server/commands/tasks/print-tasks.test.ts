import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { freePort, startProgram } from '#test/program.ts';
import { runCommand } from '#test/run-command.ts';
import { eventually } from '#test/sending.ts';
import { PERIODIC_TASKS, PROCESS_TASKS, WEB_TASKS, WORKER_TASKS } from './periodic-tasks.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await emptyDatabase();
});

/** Runs the command. @returns its lines */
async function printed() {
  const { code, out, err } = await runCommand(['tasks'], { DATABASE_URL: database.url });
  expect([code, err]).toStrictEqual([0, '']);
  return out.trimEnd().split('\n');
}

test('kaitaku tasks lists every task of every process before any has run', async () => {
  const lines = await printed();
  expect(lines).toStrictEqual(
    PERIODIC_TASKS.map(({ name }) =>
      expect.stringMatching(new RegExp(`^未実行 {2}- {2}\\d+(?:秒|分|日)ごと {2}${name}$`)),
    ),
  );
  expect(new Set(PERIODIC_TASKS.map(({ name }) => name)).size).toBe(PERIODIC_TASKS.length);
});

test('kaitaku tasks prints how the last runs ended and which are late, and omits unknown tasks', async () => {
  await sql`INSERT INTO task_run (name, began_at, ended_at, fault, succeeded_at) VALUES
    ('delete old notices', now() - interval '29 minutes', now() - interval '29 minutes', NULL, now() - interval '29 minutes'),
    ('delete old jobs', '2026-01-02 03:04:00+09', '2026-01-02 03:04:05+09', NULL, '2026-01-02 03:04:05+09'),
    ('delete dead files', '2026-01-03 03:04:00+09', '2026-01-03 03:04:05+09', 'no room', '2026-01-01 00:00:00+09'),
    ('blank old mails', now(), now(), 'never yet', NULL),
    ('what an older program did', '2020-01-01', '2020-01-01', NULL, '2020-01-01')`.execute(database.db);
  const lines = await printed();
  const of = (name: string) => {
    const at = lines.findIndex((line) => line.endsWith(`  ${name}`));
    return lines.slice(at, at + 3);
  };
  expect(of('delete old notices')[0]).toMatch(/^正常 {2}\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d {2}10分ごと/);
  expect(of('delete old jobs')[0]).toBe('遅れ  2026/01/02 03:04:05  10分ごと  delete old jobs');
  expect(of('delete dead files')).toStrictEqual([
    '失敗  2026/01/03 03:04:05  10分ごと  delete dead files',
    '    原因: no room',
    '    最後の成功: 2026/01/01 00:00:00',
  ]);
  expect(of('blank old mails')[2]).toBe('    最後の成功: -');
  expect(lines.join('\n')).not.toContain('older program');
});

/** Starts a process with metrics. @returns the tasks whose age it serves, and whether it shows this loop */
async function start(command: 'web' | 'worker', env: Record<string, string>) {
  const port = String(await freePort());
  const program = startProgram([command], { ...env, PORT: String(await freePort()), METRICS_PORT: port });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await program.until(`${command} started`);
  return {
    async stop() {
      program.child.kill('SIGTERM');
      expect(await program.ended, program.output()).toBe(0);
    },
    async shown() {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const tasks = [...text.matchAll(/^kaitaku_task_seconds_since_success\{task="(.*)"\}/gm)].map(([, name]) => name);
      return { tasks, claims: text.includes('kaitaku_loop_seconds_since_turn{task="claim mail"}') };
    },
  };
}

test('web and worker run the tasks of their lists, record each, serve their ages, and stop with the worker', async () => {
  const own = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { DATABASE_URL: own.url, DATA_DIR: folder, SMTP_URL: 'smtp://127.0.0.1:1' };
  const names = (...lists: (readonly { name: string }[])[]) => lists.flat().map(({ name }) => name);
  const recorded = async () => {
    const rows = await own.db.selectFrom('task_run').select(['name', 'fault']).execute();
    expect(rows.filter(({ fault }) => fault !== null)).toStrictEqual([]);
    return new Set(rows.map(({ name }) => name));
  };
  const has = (list: readonly { name: string; firstMs?: number }[]) => (done: ReadonlySet<string>) =>
    list.every(({ name, firstMs = 0 }) => firstMs > 0 || done.has(name));
  const web = await start('web', env);
  await eventually(recorded, has([...PROCESS_TASKS, ...WEB_TASKS]));
  expect(has(WORKER_TASKS)(await recorded())).toBe(false);
  const worker = await start('worker', env);
  await eventually(recorded, has(WORKER_TASKS));
  expect(await web.shown()).toStrictEqual({ tasks: names(PROCESS_TASKS, WEB_TASKS), claims: false });
  expect(await worker.shown()).toStrictEqual({ tasks: names(PROCESS_TASKS, WORKER_TASKS), claims: true });
  await worker.stop();
});

test('programs of 1.0.0 may run beside the table of runs, which no statement of theirs touches', async () => {
  const migration = await database.pool.query('SELECT oldest_program FROM schema_migration WHERE version = 22');
  expect(migration.rows).toStrictEqual([{ oldest_program: 11 }]);
  const { rows } = await sql`
    SELECT FROM pg_trigger WHERE tgrelid = 'task_run'::regclass
    UNION ALL SELECT FROM pg_constraint WHERE 'task_run'::regclass IN (conrelid, confrelid) AND contype = 'f'
    UNION ALL SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc LIKE '%task_run%'`.execute(
    database.db,
  );
  expect(rows).toStrictEqual([]);
});
