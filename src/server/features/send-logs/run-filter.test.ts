import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { viewDeliveries, viewSendLogs } from '#contract/sending/send-logs.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const view = async (query: string) => {
  const { body, status } = await client.get(`/send_log/view?${query}`);
  expect([query, status]).toStrictEqual([query, 200]);
  return body as CallAnswer<typeof viewSendLogs>;
};
const idsOf = async (query: string) => (await view(query)).rows.map(({ id }) => id);

const setRun = (id: number, values: object) =>
  database.db.updateTable('send_log').set(values).where('id', '=', id).execute();
const finish = (id: number, state = 'sent') =>
  database.db.updateTable('delivery').set({ state, finished_at: new Date() }).where('send_log_id', '=', id).execute();

test('runs are narrowed by day in Japan, mode, state, group, template and words of the subject', async () => {
  const { id: test1 } = await acceptRun(database, tenant, 1, { test: true });
  const { id: ended } = await acceptRun(database, tenant, 1);
  const { id: paused } = await acceptRun(database, tenant, 1);
  const { id: open } = await acceptRun(database, tenant, 1);
  await finish(ended);
  await setRun(paused, { paused_by: 'user' });
  await setRun(ended, { sent_at: new Date('2026-10-31T15:00:00Z'), mail: sql`mail || '{"subject":"ＩＴの ご提案"}'` });
  await setRun(paused, { sent_at: new Date('2026-11-01T14:59:59Z') });
  await setRun(open, { sent_at: new Date('2026-11-01T15:00:00Z') });
  expect(await idsOf('')).toStrictEqual([open, paused, ended, test1]);
  expect(await idsOf('from=2026-11-01&to=2026-11-01')).toStrictEqual([paused, ended]);
  expect(await idsOf('to=2026-10-31')).toStrictEqual([]);
  expect(await idsOf('test_send_mode=0')).toStrictEqual([open, paused, ended]);
  expect(await idsOf('test_send_mode=1')).toStrictEqual([test1]);
  expect(await idsOf('state=finished')).toStrictEqual([ended]);
  expect(await idsOf('state=paused')).toStrictEqual([paused]);
  expect(await idsOf('state=sending')).toStrictEqual([open, test1]);
  expect(await idsOf(`search=${encodeURIComponent('提案 it')}`)).toStrictEqual([ended]);
  expect(await idsOf('search=%25')).toStrictEqual([]);
  expect(await idsOf(`sender_group_id=${tenant.senderGroupId}&pagenate_count=20`)).toHaveLength(4);
  expect(await idsOf('sender_group_id=999999')).toStrictEqual([]);
  expect(await idsOf('template_id=999999')).toStrictEqual([]);
  expect((await view('state=sending')).total).toBe(2);
  // The last mails of a run are with a worker.
  await database.db
    .updateTable('delivery')
    .set({ state: 'sending', lease_until: new Date(Date.now() + 60_000) })
    .where('send_log_id', '=', open)
    .execute();
  expect(await idsOf('state=sending')).toStrictEqual([open, test1]);
  expect(await idsOf('state=finished')).toStrictEqual([ended]);
  expect((await client.get('/send_log/view?from=2026-02-30')).status).toBe(400);
});

describe('answers and refusals of a run', () => {
  const mailsOf = (id: number) =>
    database.db.selectFrom('delivery').selectAll().where('send_log_id', '=', id).orderBy('id').execute();
  const answers = (mails: Awaited<ReturnType<typeof mailsOf>>, ...kinds: [number, string][]) =>
    database.db
      .insertInto('reply')
      .values(
        kinds.map(([n, kind]) => ({
          account_id: tenant.accountId,
          delivery_id: mails[n]?.id ?? 0,
          prospect_id: mails[n]?.prospect_id ?? 0,
          kind,
          message_hash: Buffer.from(`${n} ${kind} ${Math.random()}`),
        })),
      )
      .execute();
  const refusal = (deliveryId: number | undefined, value: string, values: object = {}) =>
    database.db
      .insertInto('suppression')
      .values({
        account_id: tenant.accountId,
        kind: 'address',
        reason: '',
        delivery_id: deliveryId ?? 0,
        value,
        class: 'refused',
        source: 'link',
        ...values,
      })
      .execute();

  test('are counted by mail, as the reports count them', async () => {
    const { id } = await acceptRun(database, tenant, 5);
    const { id: other } = await acceptRun(database, tenant, 1);
    await finish(id);
    const mails = await mailsOf(id);
    await answers(mails, [0, 'reply'], [0, 'reply'], [1, 'manual'], [2, 'auto_reply']);
    // An answer that refuses stops the address of the mail, and that of its writer.
    await refusal(mails[2]?.id, 'info2@a.example', { source: 'reply' });
    await refusal(mails[2]?.id, 'colleague@a.example', { source: 'reply' });
    await refusal(mails[3]?.id, 'info3@a.example', { source: 'complaint' });
    await refusal(mails[4]?.id, 'info4@a.example', { class: 'undeliverable', source: 'dsn' });
    expect((await view('')).rows).toMatchObject([
      { id: other, replied: 0, refused: 0 },
      { id, replied: 2, refused: 1 },
    ]);
    const today = dayOf(Date.now());
    const { body } = await client.get(`/report/view?from=${addDays(today, -1)}&to=${addDays(today, 1)}`);
    expect((body as { total: object }).total).toMatchObject({ replied: 2, refused: 1 });
  });

  test('stay when a member lifts the suppression', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    await finish(id);
    await refusal((await mailsOf(id))[0]?.id, 'info0@a.example');
    await database.db.deleteFrom('suppression').execute();
    expect((await view('')).rows).toMatchObject([{ id, refused: 1 }]);
  });
});

test('mails of a run are found by words of the company name', async () => {
  const { id } = await acceptRun(database, tenant, 3);
  const find = async (search: string) => {
    const { body } = await client.get(`/send_log/${id}/deliveries?search=${encodeURIComponent(search)}`);
    const { rows, total } = body as CallAnswer<typeof viewDeliveries>;
    return [total, rows.map(({ company_name }) => company_name)];
  };
  await finish(id, 'failed');
  expect(await find('会社１')).toStrictEqual([1, ['株式会社1']]);
  expect(await find('株式 2')).toStrictEqual([1, ['株式会社2']]);
  expect(await find('_')).toStrictEqual([0, []]);
  expect(await find('')).toMatchObject([3, {}]);
});

test('the open runs, answers and refusals are read by their indexes', async () => {
  const { accountId } = tenant;
  const { id } = await acceptRun(database, tenant, 400);
  await finish(id);
  await acceptRun(database, tenant, 1);
  await sql`ANALYZE delivery, reply, suppression`.execute(database.db);
  const open = await planByIndexes(
    database.db,
    sql`SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
      UNION SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL`,
  );
  expect(open).toMatch(/delivery_queue_idx/);
  expect(open).toMatch(/delivery_lease_idx/);
  expect(open).not.toMatch(/Seq Scan/);
});
