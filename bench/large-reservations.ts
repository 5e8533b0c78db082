import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { viewReservationTargets as targetsCall } from '#contract/sending/reservations-page.ts';
import { startReservation } from '#server/features/reservations/due.command.ts';
import { viewTargets } from '#server/features/reservations/reservation-page.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import { longestTurn } from './longest-turn.ts';

/**
 * Measures the longest block of the event loop by a large reservation (bar: 50 ms): its page of targets, and its
 * start. `npm run bench -- large-reservations [--sizes 1000,4096,10000,30000] [--rounds 7]`. Each company has its own
 * address, five to a domain; the account permits three per domain.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,4096,10000,30000' },
    rounds: { type: 'string', default: '7' },
  },
});
const rounds = Number(values.rounds);

const postgres = await startOwnPostgres();
const owner = openDatabase(postgres.url);
const { db } = owner;
const api = openAs('api', postgres.url);
const service = openAs('service', postgres.url);

/** Runs `work` several times, and prints its median time and the longest event loop turns. */
async function measure(name: string, work: () => Promise<unknown>, times = rounds): Promise<void> {
  const [took, blocks]: [number[], number[]] = [[], []];
  for (let round = 0; round < times; round += 1) {
    const begun = performance.now();
    blocks.push(await longestTurn(work));
    took.push(performance.now() - begun);
  }
  print(`| ${name} | ${ms(median(took))} | ${ms(median(blocks))} | ${ms(Math.max(...blocks))} |`);
}

print(
  `| load ${loadavg()[0]?.toFixed(0)}, milliseconds | median | longest block, median | longest block |`,
  '| --- | --- | --- | --- |',
);
for (const size of values.sizes.split(',').map(Number)) {
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, size, 1, {
    email: sql`'n' || n || '@d' || n % ${Math.ceil(size / 5)}::integer || '.jp'`,
  });
  await db.insertInto('account_rule').values({ account_id: tenant.accountId, per_domain: 3 }).execute();
  const account = accountDbOf(api.db)(tenant.accountId, tenant.memberId);
  const reserve = async (test: boolean) => {
    const id = await addReservation(db, tenant, [], { sendAt: new Date(), test });
    await sql`
      INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode,
        row_index, mail_to)
      SELECT account_id, ${id}, id, ${tenant.senderGroupId}, ${test}, row_number() OVER (ORDER BY id) - 1,
        ${test ? 'test+[n]@example.com' : null}
      FROM prospect WHERE account_id = ${tenant.accountId}`.execute(db);
    return id;
  };
  const id = await reserve(false);
  await sql`ANALYZE`.execute(db);
  const named = `${size.toLocaleString('en')} companies`;
  const view = (query: object) => viewTargets(account, id, targetsCall.query.parse(query), Date.now());
  await measure(`${named}: targets, first page`, () => view({}));
  await measure(`${named}: targets, last page`, () => view({ pagenate_num: String(Math.ceil(size / 50)) }));
  await measure(`${named}: targets, searched`, () => view({ search: '会社 77' }));
  const start = (due: number) =>
    startReservation(service.db, { accountId: tenant.accountId, id: due }, Date.now(), TEST_MAILING);
  for (const [kind, due] of [
    ['test', await reserve(true)],
    ['real', id],
  ] as const) {
    await measure(`${named}: start of a ${kind} one`, () => start(due), 1);
  }
}
await service.close();
await api.close();
await owner.close();
await postgres.stop();
