import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type SinkProcess, startSinkProcess } from '#test/sink-process.ts';
import { type Scene, startWorkers, stopWorkers } from '../sending-scene.ts';
import { forgetMails, queueKnownMails, startSending } from '../sending-sides.ts';
import { openPeerScene, startPeer } from './run-peer.ts';

/** The server's time per mail in ms, so that each connection has a mail in progress at the kill. */
const LATENCY_MS = 20;
/** The longest time that the second worker waits for the mails of the first. */
const RECOVERY_MAX_MS = 90_000;

/** The outcome of the mails after a kill -9 of their worker, according to the sink. */
export interface Killed {
  readonly doubled: number;
  /** Mails that never arrived, although no row says so. */
  readonly lost: number;
  /** Mails whose row says that their outcome is unknown. */
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

/** Kills Kaitaku's worker after a third of the mails, and lets another one continue. */
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

/** Does the same with a peer. Its rows have no state "unknown": unrecorded mails are sent again. */
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
    // graphile-worker frees a dead worker's jobs after four hours, which is not configurable: simulate that time.
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
