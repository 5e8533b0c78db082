import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Program } from '#test/program.ts';
import { eventually } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { percentile, print } from './figures.ts';
import { openScene, queueMails, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Measures how soon the mails of a killed worker continue.
 * `npm run bench -- takeover [--kills 10] [--connections 4] [--latency 200] [--mails 5000]`. One worker has all
 * connections of the sender, another waits. The first is killed (kill -9), and replaced. Measures the time until the
 * next mail is marked, and until all mails are marked that the killed worker had claimed but not begun, by the
 * database's clock. At a mail server of 200 ms a worker holds about 60 mails, which are sent in 3 s.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    connections: { type: 'string', default: '4' },
    latency: { type: 'string', default: '200' },
    mails: { type: 'string', default: '5000' },
  },
});

const scene = await openScene();
const { db } = scene;
await sql`CREATE TABLE bench_mark (id bigint, at timestamptz)`.execute(db);
await sql`
  CREATE FUNCTION bench_mark() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO bench_mark VALUES (NEW.id, clock_timestamp());
    RETURN NULL;
  END $$`.execute(db);
await sql`
  CREATE TRIGGER bench_mark AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'sending' AND OLD.state = 'claimed') EXECUTE FUNCTION bench_mark()`.execute(db);

const sink = await startSinkProcess(Number(values.latency));
const options = { workers: 1, connections: Number(values.connections) };
const startOne = async () => (await startWorkers(scene, sink, options))[0] as Program;

/** Returns the mails that are claimed but not begun; one worker holds all of them. */
async function heldMails(): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM delivery WHERE state = 'claimed'`.execute(db);
  return rows.map(({ id }) => id);
}

/** Kills the sending worker, and waits until its mails continue. @returns seconds until the next mail, and until all */
async function kill({ child }: Program) {
  child.kill('SIGKILL');
  await once(child, 'close');
  const { rows } = await sql<{ at: string }>`SELECT clock_timestamp()::text AS at`.execute(db);
  const at = sql`${rows[0]?.at ?? ''}::timestamptz`;
  const ids = await heldMails();
  const look = async () => {
    const seen = await sql<{ marked: number; next: number; all: number }>`
      SELECT count(DISTINCT id) FILTER (WHERE id = ANY (${ids}::bigint[]))::integer AS marked,
        extract(epoch FROM min(at) - ${at})::double precision AS next,
        extract(epoch FROM max(at) FILTER (WHERE id = ANY (${ids}::bigint[])) - ${at})::double precision AS "all"
      FROM bench_mark WHERE at > ${at}`.execute(db);
    return seen.rows[0] as (typeof seen.rows)[number];
  };
  return { held: ids.length, ...(await eventually(look, ({ marked }) => marked === ids.length, 60_000)) };
}

await queueMails(scene, Number(values.mails));
await db.updateTable('sender_throttle').set({ max_connections: options.connections }).execute();
const workers = [await startOne()];
await eventually(heldMails, ({ length }) => length > 0, 60_000);
workers.push(await startOne());
const next: number[] = [];
const all: number[] = [];
for (let kills = 0; kills < Number(values.kills); kills += 1) {
  await sleep(1000 + Math.random() * 2000);
  await eventually(heldMails, ({ length }) => length > 0, 60_000);
  const taken = await kill(workers.shift() as Program);
  print(`${taken.held} mails held: the next mail after ${taken.next.toFixed(2)} s, all after ${taken.all.toFixed(2)}`);
  next.push(taken.next);
  all.push(taken.all);
  workers.push(await startOne());
}
const row = (times: readonly number[]) =>
  [0, 0.5, 0.95].map((share) => percentile(times, share).toFixed(2)).join(' | ') +
  ` | ${Math.max(...times).toFixed(2)}`;
print('', '| seconds from the kill | least | p50 | p95 | max |', '| --- | --- | --- | --- | --- |');
print(`| the next mail | ${row(next)} |`, `| all mails that it held | ${row(all)} |`);
await stopWorkers(workers);
await sink.stop();
await scene.close();
