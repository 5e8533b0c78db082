import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { addProspects, type Tenant } from '#test/prospects.ts';
import { attackList, brokenReservations, reservationBody, reservationScene, reserveBy } from '#test/reservations.ts';
import { claimMails, finishDeliveries, markSending, unbalancedRuns, untilBlocked } from '#test/sending.ts';

/** A reservation that was sent now is given back while others want its run, its companies or its time. */

const ROUNDS = 12;
const weekday = (days: number) => skipWeekend(addDays(dayOf(Date.now()), days)).replaceAll('-', '/');
const [DAY, LATER_DAY] = [weekday(14), weekday(21)];

let database: TestDatabase;
let tenant: Tenant;
let member: Client;
let colleague: Client;

beforeEach(async () => {
  ({ database, tenant } = await reservationScene());
  member = await clientOf(database, tenant.accountId);
  colleague = await clientOf(database, tenant.accountId);
  return async () => {
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await brokenReservations(database.db)).toStrictEqual([]);
  };
});

interface Round {
  readonly sendAt: string;
  readonly ids: readonly number[];
  readonly id: number;
  readonly run: number;
}

/** Reserves two companies at a time of this round, and sends that now. No window: its mails are due at once. */
async function addRound(n: number): Promise<Round> {
  const sendAt = `${DAY} ${String(8 + n).padStart(2, '0')}:00:00`;
  const companies = [0, 1].map((at) => ({ company_email: `info${at}@round${n}.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  const id = await reserveBy({ client: member, tenant }, ids, { send_at: sendAt });
  const { body } = await member.post(`/reservation/${id}/send_now`, { version: 1 });
  return { sendAt, ids, id, run: (body as { send_log_id: number }).send_log_id };
}

/** Runs rounds one after the other, since claims are of all. */
async function eachRound<Result>(race: (round: Round, n: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let n = 0; n < ROUNDS; n += 1) results.push(await race(await addRound(n), n));
  return results;
}

const cancel = async ({ run }: Round, by = member) =>
  (await by.put(`/send_log/${run}`, { update_info: { state: 'cancelled' } })).body as {
    code?: string;
    left?: number;
    reservation?: string;
    reservation_id?: number;
  };
const read = async ({ id }: Pick<Round, 'id'>) =>
  (await member.get(`/reservation/${id}`)).body as {
    state: string;
    send_at: string;
    targets: number;
    version: number;
    history: { changes: { taken_back?: 1 } }[];
  };
const reserve = (sendAt: string, ids: readonly number[]) =>
  colleague.post(
    '/reservation',
    reservationBody({ sender_id: tenant.senderId, send_at: sendAt, attack_list: attackList(ids) }),
  );

/** The reservations that are pending and have a company. */
async function holders(prospectId: number): Promise<number[]> {
  const rows = await database.db
    .selectFrom('reservation_target')
    .select('reservation_id')
    .where('prospect_id', '=', prospectId)
    .where('pending', '=', true)
    .execute();
  return rows.map(({ reservation_id }) => reservation_id);
}

test(`${ROUNDS} cancellations beside a worker: a mail leaves, or its reservation comes back, never both`, async () => {
  const outcomes = await eachRound(async (round, n) => {
    const work = async () => {
      await sleep(n * 2);
      const claims = await claimMails(database, { rows: 1 });
      const marks = await markSending(database.service.db, claims);
      const sent = { kind: 'sent', reply: '250' } as const;
      const marked = claims.filter((_, at) => marks[at]);
      await finishDeliveries(
        database.service.db,
        marked.map((claim) => ({ claim, outcome: sent })),
      );
      return marked.length;
    };
    // The first comes before the worker, the last after it.
    const late = n === ROUNDS - 1 ? await work() : null;
    const early = n === 0 ? await cancel(round) : null;
    const [left, answer] = await Promise.all([late ?? work(), early ?? cancel(round)]);
    expect([n, answer]).toMatchObject([n, left === 0 ? { left, reservation: 'restored' } : { left }]);
    if (left > 0) expect(answer).not.toHaveProperty('reservation');
    const { state, send_at } = await read(round);
    expect([n, state, send_at === round.sendAt]).toStrictEqual([
      n,
      ...(left === 0 ? ['pending', true] : ['sent', false]),
    ]);
    return left;
  });
  expect(new Set(outcomes)).toStrictEqual(new Set([0, 1]));
});

test(`${ROUNDS} cancellations beside a second 今すぐ送信: one open run at most, of what was seen`, async () => {
  const outcomes = await eachRound(async (round, n) => {
    const send = async (version: number) => {
      await sleep(n);
      return (await colleague.post(`/reservation/${round.id}/send_now`, { version })).status;
    };
    const early = n === 0 ? await cancel(round) : null;
    const [answer, asSeen, afterwards] = await Promise.all([early ?? cancel(round), send(2), send(3)]);
    expect([n, answer]).toMatchObject([n, { left: 0, reservation: 'restored', reservation_id: round.id }]);
    // Who saw it before it came back is refused.
    expect([n, asSeen]).toStrictEqual([n, 409]);
    const open = await database.db.selectFrom('delivery').select('id').where('state', '=', 'queued').execute();
    expect([n, open.length]).toStrictEqual([n, afterwards === 200 ? 2 : 0]);
    expect((await read(round)).state).toBe(afterwards === 200 ? 'sent' : 'pending');
    await database.db.updateTable('delivery').set({ state: 'cancelled', finished_at: new Date() }).execute();
    return afterwards;
  });
  expect(outcomes[0]).toBe(200);
  expect(outcomes.every((status) => [200, 409].includes(status))).toBe(true);
});

test(`${ROUNDS} cancellations beside a colleague who reserves that time: one reservation stands at it`, async () => {
  const outcomes = await eachRound(async (round, n) => {
    const others = await addProspects(database.db, tenant.accountId, [{ company_email: `other@round${n}.example` }]);
    const made = async () => {
      await sleep(n);
      return (await reserve(round.sendAt, others)).body as { status: string; id: number };
    };
    const early = n === 0 ? await cancel(round) : null;
    const first = n === ROUNDS - 1 ? await made() : null;
    const [answer, { status, id }] = await Promise.all([early ?? cancel(round), first ?? made()]);
    // Who came second found the other: it was not given back, or the companies were added to it.
    expect([n, answer.reservation, status]).toStrictEqual(
      id === round.id ? [n, 'restored', 'updated'] : [n, 'taken', 'added'],
    );
    expect(answer.reservation_id).toBe(id);
    expect(await read({ id })).toMatchObject({ state: 'pending', targets: id === round.id ? 3 : 1 });
    expect(await holders(others[0] ?? 0)).toStrictEqual([id]);
    return answer.reservation;
  });
  expect(new Set(outcomes)).toStrictEqual(new Set(['restored', 'taken']));
});

test(`${ROUNDS} cancellations beside a colleague who reserves the companies: each is reserved once`, async () => {
  await eachRound(async (round, n) => {
    const made = async () => {
      await sleep(n);
      return reserve(`${LATER_DAY} 11:00:00`, round.ids);
    };
    const [answer, { status }] = await Promise.all([cancel(round), made()]);
    expect([n, answer.reservation, status]).toStrictEqual([n, 'restored', 200]);
    for (const id of round.ids) expect([n, await holders(id)]).toStrictEqual([n, [round.id]]);
  });
});

test(`${ROUNDS} pairs of cancellations give back once, and both say so`, async () => {
  await eachRound(async (round) => {
    const [one, other] = await Promise.all([cancel(round), cancel(round, colleague)]);
    expect(one).toMatchObject({ reservation: 'restored', reservation_id: round.id });
    expect(other).toStrictEqual(one);
    const { version, history } = await read(round);
    expect([version, history.filter(({ changes }) => changes.taken_back)]).toMatchObject([3, [{}]]);
  });
});

test('waits for a send of the group that began before; the cancellation of any other run does not', async () => {
  const round = await addRound(0);
  const companies = await addProspects(database.db, tenant.accountId, [{ company_email: 'info@plain.example' }]);
  const { body } = await member.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode: 0,
    attack_list: attackList(companies),
  });
  const plain = { ...round, run: (body as { send_log_id: number }).send_log_id };
  let waiting: Promise<unknown> = Promise.resolve();
  await database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('sender_group').select('id').forNoKeyUpdate().execute();
    waiting = cancel(round);
    await untilBlocked(database);
    expect(await cancel(plain)).toMatchObject({ left: 0 });
    expect((await read(round)).state).toBe('sent');
  });
  expect(await waiting).toMatchObject({ reservation: 'restored' });
});
