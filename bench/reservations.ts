import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { viewReservations as viewCall } from '#contract/sending/reservations-page.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { viewCalendar } from '#server/features/reservations/calendar.queries.ts';
import { viewReservations } from '#server/features/reservations/reservation-page.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addManyProspects, addSender, addTenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';

/**
 * Measures the SQL of the page of reservations and of the calendar (design: 100 ms; a month of 5,000: 300 ms).
 * `npm run bench -- reservations [--reservations 10000] [--targets 20] [--rounds 15]`. The account's reservations
 * belong to 50 senders and are spread evenly over 60 days. A tenth of them are sent; the mails of every tenth of these
 * wait for the next day.
 */
const { values } = parseArgs({
  options: {
    reservations: { type: 'string', default: '10000' },
    targets: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '15' },
  },
});
const [count, targets, rounds] = [values.reservations, values.targets, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const SENDERS = 50;

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const { db } = owner;
const api = openAs('api', postgres.url);
const tenant = await addTenant(db);
const senders = await Array.fromAsync({ length: SENDERS }, () => addSender(db, tenant));
await addManyProspects(db, tenant.accountId, count * targets);
await sql`
  INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode, is_sent)
  SELECT ${tenant.accountId}, (${senders}::bigint[])[1 + n % ${SENDERS}], ${tenant.senderGroupId},
    date_trunc('day', now()) + n * interval '60 days' / ${count}::integer, false, n % 10 = 0
  FROM generate_series(1, ${count}::integer) AS n`.execute(db);
await sql`
  INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, row_index,
    pending)
  SELECT account_id, reservation.id, prospect.id, sender_group_id, false, 0, NOT is_sent
  FROM reservation JOIN prospect USING (account_id)
  WHERE (prospect.id - 1) % ${count}::integer = reservation.id - 1`.execute(db);
await sql`
  WITH run AS (
    INSERT INTO send_log (account_id, sender_group_id, sender_id, reservation_id, test_send_mode, days_from_lastday,
      mail, targets)
    SELECT account_id, sender_group_id, sender_id, id, false, days_from_lastday, '{}', ${targets}::integer
    FROM reservation WHERE is_sent AND id % 100 = 0 RETURNING *
  )
  INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
    row_index, mail_to, company_name, person_in_charge, message_id, mail_date, not_before, put_off)
  SELECT run.account_id, run.id, run.sender_group_id, run.sender_id, sender.profile_id, prospect.id, false, 0,
    company_email, company_name, '', '<' || gen_random_uuid() || '@example.com>', now(), now() + interval '1 day',
    'limit'
  FROM run
  JOIN sender ON sender.account_id = run.account_id AND sender.id = run.sender_id
  JOIN reservation_target target ON target.account_id = run.account_id AND target.reservation_id = run.reservation_id
  JOIN prospect ON prospect.account_id = run.account_id AND prospect.id = target.prospect_id`.execute(db);
await sql`VACUUM ANALYZE`.execute(db);

const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
const now = Date.now();
const day = (offset: number) => dayOf(now + offset * DAY_MS);

const view = (query: object) => viewReservations(account, viewCall.query.parse(query), now);
const first = await view({});
const lastPage = String(Math.ceil(first.total / first.rows.length));
const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  'the page, by time': () => view({}),
  'the page, 200 rows': () => view({ pagenate_count: '200' }),
  'the page, by state, last page': () => view({ sort: 'state', order: 'desc', pagenate_num: lastPage }),
  'the page, by companies': () => view({ sort: 'targets' }),
  'the page, one company searched': () => view({ search: '会社 77' }),
  'the count in the navigation': () => view({ state: 'pending', test_send_mode: '0', pagenate_count: '20' }),
  'the calendar, a month': () => viewCalendar(account, { from: day(1), to: day(31), sender_group_id: undefined }, now),
  'the calendar, 62 days': () => viewCalendar(account, { from: day(0), to: day(61), sender_group_id: undefined }, now),
};
print(
  `| of ${count.toLocaleString('en')} reservations, load ${loadavg()[0]?.toFixed(0)} | median | longest |`,
  '| --- | --- | --- |',
);
for (const [name, work] of Object.entries(cases)) {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round += 1) {
    const begun = performance.now();
    await work();
    if (round >= 2) times.push(performance.now() - begun);
  }
  print(`| ${name} | ${ms(median(times))} | ${ms(Math.max(...times))} |`);
}
await api.close();
await owner.close();
await postgres.stop();
