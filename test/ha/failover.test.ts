import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { acceptMails } from '#test/mails.ts';
import { countStates, eventually, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { judge } from '../faults/truth.ts';
import { type Node, run, startCluster } from './cluster.ts';
import { LOSSES, type Loss, ONLY } from './losses.ts';
import { askWeb, openPools, startPrograms } from './programs.ts';
import { median, type Row, table } from './report.ts';

const MAILS = 250;
/** The loss comes once this many of them have arrived. */
const BEFORE = 50;
/** Slow enough that mails are being sent at each moment: 16 a second on eight connections. */
const LATENCY_MS = 500;
/** The time in ms without a mail that counts as a silence. */
const SILENCE_MS = 2000;
const SETTLED_MAX_MS = 180_000;
const LONGER_THAN_TTL_MS = 35_000;
/** The time in ms within which a worker would send, if it could. */
const QUIET_MS = 10_000;
const LOOK_EVERY_MS = 500;
const LOST = 'lost the lead';
const OPEN_MAILS = `
  SELECT (SELECT count(*)::integer FROM delivery WHERE state IN ('queued', 'claimed', 'sending')) AS open,
    rewound_at IS NOT NULL AS rewound
  FROM installation`;
/** The limits of a loss: seconds from the first 200 of the new leader's /primary to the next mail. */
const [WORST, MEDIAN] = [15, 10];

type Scene = Awaited<ReturnType<typeof makeScene>>;

async function makeScene() {
  const cluster = await startCluster();
  onTestFinished(cluster.stop);
  const sink = await startSinkProcess(LATENCY_MS);
  onTestFinished(() => sink.stop());
  const programs = await startPrograms(cluster, sink);
  const pools = openPools(cluster);
  const { accountId } = await acceptMails(pools, 1);
  await untilSettled(pools.db, SETTLED_MAX_MS);
  const web = await askWeb(cluster, pools, accountId);
  // All losses run, even if one of them shows faults.
  const faults: string[] = [];
  return { cluster, sink, programs, pools, web, faults };
}

/** Returns the periods without a mail since a moment. */
function silencesOf({ sink }: Scene, since: number): { readonly from: number; readonly to: number }[] {
  const times = sink.mails().map(({ at }) => at);
  return times.slice(1).flatMap((to, n) => (to < since ? [] : { from: Math.max(since, times[n] ?? to), to }));
}

const longestSilence = (scene: Scene, since: number) =>
  Math.max(0, ...silencesOf(scene, since).map(({ from, to }) => to - from)) / 1000;

/**
 * Returns the end of the last long silence since a moment.
 * Mails claimed before a loss may be sent at once; after them workers wait for their receipts.
 */
const endOfSilence = (scene: Scene, since: number) =>
  Math.max(...silencesOf(scene, since).flatMap(({ from, to }) => (to - from > SILENCE_MS ? to : [])));

/** Accepts mails, and waits until some of them have arrived. */
async function sendSome({ pools, sink }: Scene): Promise<void> {
  const before = sink.count();
  await acceptMails(pools, MAILS);
  await eventually(sink.count, (count) => count >= before + BEFORE, SETTLED_MAX_MS);
}

/**
 * Waits until no mail is open.
 * If all sending has paused, because the database is in an older state, it follows docs/operations.md.
 * @returns whether that was necessary
 */
async function settle({ cluster, programs }: Scene): Promise<boolean> {
  const look = async () => {
    await sleep(LOOK_EVERY_MS);
    const [now] = await run<{ open: number; rewound: boolean }>(cluster.adminUrl, OPEN_MAILS).catch(() => []);
    return now;
  };
  for (let wasRewound = false; ; wasRewound = true) {
    const now = await eventually(look, (answer) => answer?.open === 0 || answer?.rewound === true, SETTLED_MAX_MS);
    if (!now?.rewound) return wasRewound;
    await cluster.untilWhole();
    await programs.kaitaku('receipts', 'merge');
    await programs.kaitaku('receipts', 'resume', '--nothing-taken-back');
  }
}

/** Counts the answers of `web` since a moment that were 503 with Retry-After. All others must be 200. */
function countAway({ web, faults }: Scene, name: string, since: number): number {
  const within = web.answers.filter(({ at, ms }) => at + ms >= since);
  const away = within.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null);
  for (const other of within.filter((answer) => answer.status !== 200 && !away.includes(answer)))
    faults.push(`${name}: web answered ${JSON.stringify(other)}`);
  return away.length;
}

/** Returns how an old leader came back, according to its Patroni's log since the loss. */
function wayBack(log: string): string {
  if (/has been created using|bootstrapped from leader/.test(log)) return 'copied anew';
  return log.includes('running pg_rewind') ? 'pg_rewind' : 'followed';
}

async function lose(scene: Scene, loss: Loss, pooled: boolean): Promise<Row> {
  const { cluster, sink, faults } = scene;
  const leader = await cluster.untilWhole();
  await sendSome(scene);
  const [since, logged] = [Date.now(), leader.log().length];
  const taken = loss.take(cluster, leader);
  const others = cluster.nodes.filter((node) => node !== leader);
  const { at } = await (loss.inPlace ? cluster.untilAnswers(leader) : cluster.untilPrimary(others));
  await taken;
  const open = loss.inPlace ? 0 : cluster.connectionsTo(leader);
  const load = loadavg()[0] ?? 0;
  // The old leader returns while mails are being sent.
  const count = sink.count();
  await eventually(sink.count, (now) => now > count + BEFORE, SETTLED_MAX_MS);
  const goesOn = (endOfSilence(scene, since) - at) / 1000;
  const silent = longestSilence(scene, since);
  await loss.giveBack(leader, since);
  await cluster.untilWhole();
  const rewound = await settle(scene);
  await cluster.untilWhole();
  const away = countAway(scene, loss.name, since);
  const back = rewound ? 'took the lead back' : loss.inPlace ? 'in place' : wayBack(leader.log().slice(logged));
  if (rewound) faults.push(`${loss.name}: the database was set back`);
  if (away === 0) faults.push(`${loss.name}: web never answered 503`);
  if (open > 0) faults.push(`${loss.name}: ${open} open connections to the old leader`);
  if (back === 'copied anew') faults.push(`${loss.name}: ${back}`);
  return {
    name: pooled ? `${loss.name} (PgBouncer)` : loss.name,
    leads: (at - since) / 1000,
    goesOn,
    silent,
    away,
    back,
    load,
  };
}

async function loseEach(scene: Scene): Promise<Row[]> {
  const { cluster, programs } = scene;
  const rows: Row[] = [];
  for (const loss of LOSSES) {
    for (let time = 1; time <= loss.times; time += 1) {
      const pooled = time <= (loss.pooled ?? 0);
      if (pooled) await programs.restart(cluster.pooledUrl);
      rows.push(await lose(scene, loss, pooled));
      process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
      if (pooled) await programs.restart(cluster.ownerUrl);
    }
  }
  return rows;
}

/** Loses parts of etcd, then machines that are not the leader. @returns a row for each */
async function loseAround(scene: Scene): Promise<Row[]> {
  const { cluster, sink, faults } = scene;
  const rows: Row[] = [];
  /** @param act returns the start of the time without mails, and what happened to the leader */
  const around = async (name: string, act: (leader: Node, others: readonly Node[]) => Promise<[number, string]>) => {
    const leader = await cluster.untilWhole();
    await sendSome(scene);
    const since = Date.now();
    const others = cluster.nodes.filter((node) => node !== leader);
    const [from, back] = await act(leader, others);
    const silent = longestSilence(scene, from);
    await cluster.untilWhole();
    if (await settle(scene)) faults.push(`${name}: the database was set back`);
    if (back === LOST) faults.push(`${name}: the leader ${LOST}`);
    const away = countAway(scene, name, since);
    rows.push({ name, leads: null, goesOn: null, silent, away, back, load: loadavg()[0] ?? 0 });
    process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
  };
  const stayed = async (leader: Node) => ((await leader.isPrimary()) ? 'stayed' : LOST);

  await around('one of etcd, kill -9', async (leader, [other]) => {
    const since = Date.now();
    await other?.killEtcd();
    await settle(scene);
    other?.startEtcd();
    return [since, await stayed(leader)];
  });
  await around('two of etcd, kill -9 (`failsafe_mode`)', async (leader, others) => {
    for (const other of others) await other.killEtcd();
    await settle(scene);
    await sleep(LONGER_THAN_TTL_MS);
    await sendSome(scene);
    const since = Date.now();
    await settle(scene);
    const back = await stayed(leader);
    for (const other of others) other.startEtcd();
    return [since, back];
  });
  await around('two machines, kill -9: no quorum', async (leader, others) => {
    const since = Date.now();
    for (const other of others) {
      killDatabase(other);
      await other.killEtcd();
    }
    await eventually(leader.isPrimary, (isPrimary) => !isPrimary, SETTLED_MAX_MS);
    await sleep(QUIET_MS);
    const [begun, count] = [Date.now(), sink.count()];
    await sleep(QUIET_MS);
    if (sink.count() !== count) faults.push('no quorum: mails left');
    if (countAway(scene, 'no quorum', begun) === 0) faults.push('no quorum: web did not answer 503');
    for (const other of others) {
      other.startEtcd();
      other.startPatroni();
    }
    await settle(scene);
    return [since, 'read-only until etcd is back'];
  });
  await around('both standbys, kill -9', async (leader, others) => {
    const since = Date.now();
    for (const other of others) killDatabase(other);
    // The leader commits alone, so all mails are sent.
    await settle(scene);
    const back = await stayed(leader);
    for (const other of others) other.startPatroni();
    return [since, back];
  });
  return rows;
}

function killDatabase(node: Node): void {
  node.signalPatroni('SIGKILL');
  node.signalPostgres('SIGKILL');
}

test('leaders and etcd are lost: no mail is lost, none doubled, and sending continues', async () => {
  const begun = Date.now();
  const scene = await makeScene();
  const { pools, programs, sink } = scene;
  const rows = await loseEach(scene);
  const accepted = sink.count();
  const others = ONLY === '' ? await loseAround(scene) : [];
  await scene.web.stop();
  const endedAlone = programs.ended().map((program) => program.output());
  await programs.stop();
  const { wrong, ...verdict } = await judge(
    pools.db,
    sink.mails().map(({ messageId }) => messageId),
  );
  const goesOn = rows.flatMap((row) => row.goesOn ?? []);
  const slowest = Math.max(...scene.web.answers.map(({ ms }) => ms)) / 1000;
  const minutes = ((Date.now() - begun) / 60_000).toFixed(0);
  process.stdout.write(
    `\n${table([...rows, ...others])}\n${accepted - 1} mails with ${rows.length} losses of the leader, then ${sink.count() - accepted}; ${verdict.lost} lost, ${verdict.duplicates} doubled, ${verdict.unknown} unknown (${verdict.unknownArrived} of them arrived). Sending went on after ${Math.max(...goesOn).toFixed(1)} s at most, median ${median(goesOn).toFixed(1)} s. web answered within ${slowest.toFixed(1)} s. ${minutes} minutes.\n`,
  );
  expect({ wrong, ...verdict, endedAlone }).toMatchObject({
    wrong: [],
    lost: 0,
    duplicates: 0,
    unknown: 0,
    endedAlone: [],
  });
  expect(await countStates(pools.db)).toStrictEqual({ sent: sink.count() });
  expect(Math.max(...goesOn)).toBeLessThanOrEqual(WORST);
  expect(median(goesOn)).toBeLessThanOrEqual(MEDIAN);
});
