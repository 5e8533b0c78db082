import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addContact, addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { NOW } from '#test/reservations.ts';
import { unbalancedRuns } from '#test/sending.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId, () => NOW);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1, 2].map((n) => ({ company_email: `info${n}@a.example` })),
  );
});

const record = (body: object = {}) =>
  client.post('/send_log', { sender_group_id: tenant.senderGroupId, attack_list: JSON.stringify(ids), ...body });

const list = async (where_info: object = {}, columns?: readonly string[]) => {
  const query = new URLSearchParams({ where_info: JSON.stringify(where_info) });
  if (columns) query.set('columns', JSON.stringify(columns));
  const { status, body } = await client.get(`/send_log/list?${query}`);
  expect(status).toBe(200);
  return body;
};

const lastSent = async () => {
  const rows = await database.db
    .selectFrom('contact_state')
    .select(['prospect_id', 'last_sent_at'])
    .orderBy('prospect_id')
    .execute();
  return Object.fromEntries(rows.map(({ prospect_id, last_sent_at }) => [prospect_id, last_sent_at.getTime()]));
};

const counts = async () => {
  const logs = await database.db.selectFrom('send_log').select('id').execute();
  const contacts = await database.db.selectFrom('recorded_contact').select('prospect_id').execute();
  return [logs.length, contacts.length];
};

describe('POST /send_log', () => {
  test('records a mail sent elsewhere: a log with its companies, and a contact of the group', async () => {
    const answer = await record({ sent_at: '2026/11/17 09:30:00' });
    const { id } = answer.body as { id: number };
    expect(answer).toStrictEqual({ status: 200, body: { status: 'added', id, skipped: [] } });
    expect(await list()).toStrictEqual([
      {
        id,
        sender_group_id: tenant.senderGroupId,
        sender_id: null,
        sent_at: '2026/11/17 09:30:00',
        attack_list: ids,
        test_send_mode: 0,
      },
    ]);
    expect((await client.get(`/send_log/${id}`)).body).toMatchObject({ id, targets: 0, queued: 0, finished: true });
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    const view = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}&status=sent`);
    expect(view.body).toMatchObject({ total: 3, rows: ids.map(() => ({ sent_at: '2026/11/17 09:30' })) });
  });

  test('the contact counts for the re-send interval of this group alone', async () => {
    await record({ sent_at: '2026/11/12 12:00:00' });
    const preview = (days: number) =>
      client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}&days_from_lastday=${days}`);
    expect((await preview(7)).body).toMatchObject({ eligible: 0, left_out: { recently_sent: 3 } });
    expect((await preview(6)).body).toMatchObject({ eligible: 3 });
    const attack_list = ids.map((prospect_id) => ({ prospect_id }));
    const sent = await client.post(`/mail/send/${tenant.senderId}`, {
      test_send_mode: 0,
      attack_list,
      days_from_lastday: 7,
    });
    expect(sent.body).toMatchObject({
      status: 'no-added',
      accepted: 0,
      skipped: ids.map(() => ({ reason: 'recently_sent' })),
    });
  });

  test('never moves the last contact back', async () => {
    const [sooner = 0, later = 0, never = 0] = ids;
    const at = NOW - 5 * DAY;
    await addContact(database.db, tenant, sooner, new Date(at - DAY));
    await addContact(database.db, tenant, later, new Date(at + DAY));
    await record({ sent_at: new Date(at).toISOString() });
    expect(await lastSent()).toStrictEqual({ [sooner]: at, [later]: at + DAY, [never]: at });
  });

  test('accepts ids and entries, as values or JSON; the time defaults to now', async () => {
    const [first, second, third] = ids;
    const answer = await record({ attack_list: [first, { prospect_id: second, company_name: '甲' }, third] });
    expect(answer.body).toMatchObject({ status: 'added', skipped: [] });
    expect(Object.values(await lastSent())).toStrictEqual([NOW, NOW, NOW]);
  });

  test("bad-inputs 49, 51: another account's companies and repeated ones are skipped", async () => {
    const stranger = await addTenant(database.db);
    const [foreign = 0] = await addProspects(database.db, stranger.accountId, [{}]);
    const [first] = ids;
    const skipped = [
      { prospect_id: foreign, reason: 'not_found' },
      { prospect_id: 987_654, reason: 'not_found' },
    ];
    const answer = await record({ attack_list: [foreign, 987_654, first, first] });
    expect(answer.body).toMatchObject({
      status: 'added',
      skipped: [...skipped, { prospect_id: first, reason: 'duplicate' }],
    });
    expect(await counts()).toStrictEqual([1, 1]);
    const none = await record({ attack_list: [foreign, 987_654] });
    expect(none).toStrictEqual({ status: 200, body: { status: 'no-added', id: null, skipped } });
    expect(await counts()).toStrictEqual([1, 1]);
  });

  test("another account's group, and an unknown id, are not found", async () => {
    const stranger = await addTenant(database.db);
    const foreign = await record({ sender_group_id: stranger.senderGroupId });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const sender_group_id of [987_654, 2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      expect(await record({ sender_group_id })).toStrictEqual(foreign);
    }
    expect(await counts()).toStrictEqual([0, 0]);
  });

  test.each([
    ['a little ahead of our clock counts as now', 4 * 60_000, NOW],
    ['exactly the oldest', -3650 * DAY, NOW - 3650 * DAY],
  ])('sent_at %s', async (_, offset, kept) => {
    expect((await record({ sent_at: new Date(NOW + offset).toISOString() })).status).toBe(200);
    expect(Object.values(await lastSent())).toStrictEqual([kept, kept, kept]);
  });

  test.each([
    ['in the future', new Date(NOW + 6 * 60_000).toISOString(), 'invalid_sent_at'],
    ['a year ahead', '2027/11/18 12:00:00', 'invalid_sent_at'],
    ['too old', new Date(NOW - 3650 * DAY - 1).toISOString(), 'invalid_sent_at'],
    ['of the year 1', '0001/01/01 00:00:00', 'invalid_sent_at'],
    ['that is no day', '2026/02/30 00:00:00', 'invalid_input'],
    ['empty', '', 'invalid_input'],
    ['null', null, 'invalid_input'],
    ['a number', NOW, 'invalid_input'],
  ])('a sent_at %s is refused', async (_, sent_at, code) => {
    expect(await record({ sent_at })).toMatchObject({ status: 400, body: { code } });
    expect(await counts()).toStrictEqual([0, 0]);
  });

  test.each([
    ['bad-inputs 21–26: impossible ids', { attack_list: [0] }],
    ['bad-inputs 22', { attack_list: [-1] }],
    ['bad-inputs 23', { attack_list: [1.5] }],
    ['bad-inputs 26', { attack_list: '[9223372036854775808]' }],
    ['bad-inputs 28', { attack_list: ['1 OR 1=1'] }],
    ['bad-inputs 29', { sender_group_id: [1, 2] }],
    ['bad-inputs 30', { attack_list: '[1' }],
    ['bad-inputs 50', { attack_list: Array.from({ length: 1001 }, (_, n) => n + 1) }],
    ['an unknown part', { attack_list: [{ prospect_id: 1, id: 1 }] }],
    ['an unknown field', { targets: 5 }],
    ['a test', { test_send_mode: 1 }],
    ['no group', { sender_group_id: undefined }],
  ])('%s: refused', async (_, body) => {
    expect(await record(body)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await counts()).toStrictEqual([0, 0]);
  });

  test('bad-inputs 52: nothing in the list', async () => {
    expect(await record({ attack_list: '[]' })).toMatchObject({
      status: 400,
      body: { message: 'アタックリストが0件です' },
    });
  });

  test('20 concurrent requests in opposite orders are all recorded', async () => {
    const backwards = ids.toReversed();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => record({ attack_list: n % 2 === 0 ? ids : backwards })),
    );
    expect(answers.map(({ status }) => status)).toStrictEqual(Array(20).fill(200));
    expect(await counts()).toStrictEqual([20, 60]);
  });
});

describe('GET /send_log/list', () => {
  test('lists the companies that count as contacted, newest log first', async () => {
    const { db } = database;
    const [first = 0] = ids;
    const logs: number[] = [];
    for (const state of ['sent', 'failed', 'cancelled', 'queued', 'unknown']) {
      // One at a time: a company has one open delivery.
      logs.push(await addDelivery(db, tenant, first, { state }));
      if (state === 'queued')
        await db.updateTable('delivery').set({ state: 'failed' }).where('state', '=', state).execute();
    }
    const [sent, failed, cancelled, queued, unknown] = logs;
    expect(
      await list({ sender_group_id: tenant.senderGroupId, test_send_mode: 0 }, ['id', 'attack_list']),
    ).toStrictEqual([
      { id: unknown, attack_list: [first] },
      { id: queued, attack_list: [] },
      { id: cancelled, attack_list: [] },
      { id: failed, attack_list: [] },
      { id: sent, attack_list: [first] },
    ]);
  });

  test('filters by each column, and pages by id', async () => {
    const { db } = database;
    const [first = 0] = ids;
    const real = await addDelivery(db, tenant, first, { state: 'sent' });
    const rehearsal = await addDelivery(db, tenant, first, { state: 'sent', test: true });
    const recorded = ((await record({ sent_at: '2026/11/17 09:30:00' })).body as { id: number }).id;
    await db
      .updateTable('send_log')
      .set({ sent_at: new Date('2026-11-18T09:00:00+09:00') })
      .where('id', '<>', recorded)
      .execute();
    const found = async (where: object) => ((await list(where, ['id'])) as { id: number }[]).map(({ id }) => id);
    expect(await found({})).toStrictEqual([recorded, rehearsal, real]);
    expect(await found({ test_send_mode: 0 })).toStrictEqual([recorded, real]);
    expect(await found({ test_send_mode: '1' })).toStrictEqual([rehearsal]);
    expect(await found({ sender_id: tenant.senderId })).toStrictEqual([rehearsal, real]);
    expect(await found({ sender_group_id: String(tenant.senderGroupId), id: { lt: recorded } })).toStrictEqual([
      rehearsal,
      real,
    ]);
    expect(await found({ sent_at: { gte: '2026/11/17 09:30:00', lt: '2026/11/18 09:00:00' } })).toStrictEqual([
      recorded,
    ]);
    expect(await found({ sent_at: '2026/11/18 09:00:00', test_send_mode: 0 })).toStrictEqual([real]);
  });
});
