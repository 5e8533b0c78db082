import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { percentile, print } from './figures.ts';
import { openScene, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Measures the delay of a reservation's first mail.
 * `npm run bench -- sending-due [--reservations 200] [--targets 20] [--accounts 5] [--seconds 60] [--workers 2]
 * [--connections 10]`. The times are spread over `--seconds`. A trigger of the benchmark records the mark of each
 * mail, which is committed before any byte of its body is sent; both times are from the database's clock.
 */
const { values } = parseArgs({
  options: {
    reservations: { type: 'string', default: '200' },
    targets: { type: 'string', default: '20' },
    accounts: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    workers: { type: 'string', default: '2' },
    connections: { type: 'string', default: '10' },
  },
});
const [reservations, targets, accounts, seconds] = [
  values.reservations,
  values.targets,
  values.accounts,
  values.seconds,
].map(Number) as [number, number, number, number];

const scene = await openScene();
const { db } = scene;
await sql`CREATE TABLE bench_mark (reservation_id bigint, late double precision)`.execute(db);
await sql`
  CREATE FUNCTION bench_mark() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO bench_mark
    SELECT r.id, extract(epoch FROM clock_timestamp() - r.send_at) FROM send_log l
    JOIN reservation r ON r.account_id = l.account_id AND r.id = l.reservation_id
    WHERE l.account_id = NEW.account_id AND l.id = NEW.send_log_id;
    RETURN NULL;
  END $$`.execute(db);
await sql`
  CREATE TRIGGER bench_mark AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'sending' AND OLD.state = 'claimed') EXECUTE FUNCTION bench_mark()`.execute(db);

const sink = await startSinkProcess();
const options = { workers: Number(values.workers), connections: Number(values.connections) };
const programs = await startWorkers(scene, sink, options);
const own = Math.ceil(reservations / accounts);
// Leaves time to write all reservations before the first one is due.
const start = Date.now() + 5000 + reservations * targets * 2;
for (let account = 0; account < accounts; account += 1) {
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, own * targets);
  const companies = await db
    .selectFrom('prospect')
    .select('id')
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  for (let n = 0; n < own && n * accounts + account < reservations; n += 1) {
    const ids = companies.slice(n * targets, (n + 1) * targets).map(({ id }) => id);
    const sendAt = new Date(start + ((n * accounts + account) * seconds * 1000) / reservations);
    await addReservation(db, tenant, ids, { sendAt });
  }
}
if (Date.now() > start) throw new Error('the reservations were not written in time: take fewer');
while (sink.count() < reservations * targets) await sleep(200);
await stopWorkers(programs);
await sink.stop();

const { rows } = await sql<{ first: number }>`
  SELECT min(late) AS first FROM bench_mark GROUP BY reservation_id`.execute(db);
const late = rows.map(({ first }) => first);
await scene.close();
const shown = (value: number) => value.toFixed(2);
print(
  '| reservations | of targets | within, s | workers | first mail after its time, s: earliest | p50 | p95 | max |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
  `| ${late.length} | ${targets} | ${seconds} | ${values.workers} | ${[0, 0.5, 0.95, 1].map((share) => shown(percentile(late, share))).join(' | ')} |`,
);
