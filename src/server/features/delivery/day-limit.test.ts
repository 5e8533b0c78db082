import { beforeEach, expect, test } from 'vitest';
import { near, shareClock, tokyo } from '#test/clock.ts';
import { addSender, addTenant, addTextOf, profileOf, type Tenant } from '#test/prospects.ts';
import {
  acceptAt,
  claimMails,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  WORKER_A,
} from '#test/sending.ts';
import { updateAccountRule } from '../rule-settings/account-rule.command.ts';
import { updateHours } from '../rule-settings/hours.command.ts';
import { updateLimit } from '../rule-settings/limits.command.ts';
import { runProgress } from '../runs/progress.queries.ts';

/** How many mails of a profile, and of an account, leave in a day in Tokyo. */

const HERE = { ip: '127.0.0.1', isOfUnknownProxy: false };

const clock = shareClock();
const { goTo } = clock;

let tenant: Tenant;
let profile_id: number;

beforeEach(async () => {
  // A Friday.
  await goTo('2026-11-20T20:00:00');
  tenant = await addTenant(clock.database.db);
  profile_id = await profileOf(clock.database.db, tenant.senderId);
});

const member = () => ({ ...clock.database.account(tenant.accountId), memberId: tenant.memberId });
const setLimit = (update_info: Parameters<typeof updateLimit>[2]['update_info']) =>
  updateLimit(member(), profile_id, { update_info });

const accept = (count: number, { of = tenant, test: isTest = false } = {}) =>
  acceptAt(clock.database, clock.now, of, count, { test: isTest });

const claim = (rows = 100, workerId = WORKER_A) => claimMails(clock.database, { rows, workerId });

/** Claims and sends. @returns how many mails */
async function send(rows?: number): Promise<number> {
  const claims = await claim(rows);
  const results = claims.map((held) => ({ claim: held, outcome: { kind: 'sent', reply: '250' } as const }));
  await finishDeliveries(clock.database.service.db, results, clock.now);
  return claims.length;
}

const waiting = async () =>
  (
    await clock.database.db.selectFrom('delivery').selectAll().where('state', '=', 'queued').orderBy('id').execute()
  ).map(({ put_off, not_before, mail_date }) => [put_off, not_before.getTime(), mail_date.getTime()]);

test('the rest of a run waits for the next open day with the reason, and is sent then', async () => {
  await setLimit({ per_day: 2 });
  const { id } = await accept(5);
  expect(await send()).toBe(2);
  expect(await send()).toBe(0);
  const monday = near('2026-11-23T08:00:00');
  expect(await waiting()).toStrictEqual(Array(3).fill(['limit', monday, monday]));
  expect(await runProgress(clock.database.service.db, tenant.accountId, id, clock.now)).toMatchObject({
    put_off_until: '2026/11/23 08:00:00',
    put_off_reason: '差出人の1日の上限',
    put_off_by: 'limit',
  });
  // No note makes a worker look before.
  const notes = await clock.database.db.selectFrom('sender_due').select('due_at').execute();
  expect(notes.map(({ due_at }) => due_at.getTime())).toStrictEqual([monday]);
  await goTo('2026-11-23T08:00:02');
  expect(await send()).toBe(2);
});

test('half a minute before midnight too, what is over the limit waits for the next day', async () => {
  await setLimit({ per_day: 1 });
  await goTo('2026-11-19T23:59:30');
  await accept(2);
  expect(await send()).toBe(1);
  expect(await claim()).toStrictEqual([]);
  const friday = tokyo('2026-11-20T08:00:00');
  expect(await waiting()).toStrictEqual([['limit', friday, friday]]);
});

test('looser hours bring forward what waits for the next open day because of a limit', async () => {
  const openOn = (...weekdays: number[]) => {
    const periods = weekdays.map((weekday) => ({ weekday, opens: 480, closes: 1260 }));
    return updateHours(member(), tenant.senderGroupId, { update_info: { periods } }, clock.now);
  };
  await openOn(5);
  await setLimit({ per_day: 1 });
  await accept(2);
  expect([await send(), await send()]).toStrictEqual([1, 0]);
  expect(await waiting()).toStrictEqual([['limit', ...Array(2).fill(near('2026-11-27T08:00:00'))]]);
  await openOn(5, 6);
  expect(await claim()).toStrictEqual([]);
  expect(await waiting()).toStrictEqual([['limit', ...Array(2).fill(near('2026-11-21T08:00:00'))]]);
});

test('the progress of a run with mails for another day and a retry gives the day with its reason', async () => {
  await setLimit({ per_day: 2 });
  const { id } = await accept(4);
  const [sent, retried] = await claim(2);
  if (!sent || !retried) return expect.unreachable();
  const { db } = clock.database.service;
  await finishDeliveries(db, [{ claim: sent, outcome: { kind: 'sent', reply: '250' } }], clock.now);
  await finishDeliveries(db, [{ claim: retried, outcome: { kind: 'deferred', reply: '451' } }], clock.now);
  expect([await send(), await send()]).toStrictEqual([1, 0]);
  const progress = () => runProgress(db, tenant.accountId, id, clock.now);
  const limited = { put_off_until: '2026/11/23 08:00:00', put_off_reason: '差出人の1日の上限' };
  expect(await progress()).toMatchObject({ queued: 2, ...limited });
  // The retry is due: it waits for a worker, not for another day.
  await goTo('2026-11-20T20:02:00');
  expect(await progress()).toMatchObject({ put_off_until: null, put_off_reason: null, put_off_by: null });
  expect(await claim()).toStrictEqual([]);
  expect(await progress()).toMatchObject(limited);
});

test('no end is estimated where a limit of the day holds, but of tests', async () => {
  const pace = { mails_per_minute: 1 };
  await clock.database.db
    .insertInto('sender_throttle')
    .values({ account_id: tenant.accountId, profile_id, ...pace })
    .execute();
  const ends = async (isTest = false) => {
    const { id, answer } = await accept(1, { test: isTest });
    const run = await runProgress(clock.database.service.db, tenant.accountId, id, clock.now);
    return [answer.ends_about !== undefined, run?.estimated_end_at !== null];
  };
  expect(await ends()).toStrictEqual([true, true]);
  await setLimit({ per_day: 5 });
  expect([await ends(), await ends(true)]).toStrictEqual([
    [false, false],
    [true, true],
  ]);
  await setLimit({ per_day: null });
  await updateAccountRule(member(), { per_day: 5 }, HERE);
  expect(await ends()).toStrictEqual([false, false]);
});

test('tests are neither counted nor limited, and texts of one profile share its limit', async () => {
  await setLimit({ per_day: 1 });
  await accept(2, { test: true });
  expect([await send(), await send()]).toStrictEqual([1, 1]);
  await accept(1, { of: await addTextOf(clock.database.db, tenant) });
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

test('a lower limit of the account stops all profiles at once; without it their mails leave', async () => {
  await accept(2);
  await accept(2, { of: { ...tenant, senderId: await addSender(clock.database.db, tenant) } });
  const held = [...(await claim()), ...(await claim())];
  expect(held).toHaveLength(4);
  await updateAccountRule(member(), { per_day: 1 }, HERE);
  expect(await markSending(clock.database.service.db, held)).toStrictEqual(Array(4).fill(false));
  expect([await send(), await send(), await send()]).toStrictEqual([1, 0, 0]);
  await updateAccountRule(member(), { per_day: null }, HERE);
  expect([...(await claim()), ...(await claim())]).toHaveLength(3);
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
  const one = await addSender(clock.database.db, tenant);
  await accept(40);
  await accept(5, { of: { ...tenant, senderId: one } });
  await clock.database.db
    .updateTable('sender_throttle')
    .set({ max_connections: 40 })
    .where('profile_id', '=', profile_id)
    .execute();
  const sink = await testSink();
  for (let n = 0; n < 8; n += 1) testWorker(clock.database, sink, { connections: 2, now: () => clock.now });
  // The other profile of the account has no limit.
  await eventually(
    () => sink.mails.length,
    (count) => count >= 15,
  );
  await eventually(waiting, (mails) => mails.length === 30 && mails.every(([why]) => why === 'limit'));
  expect(sink.mails).toHaveLength(15);
});

test("the account's limit covers all profiles and groups: of eight concurrent claims one gets the last mail", async () => {
  await clock.database.db.insertInto('account_rule').values({ account_id: tenant.accountId, per_day: 3 }).execute();
  await accept(2);
  expect(await send()).toBe(2);
  for (let n = 0; n < 8; n += 1)
    await accept(1, { of: { ...tenant, senderId: await addSender(clock.database.db, tenant) } });
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(5, crypto.randomUUID())));
  // One whose profile another has locked takes another profile; none waits for a second mail of today.
  expect(claims.flat()).toHaveLength(1);
  expect(await claim()).toStrictEqual([]);
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
  const rows = await clock.database.db.selectFrom('sender_limit').select(['ramp_step', 'per_day']).execute();
  expect(rows).toStrictEqual([{ ramp_step: 2, per_day: 10 }]);
});
