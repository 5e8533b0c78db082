import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { pino } from 'pino';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { openDatabase, openListeningClient } from '#server/platform/database/db.ts';
import { listenForWork } from '#server/platform/work-signal.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { print } from './figures.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';

/**
 * Measures what idle workers cost the database: CPU and transactions of PostgreSQL while the queue is empty.
 * `npm run bench -- idle [--workers 50] [--senders 10,10000] [--seconds 60] [--settle 20]`. PostgreSQL processes that
 * end meanwhile are not counted. The workers are those of `kaitaku worker`, each with its own connections, but in one
 * process. Each row of the table adds senders to the same database. `--listen no`: the database cannot announce work,
 * so the workers poll. `--held 0,10000`: in each row this many senders have a mail that is held until the group's
 * hours of tomorrow.
 */
const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '50' },
    senders: { type: 'string', default: '10,10000' },
    seconds: { type: 'string', default: '60' },
    settle: { type: 'string', default: '20' },
    listen: { type: 'string', default: 'yes' },
    held: { type: 'string', default: '' },
  },
});
const workers = Number(values.workers);

const postgres = await startOwnPostgres();
const url = new URL(postgres.url);
const first = openDatabase(url.href);
// Each worker has its own connections.
await first.pool.query(`ALTER SYSTEM SET max_connections = ${100 + 12 * workers}`);
await first.close();
url.port = String(await postgres.crash());
const { db, close } = openDatabase(url.href);

const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
const postmaster = postmasterOf(rows[0]?.pid ?? 0);

async function transactions(): Promise<number> {
  await sql`SELECT pg_stat_clear_snapshot()`.execute(db);
  const counted = await sql<{ count: number }>`
    SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()`.execute(db);
  return counted.rows[0]?.count ?? 0;
}

async function addSenders(count: number): Promise<void> {
  const { accountId, senderId } = await addTenant(db);
  await sql`
    INSERT INTO sender_throttle (account_id, profile_id)
    SELECT account_id, profile_id FROM sender WHERE account_id = ${accountId} AND id = ${senderId}
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`
    WITH profile AS (
      INSERT INTO sender_profile (account_id, sender_group_id, person_in_charge, email)
      SELECT account_id, sender_group_id, person_in_charge, email
      FROM sender_profile CROSS JOIN generate_series(2, ${count}::integer)
      WHERE account_id = ${accountId}
      RETURNING id
    ), added AS (
      INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, subject)
      SELECT account_id, sender_group_id, profile.id, template_id, subject
      FROM sender CROSS JOIN profile
      WHERE account_id = ${accountId} AND sender.id = ${senderId}
      RETURNING account_id, profile_id
    )
    INSERT INTO sender_throttle (account_id, profile_id) SELECT account_id, profile_id FROM added`.execute(db);
}

/**
 * Gives each of the first `count` senders of the largest group a mail that waits for the group's hours.
 * @returns the number of senders, because the group may have fewer
 */
async function holdMails(count: number): Promise<number> {
  const { rows: groups } = await sql<{ accountId: number; senderGroupId: number; senderId: number }>`
    SELECT account_id AS "accountId", sender_group_id AS "senderGroupId", min(id) AS "senderId" FROM sender
    GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 1`.execute(db);
  const [group] = groups;
  if (!group || count === 0) return 0;
  const { accountId, senderGroupId, senderId } = group;
  await addManyProspects(db, accountId, count);
  await sql`
    INSERT INTO business_hours (account_id, sender_group_id, periods, outside)
    VALUES (${accountId}, ${senderGroupId}, '[{"weekday": 1, "opens": 480, "closes": 1260}]', 'hold')
    ON CONFLICT DO NOTHING`.execute(db);
  const { numAffectedRows } = await sql`
    WITH run AS (
      INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail)
      VALUES (${accountId}, ${senderGroupId}, ${senderId}, false, 7, '{}') RETURNING id
    ), company AS (
      SELECT id, row_number() OVER (ORDER BY id) AS n FROM prospect WHERE account_id = ${accountId}
    ), held AS (
      SELECT id, profile_id, row_number() OVER (ORDER BY id) AS n FROM sender WHERE account_id = ${accountId}
    )
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
      row_index, mail_to, company_name, person_in_charge, message_id, mail_date, state, not_before, put_off)
    SELECT ${accountId}, run.id, ${senderGroupId}, held.id, held.profile_id, company.id, false, held.n,
      'info' || held.n || '@held.example', '会社', '', '<' || held.n || '@held.example>', now(), 'queued',
      now() + interval '1 day', 'hours'
    FROM run, held JOIN company USING (n)`.execute(db);
  return Number(numAffectedRows);
}

/** Starts a worker. @returns a function that stops it */
function startWorker(): () => Promise<void> {
  const database = openAs('service', url.href);
  const log = pino({ level: 'warn' });
  const nobody = { host: '127.0.0.1', port: 1, secure: false, requireTls: false, credentials: null };
  const openClient = () => openListeningClient(url.href);
  const workSignal = values.listen === 'no' ? undefined : listenForWork({ openClient, db: database.db, log });
  const parts = { db: database.db, now: Date.now, log, workSignal };
  const worker = startDeliveryWorker({ ...parts, transport: smtpTransport(nobody), connections: 4 });
  const stopScheduler = startReservationScheduler({ ...parts, ...TEST_MAILING });
  return async () => {
    await Promise.all([worker.stop(), stopScheduler(), workSignal?.close()]);
    await database.close();
  };
}

const running = Array.from({ length: workers }, startWorker);
print(
  '| senders | with held mail | idle workers | CPU of PostgreSQL, ms a second | transactions a second | of the first row |',
  '| --- | --- | --- | --- | --- | --- |',
);
let known = 0;
let held = 0;
let cheapest: number | null = null;
for (const [row, senders] of values.senders.split(',').map(Number).entries()) {
  if (senders > known) await addSenders(senders - known);
  known = senders;
  const holding = Number(values.held.split(',')[row] ?? 0);
  if (holding > held) held += await holdMails(holding - held);
  await sql`VACUUM ANALYZE`.execute(db);
  await sleep(Number(values.settle) * 1000);
  const [before, begun] = [cpuByProcess(postmaster), await transactions()];
  await sleep(Number(values.seconds) * 1000);
  const [after, ended] = [cpuByProcess(postmaster), await transactions()];
  const used = [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
  const cost = (1000 * used) / Number(values.seconds);
  cheapest ??= cost;
  const rate = (ended - begun) / Number(values.seconds);
  print(
    `| ${senders} | ${held} | ${workers} | ${cost.toFixed(1)} | ${rate.toFixed(0)} | ${(cost / cheapest).toFixed(2)} |`,
  );
}
for (const stop of running) await stop();
await close();
await postgres.stop();
