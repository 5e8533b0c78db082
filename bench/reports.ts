import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { readReport } from '#server/features/reports/read-report.ts';
import { foldChanges, rebuildSums } from '#server/features/reports/report-sums.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';

/**
 * Measures reports, the fold and the rebuild of their sums, and what the sums cost the sending path.
 * `npm run bench -- reports [--mails 3000000] [--rounds 7] [--unfolded 30000]`. The mails went out over a year in runs
 * of a thousand, by three groups with three templates each, to companies of 60 industries, each over the hours 8 to
 * 20: almost the maximum number of sums.
 * CPU is that of PostgreSQL's processes without autovacuum, because wall time depends on other work. The cost of a
 * mail is that of its three writes (claim, mark, end) in batches, with and without the trigger, in interleaved rounds.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '3000000' },
    rounds: { type: 'string', default: '7' },
    unfolded: { type: 'string', default: '30000' },
  },
});
const [mails, rounds, unfolded] = [values.mails, values.rounds, values.unfolded].map(Number) as [
  number,
  number,
  number,
];
const RUN = 1000;
const INDUSTRIES = 60;

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const { db } = owner;
const service = openAs('service', postgres.url);
const api = openAs('api', postgres.url);

const tenant = await addTenant(db);
await addManyProspects(db, tenant.accountId, 20 * RUN);
await sql`
  INSERT INTO industry (account_id, name_search, name)
  SELECT ${tenant.accountId}, '業種' || n, '業種' || n FROM generate_series(1, ${INDUSTRIES}::integer) AS n`.execute(
  db,
);
await addSenders(db, tenant);
await fill(20 * RUN);

const { rows: backends } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
const postmaster = postmasterOf(backends[0]?.pid ?? 0);
/** Returns the CPU that PostgreSQL has used, in ms. */
const cpu = (): number => 1000 * [...cpuByProcess(postmaster).values()].reduce((sum, seconds) => sum + seconds, 0);

await sql`ALTER SYSTEM SET autovacuum = off`.execute(db);
await sql`SELECT pg_reload_conf()`.execute(db);

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

print('| mails a batch | without sums, µs of CPU a mail | with sums | difference |', '| --- | --- | --- | --- |');
for (const batch of [1, 10, 50]) {
  const times = { ENABLE: [] as number[], DISABLE: [] as number[] };
  for (let round = 0; round < 2 * rounds; round += 1) {
    const way = round % 2 === 0 ? 'DISABLE' : 'ENABLE';
    await sql`${sql.raw(`ALTER TABLE delivery ${way} TRIGGER count_results`)}`.execute(db);
    times[way].push(await costOfMail(service.db, batch));
  }
  const [without, by] = [median(times.DISABLE), median(times.ENABLE)];
  print(`| ${batch} | ${without.toFixed(0)} | ${by.toFixed(0)} | ${(by - without).toFixed(0)} |`);
}

/** Reports do not read the mails: without these indexes adding them takes a fraction of the time. */
await sql`
  DROP INDEX delivery_address_idx, delivery_finished_idx, delivery_message_idx, delivery_mail_key_idx,
    delivery_prospect_idx`.execute(db);
await fill(mails - 20 * RUN);
const rebuilt = await timed(() => rebuildSums(service.db));
await sql`VACUUM ANALYZE report_hour, report_industry`.execute(db);
const { rows: sizes } = await sql<{ hours: number; industries: number }>`
  SELECT (SELECT count(*)::integer FROM report_hour) AS hours, (SELECT count(*)::integer FROM report_industry) AS industries
`.execute(db);
print(
  `${mails} mails, ${sizes[0]?.hours} sums by hour, ${sizes[0]?.industries} by industry and day; rebuilt in ${ms(rebuilt)} ms`,
);

const account = accountDbOf(api.db)(tenant.accountId, null);
const to = dayOf(Date.now());
async function measureReports(label: string): Promise<void> {
  for (const [name, days] of Object.entries({ month: 30, quarter: 90, 'half year': 182, year: 365 })) {
    const query = { from: addDays(to, -days), to };
    const times: number[] = [];
    const before = cpu();
    for (let round = 0; round < 5 * rounds; round += 1)
      times.push(await timed(() => readReport(account, query, Date.now())));
    print(
      `| ${label}, ${name} against the one before | ${ms((cpu() - before) / times.length)} | ${ms(median(times))} |`,
    );
  }
}
print('| report | CPU, ms | wall, ms |', '| --- | --- | --- |');
await measureReports('all folded');

/** Changes like those of a worker between two folds. */
await sql`
  UPDATE delivery SET finished_at = now() WHERE id IN (
    SELECT id FROM delivery WHERE account_id = ${tenant.accountId} ORDER BY id DESC LIMIT ${unfolded})`.execute(db);
const { rows: changed } = await sql<{ count: number }>`SELECT count(*)::integer AS count FROM report_change`.execute(
  db,
);
await measureReports(`${changed[0]?.count} changes unfolded`);
const beforeFold = cpu();
const folding = await timed(() => foldChanges(service.db));
print(`| a fold of them | ${ms(cpu() - beforeFold)} | ${ms(folding)} |`);

for (const opened of [owner, service, api]) await opened.close();
await postgres.stop();

/** Writes the three steps of mails in batches, each in its own transaction. @returns µs of CPU per mail */
async function costOfMail(of: Db, batch: number): Promise<number> {
  const batches = Math.ceil((batch === 1 ? 400 : 2000) / batch);
  let took = 0;
  for (let n = 0; n < batches; n += 1) {
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM delivery
      WHERE account_id = ${tenant.accountId} AND send_log_id = ${1 + (n % 20)} AND state = 'sent'
      ORDER BY random() LIMIT ${batch}`.execute(of);
    const ids = rows.map(({ id }) => id);
    const mine = sql`account_id = ${tenant.accountId} AND id = ANY (${ids}::bigint[])`;
    await sql`UPDATE delivery SET state = 'queued', finished_at = NULL WHERE ${mine}`.execute(db);
    const lease = sql`lease_until = now() + interval '10 seconds'`;
    const before = cpu();
    await sql`UPDATE delivery SET state = 'claimed', ${lease}, claim_no = claim_no + 1 WHERE ${mine}`.execute(of);
    await sql`UPDATE delivery SET state = 'sending', ${lease} WHERE ${mine}`.execute(of);
    await sql`
      UPDATE delivery SET state = 'sent', lease_until = NULL, finished_at = now(), smtp_reply = '250 OK' WHERE ${mine}
    `.execute(of);
    took += cpu() - before;
  }
  return (1000 * took) / (batches * batch);
}

/** Adds three groups with three senders each, and a template for each sender. */
async function addSenders(to: Db, first: Tenant): Promise<void> {
  for (let group = 0; group < 3; group += 1) {
    const senderGroupId = group === 0 ? first.senderGroupId : await addSenderGroup(to, first.accountId);
    for (let sender = group === 0 ? 1 : 0; sender < 3; sender += 1) await addSender(to, { ...first, senderGroupId });
  }
}

/** Adds mails in runs of a thousand, spread over the year. */
async function fill(count: number): Promise<void> {
  const runs = Math.ceil(count / RUN);
  await db.transaction().execute(async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx);
    await sql`
      WITH run AS (
        INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, template_id)
        SELECT account_id, sender_group_id, id, false, 7, '{}', template_id
        FROM generate_series(0, ${runs - 1}::integer) AS run
        JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS n FROM sender WHERE account_id = ${tenant.accountId})
          AS sender ON sender.n = run % 9
        RETURNING *
      )
      INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode, row_index,
        mail_to, company_name, person_in_charge, message_id, mail_date, state, attempts, finished_at, industry_id,
        replied, refused)
      SELECT run.account_id, run.id, run.sender_group_id, run.sender_id, sender.profile_id,
        first.id + (run.n * ${RUN} + row) % ${20 * RUN}, false, row, 'info' || row || '@example.com', '会社', '',
        '<' || gen_random_uuid() || '@example.com>', ended.at, CASE WHEN row % 50 = 49 THEN 'failed' ELSE 'sent' END, 1,
        ended.at, industry.id + (row * row / ${RUN}) % ${INDUSTRIES}, row % 70 = 0, row % 300 = 0
      FROM (SELECT *, row_number() OVER (ORDER BY id) - 1 AS n FROM run) AS run
      JOIN sender ON sender.account_id = run.account_id AND sender.id = run.sender_id
      CROSS JOIN generate_series(0, ${RUN - 1}) AS row
      CROSS JOIN LATERAL (
        SELECT date_trunc('day', now()) - interval '15 hours' - interval '1 day' * (run.n * 365 / ${runs})
          + interval '1 hour' * (8 + row % 13) + interval '3 seconds' * row AS at) AS ended
      CROSS JOIN (SELECT min(id) AS id FROM prospect WHERE account_id = ${tenant.accountId}) AS first
      CROSS JOIN (SELECT min(id) AS id FROM industry WHERE account_id = ${tenant.accountId}) AS industry`.execute(tx);
  });
  await sql`VACUUM ANALYZE delivery`.execute(db);
}
