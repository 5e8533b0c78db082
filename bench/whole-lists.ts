import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { listActiveProspects as activeCall, listProspects as prospectCall } from '#contract/companies/prospects.ts';
import { listReservations as reservationCall } from '#contract/sending/reservations.ts';
import { listSendLogs as logCall } from '#contract/sending/send-logs.ts';
import { listActiveProspects, listOwnProspects } from '#server/features/prospects/prospect-list.queries.ts';
import { listReservations } from '#server/features/reservations/reservation-list.queries.ts';
import { listSendLogs } from '#server/features/send-logs/run-list.queries.ts';
import { type AccountDb, accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import type { ListText } from '#server/platform/http/answers.ts';
import { Problem } from '#server/platform/problem.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import { longestTurn } from './longest-turn.ts';

/**
 * Measures the longest block of the event loop while a list is read without `limit`, at its limits of 10,000 rows and
 * 100,000 targets (design: 50 ms). `npm run bench -- whole-lists [--rounds 5]`. Each case has its own account.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

type List = (account: AccountDb) => Promise<ListText | Problem>;
const reservations: List = (account) => listReservations(account, reservationCall.query.parse({}));
const logs: List = (account) => listSendLogs(account, logCall.query.parse({}));

interface Case {
  readonly companies: number;
  readonly fill: (tenant: Tenant) => Promise<unknown>;
  readonly list: List;
}
const cases: Readonly<Record<string, Case>> = {
  '10,000 companies': {
    companies: 10_000,
    fill: async () => {},
    list: (account) => listOwnProspects(account, prospectCall.query.parse({})),
  },
  '10,000 settings of companies': {
    companies: 10_000,
    fill: addSettings,
    list: (account) => listActiveProspects(account, activeCall.query.parse({})),
  },
  '10,000 logs of 10 companies': { companies: 10, fill: (tenant) => addLogs(tenant, 10_000), list: logs },
  '100 logs of 1,000': { companies: 1000, fill: (tenant) => addLogs(tenant, 100), list: logs },
  '10,000 reservations of 10': { companies: 10, fill: (tenant) => addReservations(tenant, 10_000), list: reservations },
  '100 reservations of 1,000': { companies: 1000, fill: (tenant) => addReservations(tenant, 100), list: reservations },
  'one reservation of 100,000': {
    companies: 100_000,
    fill: (tenant) => addReservations(tenant, 1),
    list: reservations,
  },
};

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const { db } = owner;
const api = openAs('api', postgres.url);
print(
  `| load ${loadavg()[0]?.toFixed(0)} | median, ms | MB | longest turn, ms of CPU: median | of all rounds |`,
  `|${' --- |'.repeat(5)}`,
);
for (const [name, { companies, fill, list }] of Object.entries(cases)) {
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, companies);
  await fill(tenant);
  await sql`ANALYZE`.execute(db);
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  // The first read compiles the code.
  await read(account, list);
  const rounds: Awaited<ReturnType<typeof read>>[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) rounds.push(await read(account, list));
  const turns = rounds.map(({ turn }) => turn);
  const took = median(rounds.map(({ wall }) => wall));
  const size = (rounds[0]?.bytes ?? 0) / 1e6;
  print(`| ${name} | ${ms(took)} | ${size.toFixed(1)} | ${ms(median(turns))} | ${ms(Math.max(...turns))} |`);
}
await api.close();
await owner.close();
await postgres.stop();

async function read(account: AccountDb, list: List) {
  const begun = performance.now();
  let bytes = 0;
  const turn = await longestTurn(async () => {
    const answer = await list(account);
    if (answer instanceof Problem) throw new Error(answer.message);
    // Read as pieces of bytes, in the way the socket takes them.
    const { content } = answer;
    if (typeof content === 'string') bytes = Buffer.from(content).length;
    else for await (const piece of content) bytes += (piece as Buffer).length;
  });
  return { wall: performance.now() - begun, bytes, turn };
}

function addSettings({ accountId, senderGroupId }: Tenant) {
  return sql`
    INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, active, remarks)
    SELECT account_id, ${senderGroupId}, id, true, repeat('備考', 20) FROM prospect WHERE account_id = ${accountId}
  `.execute(db);
}

function addLogs({ accountId, senderGroupId }: Tenant, count: number) {
  return sql`
    WITH added AS (
      INSERT INTO send_log (account_id, sender_group_id, test_send_mode, days_from_lastday, mail)
      SELECT ${accountId}, ${senderGroupId}, false, 7, '{}' FROM generate_series(1, ${count}::integer) RETURNING *
    )
    INSERT INTO recorded_contact (account_id, send_log_id, prospect_id)
    SELECT account_id, added.id, prospect.id FROM added JOIN prospect USING (account_id)`.execute(db);
}

function addReservations({ accountId, senderGroupId, senderId }: Tenant, count: number) {
  return sql`
    WITH added AS (
      INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode, active)
      SELECT ${accountId}, ${senderId}, ${senderGroupId}, now() + n * interval '1 hour', false, false
      FROM generate_series(1, ${count}::integer) AS n RETURNING *
    )
    INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, pending)
    SELECT account_id, added.id, prospect.id, sender_group_id, false, false
    FROM added JOIN prospect USING (account_id)`.execute(db);
}
