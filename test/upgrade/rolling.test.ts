import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeDemo } from '#server/features/demo/demo.command.ts';
import { testDatabase } from '#test/db.ts';
import { freePort, type Program } from '#test/program.ts';
import { countStates, eventually, testSink, untilSettled } from '#test/sending.ts';
import { demoClient, enter } from '../e2e/demo.ts';
import { worker as ofWorker } from '../e2e/launch.ts';
import { type Answers, addressOf, addUser, balancer, startLoad } from '../faults/load.ts';
import { judge } from '../faults/truth.ts';
import { dataDirOf } from '../faults/workers.ts';
import { unpackVersions, type Version } from './versions.ts';

const USERS = 3;
/** Enough companies for ten minutes. */
const COMPANIES = 1200;
const RATE = { readEveryMs: 200, sendEveryMs: 500 };
/** Slow enough that every worker always has open mails, and others are queued. */
const SMTP_LATENCY_MS = 250;
/** Longer than a running program needs to detect a newer schema. */
const LOOK_MS = 70_000;
/** The time in ms within which a worker would send, if it could claim mails. */
const REST_MS = 2000;

/** Starts two `web` and two workers of the previous version, with users who send requests. */
async function scene(migration: string) {
  const { before, after, version } = await unpackVersions(migration);
  const begun = performance.now();
  const database = await testDatabase();
  await makeDemo(database.service);
  const sink = await testSink();
  sink.latencyMs = SMTP_LATENCY_MS;
  const users = await Promise.all(Array.from({ length: USERS }, () => addUser(database, COMPANIES)));
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDirOf(database.url),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    WORKER_CONNECTIONS: '4',
  };
  const started = async (program: Program, line: string) => {
    await program.until(line);
    return program;
  };
  const startWorker = (of: Version) => started(of.start(['worker'], env), 'worker started');
  const startWeb = (of: Version, port: number) =>
    started(of.start(['web'], { ...env, PORT: `${port}` }), 'web started');
  const ports = [await freePort(), await freePort()];
  const pairs = await Promise.all(
    ports.map(async (port) => ({ port, web: await startWeb(before, port), worker: await startWorker(before) })),
  );
  const { answers, end } = startLoad(users, balancer(ports), RATE);
  /** Waits until requests and mails are accepted. */
  const untilWorkGoesOn = async () => {
    const [accepted, arrived] = [answers.accepted, sink.mails.length];
    await eventually(
      () => [answers.accepted - accepted, sink.mails.length - arrived],
      (more) => more.every((count) => count >= 5),
      60_000,
    );
  };
  await untilWorkGoesOn();
  /** Waits for the end of all mails, and judges their states by what arrived. */
  const finish = async (run: string) => {
    await end();
    sink.latencyMs = 0;
    expect(await untilSettled(database.db, 120_000)).toStrictEqual({ sent: answers.accepted });
    const { wrong, ...verdict } = await judge(
      database.db,
      sink.mails.map(({ messageId }) => messageId),
    );
    report(run, answers, verdict, (performance.now() - begun) / 1000);
    expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: answers.accepted, unknown: 0 });
    expect(answers.faults).toStrictEqual([]);
  };
  const migrate = async () => expect(await after.run(['migrate'], env)).toContain(`版 ${version}`);
  return { after, database, sink, pairs, answers, startWorker, startWeb, untilWorkGoesOn, migrate, finish };
}

/** Adds a line to the table that `npm run check:upgrade` prints. */
function report(
  run: string,
  { calls, deferred, unserved, faults }: Answers,
  { sent, unknown, lost, duplicates }: Omit<Awaited<ReturnType<typeof judge>>, 'wrong'>,
  seconds: number,
): void {
  const { UPGRADE_REPORT: file } = process.env;
  const answers = { calls, '503 with Retry-After': deferred, 'no web': unserved, 'other faults': faults.length };
  const row = {
    migration: run,
    ...answers,
    mails: sent,
    unknown,
    lost,
    duplicates,
    'whole run, s': Math.round(seconds),
  };
  if (file) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** Returns the browser of the environment. */
function browser() {
  if (!ofWorker.browser) throw new Error('the environment has no browser');
  return ofWorker.browser;
}

/** Opens the editor of a template, and types without saving. @returns what an upgrade of its `web` must keep */
async function typeInEditor(url: string) {
  const client = await demoClient(url);
  const [sender] = (await client.get('/sender/list')).body as { id: number }[];
  const opened = await enter(browser(), url, `/template/${sender?.id}`);
  onTestFinished(() => opened.page.context().close());
  const subject = opened.page.getByLabel('件名', { exact: true });
  await subject.fill('書きかけの件名');
  await opened.page.getByText('保存していない変更があります').waitFor();
  return { ...opened, subject };
}

test('a migration that permits older programs: both versions serve side by side, and an old page offers the new version', async () => {
  const all = await scene('ALTER TABLE account ADD COLUMN added_after text');
  const { after, pairs, answers, startWorker, startWeb, untilWorkGoesOn, migrate, finish } = all;
  const [first] = pairs;
  const url = `http://127.0.0.1:${first?.port}`;
  const { page, subject } = await typeInEditor(url);
  await migrate();
  await sleep(LOOK_MS);
  for (const { web, worker } of pairs) expect([web.child.exitCode, worker.child.exitCode]).toStrictEqual([null, null]);
  await untilWorkGoesOn();

  const replace = async (old: Program, start: () => Promise<Program>): Promise<Program> => {
    old.child.kill('SIGTERM');
    await untilWorkGoesOn();
    expect(await old.ended, old.output()).toBe(0);
    const next = await start();
    await untilWorkGoesOn();
    return next;
  };
  const replaced: Program[] = [];
  for (const { worker } of pairs) replaced.push(await replace(worker, () => startWorker(after)));
  for (const { web, port } of pairs) replaced.push(await replace(web, () => startWeb(after, port)));

  await page.getByRole('button', { name: 'ログアウト', exact: true }).click();
  await page.getByText('新しい版があります').waitFor();
  expect(await subject.inputValue()).toBe('書きかけの件名');
  await page.reload();
  await page.getByText('保存していない変更があります').waitFor();
  expect(await page.locator('script[type=module][src]').first().getAttribute('src')).toContain('-after');
  expect(await subject.inputValue()).toBe('書きかけの件名');

  await finish('permits the version before');
  expect(answers).toMatchObject({ deferred: 0, unserved: 0 });
  for (const { child } of replaced) child.kill('SIGTERM');
  expect(await Promise.all(replaced.map(({ ended }) => ended))).toStrictEqual([0, 0, 0, 0]);
});

const SENTENCE = '新しい版のKaitakuがデータベースを更新したため、この版では続けられません';

test('a migration that permits no older program: old processes end within a minute, and lose or double no mail', async () => {
  const all = await scene(`UPDATE schema_migration SET oldest_program = version
    WHERE version = (SELECT max(version) FROM schema_migration)`);
  const { after, database, sink, pairs, answers, startWorker, startWeb, untilWorkGoesOn, migrate, finish } = all;
  await migrate();
  /** Restarts ended processes as a supervisor does, now of the next version. */
  const webs = pairs.map(async ({ web, port }) => {
    const refusal = await eventually(
      () => fetch(addressOf(port, '/sender/list')).catch(() => null),
      (answer) => answer?.status === 503,
      LOOK_MS,
    );
    expect(refusal?.headers.get('retry-after')).toBe('5');
    expect(await refusal?.json()).toMatchObject({ code: 'new_version' });
    expect(await web.ended).toBe(1);
    expect(web.output()).toContain(SENTENCE);
    return startWeb(after, port);
  });
  for (const { worker } of pairs) {
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toContain(SENTENCE);
  }
  const nextWebs = await Promise.all(webs);
  // The old workers have finished the mails that they had begun, and nobody claims what users continue to send.
  const [accepted, arrived] = [answers.accepted, sink.mails.length];
  await eventually(
    () => answers.accepted - accepted,
    (more) => more >= 5,
  );
  await sleep(REST_MS);
  expect(sink.mails).toHaveLength(arrived);
  const { claimed = 0, sending = 0, queued = 0 } = await countStates(database.db);
  expect([claimed, sending, queued > 0]).toStrictEqual([0, 0, true]);
  const nextWorkers = await Promise.all(pairs.map(() => startWorker(after)));
  await untilWorkGoesOn();
  await finish('permits no older program');
  expect(answers.deferred).toBeGreaterThan(0);
  const programs = [...nextWebs, ...nextWorkers];
  for (const { child } of programs) child.kill('SIGTERM');
  expect(await Promise.all(programs.map(({ ended }) => ended))).toStrictEqual([0, 0, 0, 0]);
});
