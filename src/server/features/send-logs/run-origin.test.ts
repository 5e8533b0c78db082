import { beforeEach, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { viewRunOrigin } from '#contract/sending/send-logs.ts';
import { startReservation } from '#server/features/reservations/due.command.ts';
import { Problem } from '#server/platform/problem.ts';
import type { Client } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import type { Tenant } from '#test/prospects.ts';
import { attackList, reservationBody, reservationScene } from '#test/reservations.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
});

const CONDITIONS = {
  status: 'unsent',
  address: '東京',
  amount_of_sales_from: 100,
  sort: 'company_name',
  order: 'desc',
};

const origin = async (id: number) => {
  const { status, body } = await client.get(`/send_log/${id}/origin`);
  expect(status).toBe(200);
  return body as CallAnswer<typeof viewRunOrigin>;
};

async function send(more: object): Promise<number> {
  const body = { test_send_mode: 0, attack_list: attackList(ids), days_from_lastday: 30, ...more };
  const answer = await client.post(`/mail/send/${tenant.senderId}`, body);
  expect(answer.status).toBe(200);
  return (answer.body as { send_log_id: number }).send_log_id;
}

/** Reserves the first and the second company with two requests, and starts the reservation. */
async function reserveTwice(first: object | null | undefined, second: object | null | undefined): Promise<number> {
  for (const [n, list_conditions] of [first, second].entries()) {
    const body = reservationBody({ sender_id: tenant.senderId, attack_list: attackList(ids.slice(n, n + 1)) });
    expect((await client.post('/reservation', { ...body, list_conditions })).status).toBe(200);
  }
  const sendAt = new Date(Date.now() - 1000);
  const { id } = await database.db
    .updateTable('reservation')
    .set({ send_at: sendAt })
    .returning('id')
    .executeTakeFirstOrThrow();
  const run = await startReservation(
    database.service.db,
    { accountId: tenant.accountId, id },
    sendAt.getTime(),
    TEST_MAILING,
  );
  if (run === null || run instanceof Problem) throw new Error('the reservation did not start');
  return run.sendLogId;
}

test('a run shows who sent it, from whom, to which list, and whom it left out', async () => {
  const stop = { account_id: tenant.accountId, kind: 'address', value: 'info0@a.example', reason: '' };
  await database.db
    .insertInto('suppression')
    .values({ ...stop, class: 'refused', source: 'link' })
    .execute();
  const id = await send({ list_conditions: CONDITIONS });
  expect(await origin(id)).toStrictEqual({
    member_name: expect.stringMatching(/./),
    sender_group_id: tenant.senderGroupId,
    sender_id: tenant.senderId,
    from: { name: expect.stringMatching(/./), address: expect.stringContaining('@') },
    days_from_lastday: 30,
    list_conditions: CONDITIONS,
    companies_chosen: false,
    left_out: [{ reason: 'suppressed', count: 1 }],
  });
});

test('cancelled mails do not count as left out', async () => {
  const id = await send({});
  await client.put(`/send_log/${id}`, { update_info: { state: 'cancelled' } });
  expect(await origin(id)).toMatchObject({ list_conditions: null, left_out: [] });
});

const CHOSEN = { list_conditions: null, companies_chosen: true };
const UNKNOWN = { list_conditions: null, companies_chosen: false };

test('a run of companies that were chosen one by one says so, and not one whose client says nothing', async () => {
  expect(await origin(await send({ list_conditions: null, attack_list: attackList(ids.slice(0, 1)) }))).toMatchObject(
    CHOSEN,
  );
  expect(await origin(await send({ attack_list: attackList(ids.slice(1)) }))).toMatchObject(UNKNOWN);
});

test.each([
  ['hands its conditions to its run', CONDITIONS, CONDITIONS, { list_conditions: CONDITIONS, companies_chosen: false }],
  ['hands on that its companies were chosen', null, null, CHOSEN],
  ['of two conditions has none', CONDITIONS, { address: '大阪' }, UNKNOWN],
  ['of chosen companies and of a condition has none', null, CONDITIONS, UNKNOWN],
  ['of a condition and of chosen companies has none', CONDITIONS, null, UNKNOWN],
  ['of an unknown list and of chosen companies has none', undefined, null, UNKNOWN],
  ['of chosen companies and of an unknown list has none', null, undefined, UNKNOWN],
])('a reservation %s', async (_name, first, second, expected) => {
  expect(await origin(await reserveTwice(first, second))).toMatchObject(expected);
});

test.each([
  [{ address: Array.from({ length: 1000 }, () => '東京').join('、') }],
  [{ amount_of_sales_from: 'many' }],
  [{ sort: 'password_hash' }],
  [{ unknown: 1 }],
  [{ status: 'archived' }],
  [[]],
  [0],
  ['null'],
])('conditions that no list can have are refused: %o', async (list_conditions) => {
  const body = { test_send_mode: 0, attack_list: attackList(ids), list_conditions };
  expect((await client.post(`/mail/send/${tenant.senderId}`, body)).status).toBe(400);
});

test('a send log recorded by hand has no origin', async () => {
  const add = { sender_group_id: tenant.senderGroupId, attack_list: [ids[0]] };
  const { body } = await client.post('/send_log', add);
  const id = await database.db.selectFrom('send_log').select('id').executeTakeFirstOrThrow();
  expect([body, (await client.get(`/send_log/${id.id}/origin`)).status]).toMatchObject([{}, 404]);
});
