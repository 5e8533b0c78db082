import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { hashPassword } from '#server/features/auth/password.ts';
import type { Answer, Client } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects } from '#test/prospects.ts';
import { attackList, brokenReservations, reservationBody } from '#test/reservations.ts';
import { eventually, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { addTeam, changeOf, groupRow, inOrder, memberAt, outcome, startWebs, type Team } from './team.ts';
import { judge } from './truth.ts';
import { startWorker, untilSettledByRetries, untilStarted } from './workers.ts';

/** A member is stopped through one `web` process while the other serves the member. */

let database: TestDatabase;
let sink: SmtpSink;
let webs: readonly [string, string];

beforeEach(async () => {
  database = await emptyDatabase();
  sink = await testSink();
  webs = await startWebs(database, sink.port);
});

/** A weekday at 10:00, which can be reserved on every day of the tests. */
const DAY = skipWeekend(addDays(dayOf(Date.now()), 7)).replaceAll('-', '/');
const LATER = `${DAY} 10:00:00`;
const [MANY, TARGETS] = [10, 2];

const PASSWORD = '次の馬 電池 ホチキス 橋';
const PASSWORD_HASH = hashPassword(PASSWORD);

interface Scene extends Team {
  readonly admin: Client;
  readonly leaver: Client;
  readonly email: string;
  /** Companies that nobody has reserved. */
  readonly free: readonly number[];
  /** A reservation of the leaver, and one of the admin. */
  readonly own: number;
  readonly other: number;
}

async function addScene(): Promise<Scene> {
  const team = await addTeam(database);
  const companies = Array.from({ length: MANY + 2 * TARGETS }, (_, at) => ({
    company_email: `info${at}@team${team.accountId}.example`,
  }));
  const ids = await addProspects(database.db, team.accountId, companies);
  const reserve = async (from: number, member_id: number, days: number) => {
    const sendAt = new Date(Date.now() + days * 86_400_000);
    const id = await addReservation(database.db, team, ids.slice(from, from + TARGETS), { sendAt });
    await database.db.updateTable('reservation').set({ member_id }).where('id', '=', id).execute();
    return id;
  };
  const email = `leaver@team${team.accountId}.example`;
  const person = { email, password_hash: await PASSWORD_HASH };
  await database.db.updateTable('member').set(person).where('id', '=', team.leaverId).execute();
  return {
    ...team,
    email,
    admin: await memberAt(database, webs[0], team, team.memberId),
    leaver: await memberAt(database, webs[1], team, team.leaverId),
    own: await reserve(MANY, team.leaverId, 10),
    other: await reserve(MANY + TARGETS, team.memberId, 20),
    free: ids.slice(0, MANY),
  };
}

/** What a member does while being stopped. */
const ACTS = {
  reserve: ({ leaver, senderId, free }) =>
    leaver.post(
      '/reservation',
      reservationBody({ sender_id: senderId, attack_list: attackList(free), send_at: LATER }),
    ),
  change: ({ leaver, own }) => leaver.put(`/reservation/${own}`, { version: 1, update_info: { send_at: LATER } }),
  'take over': ({ leaver, other }) =>
    leaver.put(`/reservation/${other}`, { version: 1, update_info: {}, take_over: 1 }),
  'send now': ({ leaver, own }) => leaver.post(`/reservation/${own}/send_now`, { version: 1 }),
  delete: ({ leaver, own }) => leaver.put(`/reservation/${own}`, { update_info: { active: 0 } }),
  'log in': ({ leaver, email }) => leaver.post('/auth/login', { email, password: PASSWORD }),
  send: ({ leaver, senderId, free }) =>
    leaver.post(`/mail/send/${senderId}`, { test_send_mode: 0, attack_list: attackList(free), days_from_lastday: 7 }),
} satisfies Record<string, (scene: Scene) => Promise<Answer>>;

/** Returns how many reservations of an account wait, by member. */
async function pendingOf({ accountId }: Team): Promise<Record<number, number>> {
  const rows = await database.db
    .selectFrom('reservation')
    .select('member_id')
    .where('account_id', '=', accountId)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .execute();
  const byMember = Map.groupBy(rows, ({ member_id }) => member_id ?? 0);
  return Object.fromEntries([...byMember].map(([id, { length }]) => [id, length]));
}

const sessionsOf = async ({ leaverId }: Team): Promise<number> =>
  (await database.db.selectFrom('session').select('member_id').where('member_id', '=', leaverId).execute()).length;

/** The row for which an act waits, if not for the sender group. */
const WAITS_FOR: Record<string, (scene: Scene) => RawBuilder<unknown>> = {
  delete: ({ own }) => sql`SELECT FROM reservation WHERE id = ${own}`,
  'log in': ({ leaverId }) => sql`SELECT FROM member WHERE id = ${leaverId}`,
};

/** How many reservations wait after an act that came before the stop. */
const LEFT: Record<string, number> = { reserve: 3, 'send now': 1, delete: 1 };

test(`${form.teams} × each act of a member beside the stop: refused by 401, or handed over; none is lost`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    for (const [name, act] of Object.entries(ACTS)) {
      const scene = await addScene();
      const stop = await changeOf(scene.admin, scene.leaverId, { active: 0 }, { hand_over_to: scene.memberId });
      const isStoppedFirst = n % 2 === 0;
      const calls = [stop, () => act(scene)];
      const row = WAITS_FOR[name]?.(scene) ?? groupRow(scene);
      const answers = await inOrder(database, row, isStoppedFirst ? calls : calls.toReversed());
      const seen = [name, ...answers.map(outcome)];
      const refused = name === 'log in' ? '401 wrong_credentials' : '401 unauthorized';
      expect(seen).toStrictEqual([name, 'done', isStoppedFirst ? refused : 'done']);
      expect([name, await sessionsOf(scene)]).toStrictEqual([name, 0]);
      const left = isStoppedFirst ? 2 : (LEFT[name] ?? 2);
      expect([name, await pendingOf(scene)]).toStrictEqual([name, { [scene.memberId]: left }]);
    }
  }
  expect(await brokenReservations(database.db)).toStrictEqual([]);
});

test(`${form.teams} × others reserve and change beside the stop: all of it stays`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    const scene = await addScene();
    const colleague = { ...scene, leaver: await memberAt(database, webs[1], scene, scene.memberId) };
    const stop = await changeOf(scene.admin, scene.leaverId, { active: 0 }, { hand_over_to: scene.memberId });
    const calls = [stop, () => ACTS.reserve(colleague), () => ACTS.change(colleague)];
    const isStoppedFirst = n % 2 === 0;
    const answers = await inOrder(database, groupRow(scene), isStoppedFirst ? calls : calls.toReversed());
    const seen = (isStoppedFirst ? answers : answers.toReversed()).map(outcome);
    // The hand-over is a change, which whoever changes the reservation has not seen.
    expect(seen).toStrictEqual(['done', 'done', isStoppedFirst ? '409 reservation_changed' : 'done']);
    // What is reserved for the time of the changed reservation is added to it.
    expect(await pendingOf(scene)).toStrictEqual({ [scene.memberId]: isStoppedFirst ? 3 : 2 });
  }
  expect(await brokenReservations(database.db)).toStrictEqual([]);
});

test(`${form.teams} × a stop without a colleague beside POST /reservation: the stop or the reservation is refused`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    const scene = await addScene();
    await database.db.updateTable('reservation').set({ active: false }).where('id', '=', scene.own).execute();
    await database.db
      .updateTable('reservation_target')
      .set({ pending: false })
      .where('reservation_id', '=', scene.own)
      .execute();
    const calls = [await changeOf(scene.admin, scene.leaverId, { active: 0 }), () => ACTS.reserve(scene)];
    const isStoppedFirst = n % 2 === 0;
    const answers = await inOrder(database, groupRow(scene), isStoppedFirst ? calls : calls.toReversed());
    expect(answers.map(outcome)).toStrictEqual(['done', isStoppedFirst ? '401 unauthorized' : '409 hand_over_needed']);
    expect(await pendingOf(scene)).toStrictEqual({
      ...(!isStoppedFirst && { [scene.leaverId]: 1 }),
      [scene.memberId]: 1,
    });
  }
});

test(`${form.teams} × a stop in a run, and beside the start of a reservation: all mails arrive once (seed ${form.seed})`, async () => {
  const random = form.random();
  sink.latencyMs = form.latency;
  await untilStarted(...[0, 1].map(() => startWorker(database.url, sink.port)));
  const scenes = await Array.fromAsync({ length: form.teams }, () => addScene());
  const due = Date.now() + 2000;
  const reserved = scenes.map(({ own }) => own);
  await database.db
    .updateTable('reservation')
    .set({ send_at: new Date(due) })
    .where('id', 'in', reserved)
    .execute();
  await Promise.all(
    scenes.map(async (scene) => {
      expect(outcome(await ACTS.send(scene))).toBe('done');
      await sleep(Math.max(0, due - Date.now() + (random() - 0.5) * 2000));
      const stop = await changeOf(scene.admin, scene.leaverId, { active: 0 }, { hand_over_to: scene.memberId });
      expect(outcome(await stop())).toBe('done');
    }),
  );
  const unsent = () =>
    database.db
      .selectFrom('reservation')
      .select('id')
      .where('is_sent', '=', false)
      .where('id', 'in', reserved)
      .execute();
  await eventually(unsent, ({ length }) => length === 0, 120_000);
  await untilSettledByRetries(database, 120_000);
  const { wrong, sent } = await judge(
    database.db,
    sink.mails.map(({ messageId }) => messageId),
  );
  expect([wrong, sent]).toStrictEqual([[], form.teams * (MANY + TARGETS)]);
  for (const { accountId, leaverId, memberId, own } of scenes) {
    const runs = await database.db
      .selectFrom('send_log')
      .select(['member_id', 'reservation_id', 'targets', sql<string>`mail -> 'account' ->> 'name'`.as('name')])
      .where('account_id', '=', accountId)
      .orderBy('reservation_id', (order) => order.desc().nullsFirst())
      .execute();
    const names = { [leaverId]: '鈴木 彩', [memberId]: '利用者' };
    // The mails of a reservation name whose it is when it starts.
    const owner = runs[1]?.member_id ?? 0;
    expect(Object.keys(names)).toContain(`${owner}`);
    expect(runs).toStrictEqual([
      { member_id: leaverId, reservation_id: null, targets: MANY, name: names[leaverId] },
      { member_id: owner, reservation_id: own, targets: TARGETS, name: names[owner] },
    ]);
  }
});
