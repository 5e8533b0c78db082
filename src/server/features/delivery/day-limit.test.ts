import { beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseClock } from '#test/clock.ts';
import { createTestDatabase, empty, type TestDatabase } from '#test/db.ts';
import { addSender, addTenant, addTextOf, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, eventually, finishDeliveries, testSink, testWorker, WORKER_A } from '#test/sending.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { updateLimit } from '../sending-rules/limits.command.ts';

/** How many mails of a profile, and of an account, leave in a day in Tokyo. */

const tokyo = (text: string) => Date.parse(`${text}+09:00`);

let database: TestDatabase;
let tenant: Tenant;
let profile_id: number;
let now: number;
let setDatabaseClock: (instant: number) => Promise<void>;

const goTo = async (text: string) => {
  now = tokyo(text);
  await setDatabaseClock(now);
};

beforeAll(async () => {
  database = await createTestDatabase();
  setDatabaseClock = await databaseClock(database, { stands: true });
  return () => database.drop();
});

beforeEach(async () => {
  await empty(database);
  // A Friday.
  await goTo('2026-11-20T20:00:00');
  tenant = await addTenant(database.db);
  profile_id = await profileOf(database.db, tenant.senderId);
});

const setLimit = (update_info: Parameters<typeof updateLimit>[2]['update_info']) =>
  updateLimit({ ...database.account(tenant.accountId), memberId: tenant.memberId }, profile_id, { update_info });

/** Accepts a run; the defaults of columns read the true clock. */
async function accept(count: number, { of = tenant, test: isTest = false } = {}) {
  const run = await acceptRun(database, of, count, { now, test: isTest });
  const at = new Date(now);
  await database.db
    .updateTable('delivery')
    .set({ not_before: at, created_at: at })
    .where('send_log_id', '=', run.id)
    .execute();
  await database.db.updateTable('sender_throttle').set({ next_at: at }).execute();
  return run;
}

const claim = (rows = 100, workerId = WORKER_A) => claimMails(database, { now, rows, workerId });

/** Claims and sends. @returns how many mails */
async function send(rows?: number): Promise<number> {
  const claims = await claim(rows);
  const results = claims.map((held) => ({ claim: held, outcome: { kind: 'sent', reply: '250' } as const }));
  await finishDeliveries(database.service.db, results, now);
  return claims.length;
}

const waiting = async () =>
  (await database.db.selectFrom('delivery').selectAll().where('state', '=', 'queued').orderBy('id').execute()).map(
    ({ put_off, not_before, mail_date }) => [put_off, not_before.getTime(), mail_date.getTime()],
  );
const near = (text: string) => expect.closeTo(tokyo(text), -4);

test('the rest of a run waits for the next open day, and says why; the next day it goes on', async () => {
  await setLimit({ per_day: 2 });
  const { id } = await accept(5);
  expect(await send()).toBe(2);
  expect(await send()).toBe(0);
  const monday = near('2026-11-23T08:00:00');
  expect(await waiting()).toStrictEqual(Array(3).fill(['limit', monday, monday]));
  expect(await runProgress(database.service.db, tenant.accountId, id, now)).toMatchObject({
    put_off_until: '2026/11/23 08:00:00',
    put_off_reason: '1日の上限',
  });
  // No note makes a worker look before.
  const notes = await database.db.selectFrom('sender_due').select('due_at').execute();
  expect(notes.map(({ due_at }) => due_at.getTime())).toStrictEqual([monday]);
  await goTo('2026-11-23T08:00:02');
  expect(await send()).toBe(2);
});

test('tests are neither counted nor limited, and texts of one profile share its limit', async () => {
  await setLimit({ per_day: 1 });
  await accept(2, { test: true });
  expect([await send(), await send()]).toStrictEqual([1, 1]);
  await accept(1, { of: await addTextOf(database.db, tenant) });
  expect(await send()).toBe(1);
  await accept(1);
  await accept(1, { test: true });
  expect(await claim()).toMatchObject([{ test: true }]);
});

test('a higher limit brings mails forward; a lower one stops at once', async () => {
  await setLimit({ per_day: 1 });
  await accept(6);
  expect(await send()).toBe(1);
  expect(await send()).toBe(0);
  await setLimit({ per_day: 3 });
  expect(await claim(1)).toHaveLength(1);
  await setLimit({ per_day: 1 });
  expect(await claim()).toStrictEqual([]);
  expect(await waiting()).toHaveLength(5);
  await setLimit({ per_day: null });
  expect(await claim()).toHaveLength(5);
});

test('a clock that is set back a day gives no second quota', async () => {
  await setLimit({ per_day: 2 });
  await accept(2);
  await send();
  await accept(2);
  await goTo('2026-11-19T20:00:00');
  await accept(1);
  // Another day has its own.
  expect(await send()).toBe(1);
  await goTo('2026-11-20T20:00:05');
  expect(await send()).toBe(0);
});

test('eight workers at the last free mails: exactly as many leave as the limit permits', async () => {
  await setLimit({ per_day: 10 });
  const one = await addSender(database.db, tenant);
  await accept(40);
  await accept(5, { of: { ...tenant, senderId: one } });
  await database.db
    .updateTable('sender_throttle')
    .set({ max_connections: 40 })
    .where('profile_id', '=', profile_id)
    .execute();
  const sink = await testSink();
  for (let n = 0; n < 8; n += 1) testWorker(database, sink, { connections: 2, now: () => now });
  // The other profile of the account has no limit.
  await eventually(
    () => sink.mails.length,
    (count) => count >= 15,
  );
  await eventually(waiting, (mails) => mails.length === 30 && mails.every(([why]) => why === 'limit'));
  expect(sink.mails).toHaveLength(15);
});

test("the account's limit holds over all profiles and groups: eight claims at once for the last mail, one gets it", async () => {
  await database.db.insertInto('account_rule').values({ account_id: tenant.accountId, per_day: 3 }).execute();
  await accept(2);
  expect(await send()).toBe(2);
  for (let n = 0; n < 8; n += 1) await accept(1, { of: { ...tenant, senderId: await addSender(database.db, tenant) } });
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(5, crypto.randomUUID())));
  // One whose profile another has locked takes another profile; none waits for a second mail of today.
  expect(claims.flat()).toHaveLength(1);
  while ((await claim()).length > 0) expect.unreachable();
});

test('a ramp grows by sending days of which half was used', async () => {
  await setLimit({ per_day: 10, ramp_from: '2026-11-20', ramp_start: 2, ramp_percent: 100 });
  await accept(20);
  expect(await send()).toBe(2);
  expect(await send()).toBe(0);
  // Monday: one step for the weekend.
  await goTo('2026-11-23T08:00:02');
  expect(await send(1)).toBe(1);
  expect(await send()).toBe(3);
  expect(await send()).toBe(0);
  await goTo('2026-11-24T08:00:02');
  expect(await send(1)).toBe(1);
  // Less than half of 8: no step.
  await goTo('2026-11-25T08:00:02');
  expect(await send()).toBe(8);
  const rows = await database.db.selectFrom('sender_limit').select(['ramp_step', 'per_day']).execute();
  expect(rows).toStrictEqual([{ ramp_step: 2, per_day: 10 }]);
});
