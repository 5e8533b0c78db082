import { parseArgs } from 'node:util';
import { startSinkProcess } from '#test/sink-process.ts';
import { median, print } from './figures.ts';
import { installPeers } from './peers/install.ts';
import { type Killed, killOurs, killPeer } from './peers/kill.ts';
import { startRedis } from './peers/redis.ts';
import { type MeasuredPeer, measurePeer } from './peers/run-peer.ts';
import { openScene } from './sending-scene.ts';
import { measurePool, measureWorkers, postgresMeter, warmUp } from './sending-sides.ts';

/**
 * Measures Kaitaku's worker beside other queues, and beside the machine's limit.
 * `npm run bench -- peers [--mails 5000] [--connections 5,20] [--rounds 3] [--fsync everysec] [--kill 1000]
 * [--kills 3]`.
 *
 * All send the benches' letter to the same sink: nodemailer's bare pool; Kaitaku's worker; the pool behind
 * graphile-worker, BullMQ and pg-boss, with a row for each mail that stores the server's answer; and the limit, a
 * pipelined client with claims and answers in batches. All queues are full before the time starts. PostgreSQL commits
 * with fsync, Redis writes its log with `appendfsync` as `--fsync` says. Every round has a new sink and every run a
 * new database; even rounds begin with the pool, odd rounds with the limit.
 *
 * `--kill`: the mails of the second table, in which the worker is killed (SIGKILL) after a third of them and another
 * one continues; 0: no such table. The packages are installed into bench/peers/packages; Redis is Debian's.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '5000' },
    connections: { type: 'string', default: '5,20' },
    rounds: { type: 'string', default: '3' },
    fsync: { type: 'string', default: 'everysec' },
    kill: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '3' },
  },
});
const [mails, rounds, kill, kills] = [values.mails, values.rounds, values.kill, values.kills].map(Number) as [
  number,
  number,
  number,
  number,
];

const POOL = 'the bare pool';
const OURS = '1 worker of ours';
const redis = await startRedis(values.fsync);
await redis?.stop();
if (!redis) print('BullMQ is left out: there is no redis-server (apt-get install redis-server).', '');
const QUEUES = ['graphile-worker', ...(redis ? ['bullmq'] : []), 'pg-boss'];
const fsyncOf = (peer: string) => (peer === 'bullmq' ? values.fsync : null);

installPeers();
const scene = await openScene();
const beginPostgres = await postgresMeter(scene.db);
const sides = [POOL, OURS, ...QUEUES, 'limit'];

type Side = Omit<MeasuredPeer, 'redisCpu'> & Partial<MeasuredPeer>;
type Round = ReadonlyMap<string, Side>;

async function measureRound(connections: number, round: number): Promise<Round> {
  const sink = await startSinkProcess();
  await warmUp(sink, { connections });
  const measured = new Map<string, Side>();
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
    const measure = () => {
      if (side === POOL) return measurePool(sink, { mails, connections });
      if (side === OURS) return measureWorkers(scene, sink, { mails, workers: 1, connections });
      return measurePeer(sink, {
        peer: side,
        url: scene.url,
        mails,
        connections,
        fsync: fsyncOf(side),
        beginPostgres,
      });
    };
    measured.set(side, await measure());
  }
  await sink.stop();
  return measured;
}

print(
  '| connections | sent by | mails/s | of the pool | all CPU, ms a mail | own | PostgreSQL | Redis | peak RSS, MB |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
);
for (const connections of values.connections.split(',').map(Number)) {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await measureRound(connections, round));
  for (const side of sides) {
    const of = (figure: (one: Side, pool: Side) => number) =>
      median(
        all.map((measured) => {
          const [one, pool] = [measured.get(side), measured.get(POOL)];
          return one && pool ? figure(one, pool) : Number.NaN;
        }),
      );
    const cells = [
      of(({ rate }) => rate).toFixed(0),
      of(({ rate }, pool) => rate / pool.rate).toFixed(2),
      of(({ cpu, postgresCpu, redisCpu = 0 }) => cpu + postgresCpu + redisCpu).toFixed(2),
      of(({ cpu }) => cpu).toFixed(2),
      of(({ postgresCpu }) => postgresCpu).toFixed(2),
      of(({ redisCpu = 0 }) => redisCpu).toFixed(2),
      of(({ rss }) => rss).toFixed(0),
    ];
    print(`| ${[connections, side, ...cells].join(' | ')} |`);
  }
}

if (kill > 0) {
  print(
    '',
    `| ${kill} mails, kill -9 | doubled | lost | unknown | all done after, s |`,
    '| --- | --- | --- | --- | --- |',
  );
  const connections = 20;
  const killers: Record<string, () => Promise<Killed>> = {
    [OURS]: () => killOurs(scene, { mails: kill, connections }),
  };
  for (const peer of QUEUES) {
    killers[peer] = () => killPeer({ peer, url: scene.url, fsync: fsyncOf(peer), mails: kill, connections });
  }
  for (const [side, killer] of Object.entries(killers)) {
    const runs: Killed[] = [];
    for (let run = 0; run < kills; run += 1) runs.push(await killer());
    const list = (key: keyof Killed, digits = 0) => runs.map((one) => one[key].toFixed(digits)).join(', ');
    print(`| ${[side, list('doubled'), list('lost'), list('unknown'), list('seconds', 1)].join(' | ')} |`);
  }
}
await scene.close();
