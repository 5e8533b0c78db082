import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '#server/platform/database/db.ts';
import { WORK_CHANNEL } from '#server/platform/work-signal.ts';
import type { SinkProcess } from '#test/sink-process.ts';
import { cpuByProcess, cpuOf, postmasterOf } from './postgres-cpu.ts';
import type { BareParts } from './sending-bare.ts';
import { BENCH_LETTER } from './sending-letter.ts';
import { queueMails, type Scene, startWorkers, stopWorkers } from './sending-scene.ts';

/** A measurement of one side: nodemailer's own pool, or workers as users start them. */
export interface Measured {
  readonly rate: number;
  /** Milliseconds of CPU per mail: the sending processes', PostgreSQL's and the sink's. */
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly sinkCpu: number;
  /** Updates of `delivery` rows per mail, and the share of them without an index entry (HOT). */
  readonly updates: number;
  readonly hotShare: number;
  /** Peak MB of the largest sending process. */
  readonly rss: number;
}

/** The number of mails that warm up a new sink: V8 compiles it within the first few hundred. */
const WARM_MAILS = 500;

const peakMegabytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

/** Measures PostgreSQL's CPU: starts a measurement, and returns a function that returns the seconds used since. */
export type PostgresMeter = () => () => number;

/**
 * Makes a meter. It excludes processes that end meanwhile, and the benchmark's own session, which counts sent mails.
 * @param db used by one caller at a time, so that its pool has one session
 */
export async function postgresMeter(db: Db): Promise<PostgresMeter> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
  const own = rows[0]?.pid ?? 0;
  const postmaster = postmasterOf(own);
  return () => {
    const before = cpuByProcess(postmaster);
    return () =>
      sum([...cpuByProcess(postmaster)].map(([pid, seconds]) => (pid === own ? 0 : seconds - (before.get(pid) ?? 0))));
  };
}

interface PoolOptions {
  readonly mails: number;
  readonly connections: number;
  readonly parts?: BareParts;
  readonly env?: NodeJS.ProcessEnv;
}

export async function measurePool(
  sink: SinkProcess,
  { mails, connections, parts = { tls: false, dkim: null }, env = process.env }: PoolOptions,
): Promise<Measured> {
  const script = join(import.meta.dirname, 'sending-bare.ts');
  const before = cpuOf(sink.pid);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, ...[sink.port, mails, connections].map(String), JSON.stringify(parts)],
    { env },
  );
  const { seconds, cpuSeconds, rss } = JSON.parse(stdout) as { seconds: number; cpuSeconds: number; rss: number };
  const sinkCpu = ((cpuOf(sink.pid) - before) * 1000) / mails;
  return {
    rate: mails / seconds,
    cpu: (cpuSeconds * 1000) / mails,
    postgresCpu: 0,
    sinkCpu,
    updates: 0,
    hotShare: 0,
    rss,
  };
}

export const warmUp = (sink: SinkProcess, options: Omit<PoolOptions, 'mails'>): Promise<unknown> =>
  measurePool(sink, { ...options, mails: WARM_MAILS });

interface WorkersOptions {
  readonly mails: number;
  /** The number of due mails, if larger than that of the measured ones. */
  readonly queued?: number;
  readonly workers: number;
  readonly connections: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Queues what is sent beside the measured mails, by senders of its own; the mails start once it is on its way. */
  readonly beside?: { readonly queue: () => Promise<void>; readonly onItsWay: () => Promise<void> };
}

/** Queues mails to companies that were all mailed before, because a first contact costs PostgreSQL a fifth more. */
export async function queueKnownMails(scene: Scene, mails: number): Promise<void> {
  const { db } = scene;
  await queueMails(scene, mails, BENCH_LETTER);
  await sql`UPDATE sender_throttle SET max_connections = 100`.execute(db);
  await sql`
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
    SELECT account_id, sender_group_id, prospect_id, now() - interval '1 year' FROM delivery`.execute(db);
  await sql`VACUUM ANALYZE`.execute(db);
  // While the transport is paused no worker claims mails.
  await sql`UPDATE transport SET paused_until = 'infinity'`.execute(db);
}

/** Ends the pause, and announces the mails as accepting a run does. */
export async function startSending({ db }: Scene): Promise<void> {
  await sql`UPDATE transport SET paused_until = NULL`.execute(db);
  await sql`SELECT pg_notify(${WORK_CHANNEL}, '')`.execute(db);
}

export const forgetMails = ({ db }: Scene): Promise<unknown> =>
  sql`TRUNCATE send_log, delivery, contact_state, prospect CASCADE`.execute(db);

/** Counts the updates of mails. Call it after the workers have ended, because sessions report their statistics late. */
async function deliveryUpdates(db: Db): Promise<{ updates: number; hot: number }> {
  const { rows } = await sql<{ updates: number; hot: number }>`
    SELECT n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot
    FROM pg_stat_user_tables WHERE relname = 'delivery'`.execute(db);
  return rows[0] ?? { updates: 0, hot: 0 };
}

export async function measureWorkers(
  scene: Scene,
  sink: SinkProcess,
  { mails, queued = 0, workers, connections, env = {}, beside }: WorkersOptions,
): Promise<Measured> {
  await queueKnownMails(scene, Math.max(mails, queued));
  await beside?.queue();
  const programs = await startWorkers(scene, sink, { workers, connections, env });
  await beside?.onItsWay();
  const pids = programs.map(({ child }) => child.pid ?? 0);
  const beginPostgres = await postgresMeter(scene.db);
  const postgresSeconds = beginPostgres();
  const spent = () => [sum(pids.map(cpuOf)), postgresSeconds(), cpuOf(sink.pid)];
  const before = spent();
  const updatesBefore = await deliveryUpdates(scene.db);
  const begun = performance.now();
  await startSending(scene);
  let sent = 0;
  while (sent < mails) {
    // Counting costs PostgreSQL more with more rows: an error of half a percent of the run is acceptable.
    await sleep(Math.max(5, mails / 200));
    // Counts the mailed companies, which have one mail each.
    const { rows } = await sql<{ sent: number }>`
      SELECT count(*)::integer AS sent FROM contact_state WHERE last_sent_at > now() - interval '1 day'`.execute(
      scene.db,
    );
    sent = rows[0]?.sent ?? 0;
  }
  const seconds = (performance.now() - begun) / 1000;
  const [cpu = 0, postgresCpu = 0, sinkCpu = 0] = spent().map(
    (now, part) => ((now - (before[part] ?? 0)) * 1000) / sent,
  );
  const rss = Math.max(...pids.map(peakMegabytes));
  await stopWorkers(programs);
  const after = await deliveryUpdates(scene.db);
  const updates = after.updates - updatesBefore.updates;
  const hotShare = (after.hot - updatesBefore.hot) / updates;
  await forgetMails(scene);
  return { rate: sent / seconds, cpu, postgresCpu, sinkCpu, updates: updates / sent, hotShare, rss };
}
