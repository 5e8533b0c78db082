import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { near, shareClock, tokyo } from '#test/clock.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptAt,
  acceptRun,
  chooseUndo,
  claimMails,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilBlocked,
  untilSettled,
} from '#test/sending.ts';
import { giveBack } from '../reservations/give-back.command.ts';
import { updateHours } from '../rule-settings/hours.command.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { steerRun } from '../runs/run-control.command.ts';

/** A group that holds its mails outside of 8:00 to 21:00 of weekdays, and on holidays. */

const clock = shareClock();
const { goTo } = clock;

let tenant: Tenant;

const member = () => ({ ...clock.database.account(tenant.accountId), memberId: tenant.memberId });
const setHours = (update_info: Parameters<typeof updateHours>[2]['update_info']) =>
  updateHours(member(), tenant.senderGroupId, { update_info }, clock.now);

beforeEach(async () => {
  // A Friday; Monday is a holiday.
  await goTo('2026-11-20T20:00:00');
  tenant = await addTenant(clock.database.db);
  await setHours({ outside: 'hold', on_holidays: 0 });
});

const accept = (count: number, options: { test?: boolean; candidates?: CandidateDate[] } = {}) =>
  acceptAt(clock.database, clock.now, tenant, count, options);

const claim = (rows?: number) => claimMails(clock.database, rows === undefined ? {} : { rows });
const mails = async () =>
  (await clock.database.db.selectFrom('delivery').selectAll().orderBy('id').execute()).map((mail) => ({
    ...mail,
    not_before: mail.not_before.getTime(),
    mail_date: mail.mail_date.getTime(),
  }));
const progress = (run: number) => runProgress(clock.database.service.db, tenant.accountId, run, clock.now);
const dates = [{ date: '2026-11-23', start_time: '9:00', end_time: '18:00' }];

test('after closing time no mail begins: the whole run waits for the next open day, and says why', async () => {
  const { id } = await accept(3);
  await goTo('2026-11-20T21:00:01');
  expect(await claim(1)).toStrictEqual([]);
  expect(await mails()).toMatchObject(
    Array(3).fill({
      state: 'queued',
      put_off: 'hours',
      not_before: near('2026-11-24T08:00:00'),
      mail_date: near('2026-11-24T08:00:00'),
    }),
  );
  expect(await claim()).toStrictEqual([]);
  expect(await progress(id)).toMatchObject({
    put_off_until: '2026/11/24 08:00:00',
    put_off_reason: '時間外',
    put_off_by: 'hours',
  });
  await goTo('2026-11-23T12:00:00');
  expect(await progress(id)).toMatchObject({ put_off_reason: '勤労感謝の日' });
  expect(await unbalancedRuns(clock.database.db)).toStrictEqual([]);
  await goTo('2026-11-24T08:00:02');
  expect(await claim()).toHaveLength(3);
  expect(await mails()).toMatchObject(Array(3).fill({ state: 'claimed', put_off: null }));
});

test('a mail that comes to its mark after closing time does not leave, and its next claim defers it', async () => {
  await accept(1);
  await goTo('2026-11-20T20:59:58');
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'DATA' ? 'wait' : null);
  const worker = testWorker(clock.database, sink, { connections: 1, now: () => clock.now });
  await eventually(
    () => sink.waiting.length,
    (count) => count === 1,
  );
  await goTo('2026-11-20T21:00:01');
  sink.fault = () => null;
  for (const answer of sink.waiting) answer();
  await eventually(mails, ([mail]) => mail?.put_off === 'hours');
  await worker.stop();
  expect(sink.mails).toStrictEqual([]);
  // On Tuesday at 8:00 in Tokyo it leaves, with that date.
  await goTo('2026-11-24T08:00:02');
  testWorker(clock.database, sink, { connections: 1, now: () => clock.now });
  expect(await untilSettled(clock.database.db)).toStrictEqual({ sent: 1 });
  expect(sink.mails[0]?.source).toMatch(/^Date: Mon, 23 Nov 2026 23:00:0\d/m);
});

test('a run that is accepted while the group is closed waits at once; a test does not', async () => {
  await goTo('2026-11-21T10:00:00');
  const { answer } = await accept(2);
  expect(answer).toMatchObject({ status: 'accepted', begins_at: '2026/11/24 08:00:00' });
  expect(await mails()).toMatchObject(
    Array(2).fill({
      put_off: 'hours',
      not_before: tokyo('2026-11-24T08:00:00'),
      mail_date: tokyo('2026-11-24T08:00:00'),
    }),
  );
  expect(await clock.database.db.selectFrom('sender_due').select('due_at').execute()).toStrictEqual([
    { due_at: new Date(tokyo('2026-11-24T08:00:00')) },
  ]);
  await clock.database.db.deleteFrom('delivery').execute();
  const trial = await accept(1, { test: true });
  expect(trial.answer).not.toHaveProperty('begins_at');
  expect(await claim()).toHaveLength(1);
});

test('a window to take a send back that ends after closing time: the run begins when the group opens', async () => {
  await chooseUndo(clock.database.db, tenant.accountId, 30);
  await goTo('2026-11-20T20:59:45');
  const { answer } = await acceptRun(clock.database, tenant, 1, { now: clock.now });
  expect(answer).toMatchObject({ starts_at: expect.any(String), begins_at: '2026/11/24 08:00:00' });
  expect(await mails()).toMatchObject([{ put_off: 'hours', not_before: tokyo('2026-11-24T08:00:00') }]);
});

test('a send that waits for its group over the opening begins at the end of its window', async () => {
  await chooseUndo(clock.database.db, tenant.accountId, 30);
  await goTo('2026-11-24T07:59:00');
  const { accepted } = await clock.database.db.transaction().execute(async (tx) => {
    await sql`SELECT FROM sender_group FOR UPDATE`.execute(tx);
    const waiting = acceptRun(clock.database, tenant, 1, { now: clock.now });
    await untilBlocked(clock.database);
    await goTo('2026-11-24T08:00:10');
    return { accepted: waiting };
  });
  const { answer } = await accepted;
  expect(answer).toMatchObject({ starts_at: '2026/11/24 08:00:41' });
  expect(answer).not.toHaveProperty('begins_at');
  expect(await mails()).toMatchObject([{ put_off: null, not_before: tokyo('2026-11-24T08:00:41') }]);
});

test('looser hours bring mails forward, and mails of a run that is still closed are deferred again', async () => {
  await goTo('2026-11-21T10:00:00');
  await accept(2);
  const saturday = [{ weekday: 6, opens: 540, closes: 1080 }];
  await setHours({ periods: saturday });
  expect(await mails()).toMatchObject(Array(2).fill({ put_off: null, not_before: near('2026-11-21T10:00:00') }));
  expect(await claim(1)).toHaveLength(1);
  await goTo('2026-11-21T18:00:00');
  await setHours({ on_holidays: 1 });
  expect(await claim()).toStrictEqual([]);
  expect((await mails())[1]).toMatchObject({ put_off: 'hours', not_before: near('2026-11-28T09:00:00') });
});

test('looser hours bring forward what a claim defers at the same time', async () => {
  await accept(2);
  await goTo('2026-11-21T10:00:00');
  const { saved } = await clock.database.service.db.transaction().execute(async (tx) => {
    await sql`SELECT FROM sender_throttle FOR UPDATE`.execute(tx);
    // As a claim does that has read the hours before.
    const until = new Date(tokyo('2026-11-24T08:00:00'));
    await tx.updateTable('delivery').set({ put_off: 'hours', not_before: until, mail_date: until }).execute();
    const saving = setHours({ periods: [{ weekday: 6, opens: 540, closes: 1080 }] });
    await untilBlocked(clock.database);
    return { saved: saving };
  });
  expect(await saved).toMatchObject({ status: 'updated' });
  expect(await claim()).toHaveLength(2);
});

test('candidate dates are judged at the begin of the run; one that would wait beyond them is paused', async () => {
  await goTo('2026-11-21T10:00:00');
  await expect(accept(1, { candidates: dates })).rejects.toThrow(
    '送信が始まる11/24（火）8:00より後の候補日を選んでください。',
  );
  await goTo('2026-11-20T20:59:00');
  const { id, prospectIds } = await accept(2, { candidates: dates });
  await goTo('2026-11-20T21:00:01');
  expect(await claim(1)).toStrictEqual([]);
  expect(await progress(id)).toMatchObject({ paused_by: 'dates_over', put_off_until: null, queued: 2 });
  expect(await unbalancedRuns(clock.database.db)).toStrictEqual([]);
  const events = await clock.database.db.selectFrom('notice_event').select(['kind', 'subject_id']).execute();
  expect(events).toContainEqual({ kind: 'stopped', subject_id: id });
  // A member who resumes it has decided: it waits for the next open time.
  const tried = { prospect_id: prospectIds[0] ?? 0 };
  await sql`UPDATE delivery SET attempts = 1 WHERE prospect_id = ${tried.prospect_id}`.execute(clock.database.db);
  await steerRun(member(), id, 'sending', giveBack);
  expect(await mails()).toMatchObject([
    // It is the mail of its first try.
    { ...tried, mail_date: tokyo('2026-11-20T20:59:00') },
    { mail_date: tokyo('2026-11-20T21:00:01') },
  ]);
  expect(await claim()).toStrictEqual([]);
  expect(await progress(id)).toMatchObject({ paused_by: null, put_off_until: '2026/11/24 08:00:00' });
});

test('a retry that is due at night waits for the morning with its date', async () => {
  await accept(1);
  await goTo('2026-11-20T20:59:30');
  const [held] = await claim();
  const before = (await mails())[0]?.mail_date;
  if (!held) return expect.unreachable();
  await finishDeliveries(
    clock.database.service.db,
    [{ claim: held, outcome: { kind: 'deferred', reply: '451' } }],
    clock.now,
  );
  await goTo('2026-11-20T21:02:00');
  expect(await claim()).toStrictEqual([]);
  expect(await mails()).toMatchObject([
    { attempts: 1, put_off: 'hours', not_before: near('2026-11-24T08:00:00'), mail_date: before },
  ]);
});

test.each([
  ['slow', -2],
  ['fast', 2],
])('a worker whose clock is two hours %s keeps to the hours by the clock of the database', async (_, hours) => {
  const sink = await testSink();
  const now = () => clock.now + hours * 3_600_000;
  await accept(20);
  await goTo('2026-11-20T21:00:01');
  const worker = testWorker(clock.database, sink, { now });
  const tuesday = tokyo('2026-11-24T08:00:00');
  await eventually(mails, (all) => all.every(({ state, not_before }) => state === 'queued' && not_before === tuesday));
  expect(sink.mails).toStrictEqual([]);
  await worker.stop();
  // Open for an hour more, or for an hour: at both the worker's clock has another opinion.
  await goTo(hours < 0 ? '2026-11-24T08:30:00' : '2026-11-24T20:00:00');
  testWorker(clock.database, sink, { now });
  expect(await untilSettled(clock.database.db)).toStrictEqual({ sent: 20 });
  expect(sink.mails).toHaveLength(20);
});

test('a mail that comes to its mark after the closing by the clock of the database waits, with its run', async () => {
  await accept(3);
  await goTo('2026-11-20T20:59:59');
  const claims = await claim();
  expect(await markSending(clock.database.service.db, claims.slice(0, 1))).toStrictEqual([true]);
  await goTo('2026-11-20T21:00:00');
  expect(await markSending(clock.database.service.db, claims.slice(1, 2))).toStrictEqual([false]);
  const tuesday = tokyo('2026-11-24T08:00:00');
  expect(
    (await mails()).map(({ state, not_before, put_off }) => [state, not_before === tuesday, put_off]),
  ).toStrictEqual([
    ['sending', false, null],
    ['queued', true, 'hours'],
    ['queued', true, 'hours'],
  ]);
  // The third is still held by its worker, in vain.
  expect(await markSending(clock.database.service.db, claims.slice(2))).toStrictEqual([false]);
  expect(await unbalancedRuns(clock.database.db)).toStrictEqual([]);
});
