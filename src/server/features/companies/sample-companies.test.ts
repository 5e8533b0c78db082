import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { nextReservable } from '#test/reservations.ts';
import { untilBlocked } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const add = () => client.post('/prospect/samples', {});
const remove = () => client.post('/prospect/samples/remove', {});
const listed = async () => {
  const { body } = await client.get('/prospect/list?columns[]=id&columns[]=company_name&columns[]=company_email');
  return body as { id: number; company_name: string; company_email: string }[];
};
const TO = { company_email: 'test+[n]@example.jp' };

test('ten companies on reserved domains are added, once', async () => {
  expect([await add(), await add()]).toStrictEqual([
    { status: 200, body: { status: 'added', companies: 10 } },
    { status: 200, body: { status: 'added', companies: 10 } },
  ]);
  const rows = await listed();
  expect(rows).toHaveLength(10);
  for (const { company_name, company_email } of rows) {
    expect(company_name).toMatch(/（見本）$/);
    expect(company_email).toMatch(/^[a-z]+@[a-z]+-mihon\.example$/);
  }
});

test('real sends and reservations leave them out and say why, whatever their address is now; tests go', async () => {
  await add();
  const [own = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'own@a.example' }]);
  await database.db
    .updateTable('prospect')
    .set({ company_email: 'real@a.example', email_search: 'real@a.example' })
    .where('company_name', 'like', '株式会社みどり%')
    .execute();
  const attack_list = (await listed()).map(({ id }) => ({ prospect_id: id, ...TO }));
  const send = (test_send_mode: 0 | 1) => client.post(`/mail/send/${tenant.senderId}`, { test_send_mode, attack_list });
  const preview = await client.post(`/mail/preview/${tenant.senderId}`, { test_send_mode: 0, attack_list });
  expect(preview.body).toMatchObject({ total: 1, mail: { prospect_id: own } });
  const { body } = await send(0);
  const { accepted, skipped } = body as { accepted: number; skipped: { reason: string }[] };
  expect([accepted, skipped.map(({ reason }) => reason)]).toStrictEqual([1, Array(10).fill('sample')]);
  expect(await send(1)).toMatchObject({ body: { accepted: 10, skipped: [{ reason: 'open_delivery' }] } });

  const samples = attack_list.filter(({ prospect_id }) => prospect_id !== own);
  const info = { sender_id: tenant.senderId, send_at: nextReservable(), datetime_list: null, active: 1 };
  const reserve = (test_send_mode: 0 | 1) =>
    client.post('/reservation', {
      add_info: { ...info, test_send_mode, attack_list: samples },
      duplicate_key_update_info: { datetime_list: null, attack_list: samples, active: 1 },
    });
  expect(await reserve(0)).toMatchObject({ body: { status: 'no-added' } });
  expect(await reserve(1)).toMatchObject({ body: { status: 'added' } });
});

test('all are removed in one act; those with a test mail are archived, and come back', async () => {
  await add();
  const [mailed] = await listed();
  const attack_list = [{ prospect_id: mailed?.id, ...TO }];
  await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 1, attack_list });
  const [own] = await addProspects(database.db, tenant.accountId, [{}]);
  expect(await remove()).toStrictEqual({ status: 200, body: { status: 'removed', companies: 10 } });
  expect((await listed()).map(({ id }) => id)).toStrictEqual([own]);
  expect(await client.get(`/prospect/${mailed?.id}`)).toMatchObject({ body: { archived: 1 } });
  expect((await remove()).body).toStrictEqual({ status: 'removed', companies: 0 });
  await add();
  expect(await listed()).toHaveLength(11);
  expect(await client.get(`/prospect/${mailed?.id}`)).toMatchObject({ body: { archived: 0 } });
});

test('a sample to which a test mail is accepted meanwhile is archived', async () => {
  await add();
  const [sample] = await listed();
  const { removing } = await database.db.transaction().execute(async (tx) => {
    await addDelivery(tx, tenant, sample?.id ?? 0, { state: 'queued', test: true });
    const answer = remove();
    await untilBlocked(database);
    return { removing: answer };
  });
  expect(await removing).toStrictEqual({ status: 200, body: { status: 'removed', companies: 10 } });
  expect(await client.get(`/prospect/${sample?.id}`)).toMatchObject({ body: { archived: 1 } });
});

test('a test run of a sample that is deleted meanwhile leaves it out', async () => {
  await add();
  const [sample] = await listed();
  const attack_list = [{ prospect_id: sample?.id, ...TO }];
  const { sending } = await database.db.transaction().execute(async (tx) => {
    await tx
      .deleteFrom('prospect')
      .where('id', '=', sample?.id ?? 0)
      .execute();
    const answer = client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 1, attack_list });
    await untilBlocked(database);
    return { sending: answer };
  });
  expect(await sending).toMatchObject({
    status: 200,
    body: { status: 'no-added', skipped: [{ prospect_id: sample?.id, reason: 'not_found' }] },
  });
});
