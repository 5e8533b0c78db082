import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { freePort, startProgram } from '#test/program.ts';
import { addManyProspects } from '#test/prospects.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { ms, percentile, print } from './figures.ts';
import { openScene, queueMails, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Measures opt-outs by one click during a run, and the page of an opt-out link.
 * `npm run bench -- refusals [--mails 1000] [--refusals 100] [--companies 0] [--workers 2] [--connections 5]
 * [--latency 50]`. A trigger of the benchmark records the mark of each mail, which is committed before any byte of its
 * body is sent. No mark may be later than the answer to its address's opt-out.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000' },
    refusals: { type: 'string', default: '100' },
    /** Additional companies on the list, because the page reads the domains of all. */
    companies: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
    connections: { type: 'string', default: '5' },
    /** The mail server's time in ms between the last byte and its 250. */
    latency: { type: 'string', default: '50' },
  },
});
const [mails, refusals, companies] = [values.mails, values.refusals, values.companies].map(Number) as [
  number,
  number,
  number,
];

const scene = await openScene();
const { db } = scene;
await sql`CREATE TABLE bench_mark (delivery_id bigint PRIMARY KEY, at timestamptz)`.execute(db);
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
const { accountId } = await queueMails(scene, mails);
if (companies > 0) await addManyProspects(db, accountId, companies, 10_000_000);
await sql`VACUUM ANALYZE prospect`.execute(db);
const port = await freePort();
const web = startProgram(['web'], {
  DATABASE_URL: scene.url,
  SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  PORT: String(port),
});
await web.until('web started');
const pageOf = (key: string) => `http://127.0.0.1:${port}/u/${key}`;

const rows = await db.selectFrom('delivery').select(['id', 'mail_key']).orderBy('id').execute();
const links = rows.map(({ id, mail_key }) => ({ id, key: mail_key?.replaceAll('-', '') ?? '' }));

const opened: number[] = [];
for (const { key } of links.slice(0, 1000)) {
  const begun = performance.now();
  await (await fetch(pageOf(key))).text();
  opened.push(performance.now() - begun);
}
const { rows: stored } = await sql`SELECT FROM suppression`.execute(db);

const programs = await startWorkers(scene, sink, {
  workers: Number(values.workers),
  connections: Number(values.connections),
});
while (sink.count() === 0) await sleep(10);
const answered: { readonly id: number; readonly at: number; readonly took: number }[] = [];
// From the end of the run, where most mails are still queued.
for (const { id, key } of links.toReversed().slice(0, refusals)) {
  const begun = performance.now();
  const response = await fetch(pageOf(key), { method: 'POST', body: 'List-Unsubscribe=One-Click' });
  await response.text();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  answered.push({ id, at: Date.now(), took: performance.now() - begun });
}
const waiting = () =>
  sql<{ open: number }>`SELECT count(*)::integer AS open FROM delivery WHERE state IN ('queued', 'claimed', 'sending')`
    .execute(db)
    .then(({ rows: [row] }) => row?.open ?? 0);
while ((await waiting()) > 0) await sleep(200);
await stopWorkers([...programs, web]);
await sink.stop();
const marks = new Map(
  (await sql<{ id: number; at: Date }>`SELECT delivery_id AS id, at FROM bench_mark`.execute(db)).rows.map(
    ({ id, at }) => [id, at.getTime()],
  ),
);
const late = answered.filter(({ id, at }) => (marks.get(id) ?? 0) > at);
const begun = answered.filter(({ id }) => marks.has(id));
await scene.close();

const shown = (times: readonly number[]) => [0.5, 0.95, 0.99].map((share) => ms(percentile(times, share))).join(' | ');
print(
  '| | requests | p50, ms | p95 | p99 | stored | begun before the answer | after it |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
  `| GET of a link | ${opened.length} | ${shown(opened)} | ${stored.length} | | |`,
  `| POST during the run | ${answered.length} | ${shown(answered.map(({ took }) => took))} | ${answered.length} | ${begun.length} | ${late.length} |`,
);
