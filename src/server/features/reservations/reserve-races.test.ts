import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { Problem } from '#server/platform/problem.ts';
import type { Client } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addSender, type Tenant } from '#test/prospects.ts';
import {
  attackList,
  brokenReservations,
  NOW,
  reservationBody,
  reservationScene,
  reservedTargets,
} from '#test/reservations.ts';
import { unbalancedRuns, untilBlocked } from '#test/sending.ts';
import { startReservation } from './due.command.ts';
import { cancelReservation } from './reservation.command.ts';

/** Concurrent reservations: the unique indexes decide, and no two deadlock. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
});

const reserve = (prospectIds: readonly number[], wanted: { sender_id?: number; send_at?: string } = {}) => {
  const body = { sender_id: tenant.senderId, ...wanted, attack_list: attackList(prospectIds) };
  return client.post('/reservation', reservationBody(body));
};

const reservations = () => database.db.selectFrom('reservation').selectAll().orderBy('id').execute();

test('20 identical requests at once make one reservation with each company once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(ids)));
  expect(answers.map(({ status }) => status)).toStrictEqual(Array(20).fill(200));
  const statuses = answers.map(({ body }) => (body as { status: string }).status);
  expect(statuses.filter((status) => status === 'added')).toHaveLength(1);
  expect(statuses.filter((status) => status === 'no-added')).toHaveLength(19);
  expect(new Set(answers.map(({ body }) => (body as { id: number }).id)).size).toBe(1);
  expect(Object.values(await reservedTargets(database.db))).toStrictEqual([ids]);
});

test('two senders reserve 300 companies in opposite orders: no deadlock, each company is reserved once', async () => {
  await addManyProspects(database.db, tenant.accountId, 300);
  const rows = await database.db.selectFrom('prospect').select('id').orderBy('id').execute();
  const all = rows.map(({ id }) => id);
  const senders = [tenant.senderId, await addSender(database.db, tenant)];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      reserve(n % 2 === 0 ? all : all.toReversed(), {
        sender_id: senders[n % 2] as number,
        send_at: `2026/11/20 ${9 + n}:00:00`,
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toStrictEqual(Array(12).fill(200));
  const taken = Object.values(await reservedTargets(database.db)).flat();
  expect(taken.toSorted((a, b) => a - b)).toStrictEqual(all);
  expect(await brokenReservations(database.db)).toStrictEqual([]);
  for (const { body } of answers) {
    const { status, skipped } = body as { status: string; skipped: { reason: string }[] };
    expect(skipped.every(({ reason }) => reason === 'reserved')).toBe(true);
    expect(skipped.length === all.length).toBe(status === 'no-added');
  }
});

test('a request whose companies were all reserved meanwhile leaves no reservation', async () => {
  const { db } = database;
  const elsewhere = await addSender(db, tenant);
  const { asked, other } = await db.transaction().execute(async (tx) => {
    const other = await addReservation(tx, { ...tenant, senderId: elsewhere }, ids, { sendAt: new Date(NOW) });
    const asked = reserve(ids);
    await untilBlocked(database);
    return { asked, other };
  });
  expect((await asked).body).toStrictEqual({
    status: 'no-added',
    id: null,
    skipped: ids.map((prospect_id) => ({ prospect_id, reason: 'reserved' })),
  });
  expect((await reservations()).map(({ id }) => id)).toStrictEqual([other]);
});

test('bad-inputs 182: adding during a deletion adds before it, or makes a new one after it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = (await reserve(ids.slice(0, 2))).body as { id: number };
    const [added, deleted] = await Promise.all([
      reserve(ids),
      client.put(`/reservation/${id}`, { update_info: { active: 0 } }),
    ]);
    expect([added.status, deleted.status]).toStrictEqual([200, 200]);
    expect(await brokenReservations(database.db)).toStrictEqual([]);
    await database.db.deleteFrom('reservation_target').execute();
    await database.db.deleteFrom('reservation').execute();
  }
});

/** Each round requests the deletion a little later: in the first before the start, in the last after it. */
const ROUNDS = 40;

test(`${ROUNDS} deletions while two processes start it: no mail is sent, or the deletion is refused`, async () => {
  const { service, db } = database;
  const { accountId } = tenant;
  const start = (id: number) => startReservation(service.db, { accountId, id }, NOW, TEST_MAILING);
  const remove = (id: number) => cancelReservation(database.account(accountId), id);
  const mailed = async (id: number) =>
    db
      .selectFrom('send_log')
      .innerJoin('delivery', 'delivery.send_log_id', 'send_log.id')
      .select(['delivery.prospect_id', 'delivery.state'])
      .where('send_log.reservation_id', '=', id)
      .orderBy('delivery.prospect_id')
      .execute();

  const begun = performance.now();
  // The database's clock decides what is due.
  const due = Date.now() - 1000;
  await start(await addReservation(db, tenant, ids, { sendAt: new Date(due) }));
  const usualMs = performance.now() - begun;
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const companies = await addProspects(db, accountId, [
      { company_email: `a${round}@a.example` },
      { company_email: `b${round}@a.example` },
    ]);
    const id = await addReservation(db, tenant, companies, { sendAt: new Date(due - (round + 1) * 1000) });
    if (round === 0) await remove(id);
    const starting = Promise.all([start(id), start(id)]);
    if (round === ROUNDS - 1) await starting;
    else await sleep((usualMs * round) / ROUNDS);
    const answer = await remove(id);
    await starting;
    const outcome = answer instanceof Problem ? answer.code : 'deleted';
    seen.add(outcome);
    const expected = outcome === 'deleted' ? [] : companies.map((prospect_id) => ({ prospect_id, state: 'queued' }));
    expect([round, await mailed(id)]).toStrictEqual([round, expected]);
  }
  expect(seen).toStrictEqual(new Set(['deleted', 'reservation_started']));
  expect(await brokenReservations(db)).toStrictEqual([]);
  expect(await unbalancedRuns(db)).toStrictEqual([]);
});
