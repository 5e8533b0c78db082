import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { readTimeline } from '#server/features/companies/timeline.queries.ts';
import { claimDeliveries } from '#server/features/delivery/claim/claim.queries.ts';
import { viewProspects } from '#server/features/prospects/prospects.queries.ts';
import { readReport } from '#server/features/reports/read-report.ts';
import { rebuildSums } from '#server/features/reports/report-sums.command.ts';
import { blankBatch } from '#server/features/retention/blank.command.ts';
import { viewSendLogs } from '#server/features/send-logs/run-list.queries.ts';
import { viewDeliveries } from '#server/features/send-logs/run-mails.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { median, ms, print } from './figures.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';
import type { ProspectListData } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';

/**
 * Measures what grows with the data: lists, preview, claim, history, reports and retention, beside one scan.
 * `npm run bench -- scale [--sizes 30000,300000] [--rounds 7] [--keep postgres://…]`. Sizes are companies of one
 * account (multiples of 10,000); each has three mails. 3,000,000 companies with 9,000,000 mails need about 15 GB.
 * CPU is that of PostgreSQL's processes, with autovacuum off, because wall time depends on other work. It lacks
 * parallel workers that have ended, so parallel queries are off.
 * Claimed mails are those of a test: the cost of a claim without the checks of its companies.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '30000,300000' },
    rounds: { type: 'string', default: '7' },
    keep: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const WORKER = '00000000-0000-4000-8000-00000000000a';
const CLAIMED = 100;

type Step = () => Promise<unknown>;
interface Figures {
  readonly cpu: number;
  readonly wall: number;
}

const bySize = new Map<number, Map<string, Figures>>();
await onListDatabases(values.sizes.split(','), values.keep, async (url, size, data) => {
  const owner = openDatabase(url);
  const [api, service] = [openAs('api', url, 1), openAs('service', url, 1)];
  try {
    for (const setting of ['autovacuum = off', 'max_parallel_workers_per_gather = 0']) {
      await sql`${sql.raw(`ALTER SYSTEM SET ${setting}`)}`.execute(owner.db);
    }
    await sql`SELECT pg_reload_conf()`.execute(owner.db);
    await rebuildSums(service.db);
    await sql`UPDATE send_log SET ended_at = sent_at WHERE ended_at IS NULL`.execute(owner.db);
    bySize.set(size, await measureAll(owner, { api, service }, data));
  } finally {
    for (const opened of [owner, api, service]) await opened.close();
  }
});
report();

async function measureAll(
  { db }: Database,
  { api, service }: { api: Database; service: Database },
  { accountId, yearGroup, weekGroup }: ProspectListData,
): Promise<Map<string, Figures>> {
  const { rows: backends } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
  const postmaster = postmasterOf(backends[0]?.pid ?? 0);
  const cpu = (): number => 1000 * [...cpuByProcess(postmaster).values()].reduce((sum, seconds) => sum + seconds, 0);
  const account = accountDbOf(api.db)(accountId, null);
  const { rows: runs } = await sql<{ id: number; prospect: number; sender: number }>`
    SELECT send_log_id AS id, prospect_id AS prospect, sender_id AS sender FROM delivery
    WHERE account_id = ${accountId} AND sender_group_id = ${yearGroup} ORDER BY id LIMIT 1`.execute(db);
  const { id: run, prospect, sender } = runs[0] ?? { id: 0, prospect: 0, sender: 0 };
  const page = { pagenate_count: 50, pagenate_num: 1 } as const;
  const list = (filter: object, sort: object) => () =>
    viewProspects(account, weekGroup, {
      filter,
      status: undefined,
      reservations: { senderId: undefined, reservationId: undefined },
      sort,
      offset: 0,
      limit: 50,
    } as never);
  const settings = { filter: {}, sort: {}, daysFromLastday: 30, followUpOf: undefined, limit: 50 };
  const to = dayOf(Date.now());
  /** Makes mails of the oldest run due again before each claim. */
  const requeue = () =>
    sql`
    UPDATE delivery SET state = 'queued', lease_until = NULL, worker_id = NULL, finished_at = NULL,
      not_before = now(), shares_address = true,
      test_send_mode = true
    WHERE account_id = ${accountId} AND send_log_id = ${run}`.execute(db);
  const steps: readonly (readonly [string, Step, Step?])[] = [
    [
      'one scan of the companies',
      () =>
        sql`SELECT count(*) FROM prospect_search WHERE account_id = ${accountId} AND name_search LIKE '%x%y%'`.execute(
          db,
        ),
    ],
    ['list, first page', list({}, {})],
    ['list, a region by sales', list({ address: '東京都' }, { sort: 'amount_of_sales', order: 'desc' })],
    ['preview of all', () => previewAttackList(account, weekGroup, settings, Date.now())],
    ['history, first page', () => viewSendLogs(account, page, Date.now())],
    ['mails of a run', () => viewDeliveries(account, run, page)],
    ['history of a company', () => readTimeline(account, prospect, { limit: 50, offset: 0 })],
    ['report of a year', () => readReport(account, { from: addDays(to, -365), to }, Date.now())],
    [`claim of ${CLAIMED}`, () => claimDeliveries(service.db, WORKER, { connections: 20, rows: CLAIMED }), requeue],
    ['retention of 1,000', () => blankBatch(service.db)],
  ];
  await sql`
    UPDATE send_log SET test_send_mode = true WHERE account_id = ${accountId} AND id = ${run}`.execute(db);
  await sql`
    INSERT INTO sender_throttle (account_id, profile_id)
    SELECT account_id, profile_id FROM sender WHERE account_id = ${accountId} AND id = ${sender}
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`INSERT INTO mail_retention (account_id, months) VALUES (${accountId}, 6)
    ON CONFLICT DO NOTHING`.execute(db);
  const figures = new Map<string, Figures>();
  for (const [name, step, before] of steps) figures.set(name, await measure(step, before, cpu));
  return figures;
}

/** Runs a step once to warm it up, then in rounds. @returns ms per run */
async function measure(step: Step, before: Step | undefined, cpu: () => number): Promise<Figures> {
  const walls: number[] = [];
  let used = 0;
  for (let round = 0; round <= rounds; round += 1) {
    await before?.();
    const [cpuBefore, begun] = [cpu(), performance.now()];
    await step();
    if (round === 0) continue;
    walls.push(performance.now() - begun);
    used += cpu() - cpuBefore;
  }
  return { cpu: used / rounds, wall: median(walls) };
}

function report(): void {
  const sizes = [...bySize.keys()];
  print(`| ms of CPU (wall) | ${sizes.map((size) => `${size} companies`).join(' | ')} | growth |`);
  print(`| --- | ${sizes.map(() => '---').join(' | ')} | --- |`);
  for (const name of bySize.get(sizes[0] ?? 0)?.keys() ?? []) {
    const all = sizes.map((size) => bySize.get(size)?.get(name) ?? { cpu: Number.NaN, wall: Number.NaN });
    const [first, last] = [all[0]?.cpu ?? 0, all.at(-1)?.cpu ?? 0];
    print(
      `| ${name} | ${all.map(({ cpu, wall }) => `${ms(cpu)} (${ms(wall)})`).join(' | ')} | × ${(last / first).toFixed(1)} |`,
    );
  }
}
