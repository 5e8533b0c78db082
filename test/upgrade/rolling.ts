import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestDatabase } from '#test/db.ts';
import { freePort, type Program } from '#test/program.ts';
import { countStates, eventually, testSink, untilSettled } from '#test/sending.ts';
import { type Answers, addressOf, addUser, balancer, startLoad } from '../faults/load.ts';
import { judge } from '../faults/truth.ts';
import { dataDirOf } from '../faults/workers.ts';
import type { Version } from './versions.ts';

const USERS = 3;
/** Enough companies for ten minutes. */
const COMPANIES = 1200;
const RATE = { readEveryMs: 200, sendEveryMs: 500 };
/** Slow enough that every worker always has open mails, and others are queued. */
const SMTP_LATENCY_MS = 250;
/** Longer than a running program needs to detect a newer schema. */
export const LOOK_MS = 70_000;
/** The time in ms within which a worker would send, if it could claim mails. */
const REST_MS = 2000;

/** What an upgrade starts with: both versions, and a migrated database of the version before. */
interface Installed {
  readonly before: Version;
  readonly after: Version;
  /** The newest migration of the version after. */
  readonly version: number;
  readonly database: Pick<TestDatabase, 'url' | 'db' | 'login'>;
  /** Settings of all processes. */
  readonly more?: Record<string, string>;
}

/** Starts two `web` and two workers of the version before, with users who send requests. */
export async function scene({ before, after, version, database, more }: Installed) {
  const begun = performance.now();
  const sink = await testSink();
  sink.latencyMs = SMTP_LATENCY_MS;
  const users = await Promise.all(Array.from({ length: USERS }, () => addUser(database, COMPANIES)));
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDirOf(database.url),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    WORKER_CONNECTIONS: '4',
    ...more,
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
  /** Waits for the end of all mails, and judges their states by what arrived. @param isFault whether a call failed */
  const finish = async (run: string, isFault: (fault: unknown) => boolean = () => true) => {
    await end();
    sink.latencyMs = 0;
    expect(await untilSettled(database.db, 120_000)).toStrictEqual({ sent: answers.accepted });
    const { wrong, ...verdict } = await judge(
      database.db,
      sink.mails.map(({ messageId }) => messageId),
    );
    report(run, answers, verdict, (performance.now() - begun) / 1000);
    expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: answers.accepted, unknown: 0 });
    expect(answers.faults.filter(isFault)).toStrictEqual([]);
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

/**
 * A `web` that ends may close a connection as a request comes in (RFC 9112 §9.5). Such a request was not begun: each
 * mail that was accepted is counted.
 */
const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET'];
const isOther = (fault: unknown): boolean =>
  !CLOSED.includes(((fault as Error).cause as { code?: string } | undefined)?.code ?? '');

const SENTENCE = '新しい版のKaitakuがデータベースを更新したため、この版では続けられません';

/** Migrates beside the old processes, which end within a minute, and starts those of the next version. */
export async function replaceAll(all: Awaited<ReturnType<typeof scene>>, run: string): Promise<void> {
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
  await finish(run, isOther);
  expect(answers.deferred).toBeGreaterThan(0);
  const programs = [...nextWebs, ...nextWorkers];
  for (const { child } of programs) child.kill('SIGTERM');
  expect(await Promise.all(programs.map(({ ended }) => ended))).toStrictEqual([0, 0, 0, 0]);
}
