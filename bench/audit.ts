import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { viewAudit as viewCall } from '#contract/account/audit.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { deleteOldEvents } from '#server/features/audit/old-events.command.ts';
import { readAllAudit, viewAudit } from '#server/features/audit/view.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';

/**
 * Measures pages of the audit, and how its old events are deleted.
 * `npm run bench -- audit [--events 1000000] [--rounds 15]`. One account has all events within a year, by twenty
 * members; one event of 100,000 is of another kind or member. The bar of a page is 100 ms.
 */
const { values } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '15' } },
});
const events = Number(values.events);

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const api = openAs('api', postgres.url);
const service = openAs('service', postgres.url);
const { db } = owner;
const { accountId, memberId } = await addTenant(db);
await addManyProspects(db, accountId, 1000);
await sql`
  INSERT INTO member (account_id, email, name, password_hash, role)
  SELECT ${accountId}, 'm' || n || '@example.com', '利用者' || n, 'none', 'sales' FROM generate_series(1, 20) AS n`.execute(
  db,
);
const { rows: members } = await sql<{ id: number }>`SELECT id FROM member ORDER BY id`.execute(db);
const rare = members.at(-1)?.id ?? 0;
await sql`
  INSERT INTO audit_event (account_id, member_id, kind, detail, at)
  SELECT ${accountId},
    CASE WHEN n % 100000 = 0 THEN ${rare} ELSE (${members.map(({ id }) => id)}::bigint[])[1 + n % 20] END,
    CASE WHEN n % 100000 = 0 THEN 'two_factor_off'
      ELSE (ARRAY['company_changed', 'run_accepted', 'template_changed', 'reservation_made', 'logged_in'])[1 + n % 5] END,
    CASE n % 5
      WHEN 0 THEN jsonb_build_object('prospect_id', 1 + n % 1000)
      WHEN 1 THEN jsonb_build_object('send_log_id', n, 'mails', 100, 'is_test', false)
      WHEN 2 THEN jsonb_build_object('template_id', n % 500)
      WHEN 3 THEN jsonb_build_object('reservation_id', n, 'targets', 50, 'is_test', false)
      ELSE jsonb_build_object('network', '203.0.113.0/24', 'way', 'password') END,
    now() - interval '364 days' * (1 - n / ${events}::float)
  FROM generate_series(1, ${events}::integer) AS n`.execute(db);
await sql`VACUUM ANALYZE`.execute(db);

const account = accountDbOf(api.db)(accountId, memberId);
const today = dayOf(Date.now());
const year = { from: addDays(today, -365), to: today };
const cases: Readonly<Record<string, object>> = {
  'a year, first page': year,
  'a year, last page that is reached': { ...year, pagenate_num: 200 },
  '30 days, first page': { from: addDays(today, -29), to: today },
  'a year, one of twenty members': { ...year, member: members[3]?.id },
  'a year, a member with ten events': { ...year, kinds: 'log_in', member: rare },
  'a year, log-ins (a fifth)': { ...year, kinds: 'log_in' },
  'a year, kinds without an event': { ...year, kinds: 'rules,data' },
  'a year, one company': { ...year, subject: 'company:7' },
};
print('| page of 50 | events counted | median, ms | slowest |', '| --- | --- | --- | --- |');
for (const [name, given] of Object.entries(cases)) {
  const query = viewCall.query.parse(given);
  const times: number[] = [];
  let counted = 0;
  // The first reads load the cache.
  for (let round = -2; round < Number(values.rounds); round += 1) {
    const begun = performance.now();
    ({ total: counted } = await viewAudit(account, query, Date.now()));
    if (round >= 0) times.push(performance.now() - begun);
  }
  print(`| ${name} | ${counted.toLocaleString('en-US')} | ${ms(median(times))} | ${ms(Math.max(...times))} |`);
}

const { kinds: _, ...all } = viewCall.query.parse(year);
const begun = performance.now();
let read = 0;
await readAllAudit(account, all, Date.now(), async (rows) => {
  read += rows.length;
  return undefined;
});
print('', `Exported without the file: ${read} events in ${ms((performance.now() - begun) / 1000)} s.`);

await sql`UPDATE audit_event SET at = at - interval '5 years' WHERE at < now() - interval '330 days'`.execute(db);
const batches: number[] = [];
for (let isMore = true; isMore; ) {
  const start = performance.now();
  isMore = (await deleteOldEvents(service.db)) !== undefined;
  batches.push(performance.now() - start);
}
print(
  `Deleted in ${batches.length} batches: median ${ms(median(batches))} ms, slowest ${ms(Math.max(...batches))} ms.`,
);
await service.close();
await api.close();
await owner.close();
await postgres.stop();
