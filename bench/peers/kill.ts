import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type SinkProcess, startSinkProcess } from '#test/sink-process.ts';
import { type Scene, startWorkers, stopWorkers } from '../sending-scene.ts';
import { forgetMails, queueKnownMails, startSending } from '../sending-sides.ts';
import { openPeerScene, startPeer } from './run-peer.ts';

/** The server's time for a mail: each connection has one under way when the worker is killed. */
const LATENCY_MS = 20;
/** Longest wait of the second worker for what the first one held. */
const RECOVERY_MAX_MS = 90_000;

/** What became of the mails after kill -9 of their worker, as the sink saw it. */
export interface Killed {
  readonly doubled: number;
  /** Mails that never arrived, although no row says so. */
  readonly lost: number;
  /** Mails whose row says that it is not known whether they were sent. */
  readonly unknown: number;
  /** Seconds from the second worker's start until no mail was open. */
  readonly seconds: number;
}

interface Killing {
  readonly mails: number;
  readonly connections: number;
}

const untilArrived = async (sink: SinkProcess, mails: number) => {
  while (sink.count() < mails) await sleep(5);
};

function judge(sink: SinkProcess, mails: number, unknown: readonly string[]): Omit<Killed, 'seconds'> {
  const arrived = sink.mails().map(({ to }) => to.join());
  const different = new Set(arrived).size;
  const accounted = new Set([...arrived, ...unknown]).size;
  return { doubled: arrived.length - different, lost: mails - accounted, unknown: unknown.length };
}

/** Kills our worker after a third of the mails, and lets another go on. */
export async function killOurs(scene: Scene, { mails, connections }: Killing): Promise<Killed> {
  const sink = await startSinkProcess(LATENCY_MS);
  await queueKnownMails(scene, mails);
  const [first] = await startWorkers(scene, sink, { workers: 1, connections });
  await startSending(scene);
  await untilArrived(sink, mails / 3);
  first?.child.kill('SIGKILL');
  await first?.ended;
  const begun = performance.now();
  const second = await startWorkers(scene, sink, { workers: 1, connections });
  const inState = async (states: readonly string[]) => {
    const { rows } = await sql<{ mail_to: string }>`
      SELECT mail_to FROM delivery WHERE state = ANY (${states})`.execute(scene.db);
    return rows.map(({ mail_to }) => mail_to);
  };
  while ((await inState(['queued', 'claimed', 'sending'])).length > 0) await sleep(50);
  const seconds = (performance.now() - begun) / 1000;
  const unknown = await inState(['unknown']);
  await stopWorkers(second);
  const judged = judge(sink, mails, unknown);
  await forgetMails(scene);
  await sink.stop();
  return { ...judged, seconds };
}

interface KillingPeer extends Killing {
  readonly peer: string;
  readonly url: string;
  readonly fsync: string | null;
}

/** The same with a peer. Its rows know no "unknown": what is not recorded is sent again. */
export async function killPeer({ peer, url, fsync, mails, connections }: KillingPeer): Promise<Killed> {
  const sink = await startSinkProcess(LATENCY_MS);
  const scene = await openPeerScene(url, mails, fsync);
  const options = {
    peer,
    databaseUrl: scene.databaseUrl,
    redisPort: scene.redis?.port ?? 0,
    smtpPort: sink.port,
    connections,
  };
  const first = await startPeer({ ...options, enqueue: mails });
  first.begin();
  await untilArrived(sink, mails / 3);
  await first.kill();
  if (peer === 'graphile-worker') {
    // It frees a dead worker's jobs after four hours, which cannot be set: they pass here.
    await scene.db.query(`UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '5 hours'`);
    await scene.db.query(`UPDATE graphile_worker._private_job_queues SET locked_at = locked_at - interval '5 hours'`);
  }
  const begun = performance.now();
  const second = await startPeer({ ...options, enqueue: 0 });
  const done = second.result();
  second.begin();
  await Promise.race([done, sleep(RECOVERY_MAX_MS, undefined, { ref: false })]);
  const seconds = (performance.now() - begun) / 1000;
  await second.kill();
  const judged = judge(sink, mails, []);
  await scene.close();
  await sink.stop();
  return { ...judged, seconds };
}
