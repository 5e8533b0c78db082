import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { endWithUs } from '#test/reaper.ts';
import type { SinkProcess } from '#test/sink-process.ts';
import { cpuOf } from '../postgres-cpu.ts';
import type { Measured, PostgresMeter } from '../sending-sides.ts';
import type { PeerOptions, PeerResult } from './peer.ts';
import { type Redis, startRedis } from './redis.ts';

/** The environment of a peer: its own database, and its own Redis if needed. */
interface PeerScene {
  readonly db: pg.Client;
  readonly databaseUrl: string;
  readonly redis: Redis | null;
  close(): Promise<void>;
}

/** Creates the table of results, with a row for each mail. @param url the server owner's */
export async function openPeerScene(url: string, mails: number, fsync: string | null): Promise<PeerScene> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query('CREATE DATABASE peer');
  const databaseUrl = Object.assign(new URL(url), { pathname: '/peer' }).href;
  const db = new pg.Client(databaseUrl);
  await db.connect();
  await db.query(`
    CREATE TABLE peer_mail (id bigint PRIMARY KEY, mail_to text NOT NULL, company text NOT NULL,
      claimed_at timestamptz, sent_at timestamptz, answer text);
    CREATE INDEX ON peer_mail (id) WHERE claimed_at IS NULL`);
  await db.query(`INSERT INTO peer_mail SELECT n, n || '@x.jp', '会社' || n FROM generate_series(1, $1::bigint) n`, [
    mails,
  ]);
  const redis = fsync === null ? null : await startRedis(fsync);
  return {
    db,
    databaseUrl,
    redis,
    close: async () => {
      await db.end();
      await owner.query('DROP DATABASE peer WITH (FORCE)');
      await owner.end();
      await redis?.stop();
    },
  };
}

/** Starts a worker process of a peer and waits until its queue is filled. */
export async function startPeer(options: PeerOptions) {
  const script = join(import.meta.dirname, 'peer.process.ts');
  const child = fork(script, [JSON.stringify(options)], { execArgv: [] });
  const forget = endWithUs({ pid: child.pid ?? 0 });
  const ended = once(child, 'exit').then(forget);
  const message = async () => {
    const [first] = (await Promise.race([once(child, 'message'), ended])) ?? [];
    if (first === undefined) throw new Error(`the worker of ${options.peer} ended by itself`);
    return first as unknown;
  };
  await message();
  return {
    begin: () => child.send('begin'),
    result: async () => (await message()) as PeerResult,
    end: async () => {
      child.send('end');
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Measuring {
  readonly peer: string;
  readonly url: string;
  readonly mails: number;
  readonly connections: number;
  /** The `appendfsync` of Redis; null: no Redis is needed. */
  readonly fsync: string | null;
  readonly beginPostgres: PostgresMeter;
}

export interface MeasuredPeer extends Omit<Measured, 'updates' | 'hotShare'> {
  readonly redisCpu: number;
}

export async function measurePeer(
  sink: SinkProcess,
  { peer, url, mails, connections, fsync, beginPostgres }: Measuring,
): Promise<MeasuredPeer> {
  const scene = await openPeerScene(url, mails, fsync);
  const redis = scene.redis;
  const worker = await startPeer({
    peer,
    databaseUrl: scene.databaseUrl,
    redisPort: redis?.port ?? 0,
    smtpPort: sink.port,
    connections,
    enqueue: mails,
  });
  // pg-boss and graphile-worker get bad plans on a queue that was filled at once and never analysed.
  await scene.db.query('VACUUM ANALYZE');
  const postgresSeconds = beginPostgres();
  const spent = () => [postgresSeconds(), redis ? cpuOf(redis.pid) : 0, cpuOf(sink.pid)];
  const before = spent();
  const result = worker.result();
  worker.begin();
  const { seconds, cpuSeconds, rss } = await result;
  const [postgresCpu = 0, redisCpu = 0, sinkCpu = 0] = spent().map(
    (now, part) => ((now - (before[part] ?? 0)) * 1000) / mails,
  );
  await worker.end();
  await scene.close();
  return { rate: mails / seconds, cpu: (cpuSeconds * 1000) / mails, postgresCpu, redisCpu, sinkCpu, rss };
}
