import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addContact, addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates, testSink, testWorker, unbalancedRuns, untilBlocked, untilSettled } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    [0, 1, 2].map((n) => ({ company_name: `株式会社${n}`, company_email: `info${n}@a.example`, ceo: '山田' })),
  );
});

const list = (prospectIds: readonly number[], company_email?: string) =>
  prospectIds.map((prospect_id) => ({ prospect_id, ...(company_email !== undefined && { company_email }) }));

const send = (body: object, headers?: Record<string, string>) =>
  client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, ...body }, headers);

const runs = async () => (await database.db.selectFrom('send_log').select('id').execute()).length;
const nothing = (skipped: readonly number[], reason: string) => ({
  status: 'no-added',
  send_log_id: null,
  accepted: 0,
  skipped: skipped.map((prospect_id) => ({ prospect_id, reason })),
});

describe('POST /mail/send/{sender_id}', () => {
  test('queues one mail for each target, to the stored address', async () => {
    const answer = await send({ attack_list: list(ids, 'somebody-else@evil.example'), days_from_lastday: 7 });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'accepted', accepted: 3, skipped: [] });
    const rows = await database.db.selectFrom('delivery').selectAll().orderBy('row_index').execute();
    expect(rows.map(({ mail_to }) => mail_to)).toStrictEqual(['info0@a.example', 'info1@a.example', 'info2@a.example']);
    expect(new Set(rows.map(({ message_id }) => message_id)).size).toBe(3);
    expect(rows[0]).toMatchObject({ state: 'queued', person_in_charge: '山田', company_name: '株式会社0' });
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('accepts the attack list as a JSON string too, as in the specification', async () => {
    const answer = await send({ attack_list: JSON.stringify(list(ids)), datetime_list: null });
    expect(answer.body).toMatchObject({ accepted: 3 });
  });

  test('bad-inputs 121: in test mode every mail goes to the test address, with the row index for [n]', async () => {
    await send({ test_send_mode: 1, attack_list: list(ids, 'test+[n]@example.com') });
    const rows = await database.db
      .selectFrom('delivery')
      .select(['mail_to', 'test_send_mode'])
      .orderBy('row_index')
      .execute();
    expect(rows).toStrictEqual([0, 1, 2].map((n) => ({ mail_to: `test+${n}@example.com`, test_send_mode: true })));
  });

  test.each(['', '[n]', '[n]@x.jp,b@y.jp', 'a@b', 'x:a@y.jp;'])(
    'bad-inputs 121: refuses the test address %j',
    async (address) => {
      const answer = await send({ test_send_mode: 1, attack_list: list(ids, address) });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_test_address' } });
      expect(await countStates(database.db)).toStrictEqual({});
    },
  );

  test('skips ineligible prospects that the client lists, with the reason', async () => {
    const { db } = database;
    const [inactive = 0, recent = 0, open = 0] = ids;
    const [noMail = 0, twin = 0, fine = 0] = await addProspects(db, tenant.accountId, [
      { company_name: '株式会社無', company_email: null },
      { company_name: '株式会社双子', company_email: 'INFO9@a.example' },
      { company_name: '株式会社可', company_email: 'info9@a.example' },
    ]);
    await db
      .insertInto('active_prospect')
      .values({
        account_id: tenant.accountId,
        sender_group_id: tenant.senderGroupId,
        prospect_id: inactive,
        active: false,
      })
      .execute();
    await addContact(db, tenant, recent, new Date(Date.now() - (7 * 24 - 1) * 3_600_000));
    await addDelivery(db, tenant, open, { state: 'unknown' });
    const answer = await send({
      attack_list: list([inactive, recent, open, noMail, fine, twin, fine, 987_654]),
      days_from_lastday: 7,
    });
    expect(answer.body).toMatchObject({
      accepted: 1,
      skipped: [
        { prospect_id: inactive, reason: 'inactive' },
        { prospect_id: recent, reason: 'recently_sent' },
        { prospect_id: open, reason: 'open_delivery' },
        { prospect_id: noMail, reason: 'no_email' },
        { prospect_id: twin, reason: 'duplicate' },
        { prospect_id: fine, reason: 'duplicate' },
        { prospect_id: 987_654, reason: 'not_found' },
      ],
    });
  });

  test('bad-inputs 53: prospects of a pending reservation of the group are skipped, unless it is a test', async () => {
    const { db } = database;
    const [reserved = 0, tested = 0, freed = 0] = ids;
    const sendAt = new Date(Date.now() + 24 * 3_600_000);
    await addReservation(db, tenant, [reserved], { sendAt });
    await addReservation(db, tenant, [tested], { sendAt, test: true });
    await addReservation(db, tenant, [freed], { sendAt, pending: false });
    const answer = await send({ attack_list: list(ids) });
    expect(answer.body).toMatchObject({ accepted: 2, skipped: [{ prospect_id: reserved, reason: 'reserved' }] });
    const queued = db.selectFrom('delivery').select('prospect_id').where('state', '=', 'queued').orderBy('prospect_id');
    expect(await queued.execute()).toStrictEqual([{ prospect_id: tested }, { prospect_id: freed }]);
  });

  test('a company that another run takes at the same moment gets a delivery with the reason', async () => {
    const [taken = 0, free = 0] = ids;
    const { db } = database;
    const other = await db.connection().execute(async (connection) => {
      await sql`BEGIN`.execute(connection);
      await addDelivery(connection, tenant, taken, { state: 'queued' });
      // Checked before the other run commits, and blocked where it inserts its own delivery.
      const asked = send({ attack_list: list([taken, free]) });
      await untilBlocked(database);
      await sql`COMMIT`.execute(connection);
      return asked;
    });
    expect(other.body).toMatchObject({ accepted: 1, skipped: [{ prospect_id: taken, reason: 'open_delivery' }] });
    const { send_log_id } = other.body as { send_log_id: number };
    const rows = await db
      .selectFrom('delivery')
      .select(['state', 'reason'])
      .where('send_log_id', '=', send_log_id)
      .orderBy('state')
      .execute();
    expect(rows).toStrictEqual([
      { state: 'cancelled', reason: 'open_delivery' },
      { state: 'queued', reason: null },
    ]);
  });

  test('bad-inputs 205: a repeated send within the interval is no-added, and makes no run', async () => {
    await send({ attack_list: list(ids) });
    for (let click = 0; click < 3; click += 1) {
      expect(await send({ attack_list: list(ids) })).toStrictEqual({
        status: 200,
        body: nothing(ids, 'open_delivery'),
      });
    }
    expect(await runs()).toBe(1);
  });

  test('a send whose companies another run takes at the same moment is no-added and writes nothing', async () => {
    const answer = await database.db.connection().execute(async (connection) => {
      await sql`BEGIN`.execute(connection);
      for (const id of ids) await addDelivery(connection, tenant, id, { state: 'queued' });
      const asked = send({ attack_list: list(ids) });
      await untilBlocked(database);
      await sql`COMMIT`.execute(connection);
      return asked;
    });
    expect(answer.body).toStrictEqual(nothing(ids, 'open_delivery'));
    expect(await runs()).toBe(ids.length);
    expect(await countStates(database.db)).toStrictEqual({ queued: ids.length });
  });

  test('skips companies that are reserved at the same moment', async () => {
    const [first = 0, second = 0, third = 0] = ids;
    const asked = await database.db.transaction().execute(async (tx) => {
      // Blocks every transaction that writes a run or a reservation of the sender.
      await tx.selectFrom('sender').select('id').forUpdate().execute();
      const attack_list = list([first, second]);
      const hour = 3_600_000;
      const send_at = new Date(Math.floor(Date.now() / hour + 1) * hour).toISOString();
      const add = { sender_id: tenant.senderId, send_at, test_send_mode: 0, attack_list, active: 1 };
      const reserving = client.post('/reservation', { add_info: add, duplicate_key_update_info: {} });
      await untilBlocked(database);
      const sending = send({ attack_list: list([second, third]) });
      await untilBlocked(database, 2);
      return { reserving, sending };
    });
    expect((await asked.reserving).body).toMatchObject({ status: 'added', skipped: [] });
    expect((await asked.sending).body).toMatchObject({
      accepted: 1,
      skipped: [{ prospect_id: second, reason: 'reserved' }],
    });
    const queued = database.db.selectFrom('delivery').select('prospect_id').where('state', '=', 'queued');
    expect(await queued.execute()).toStrictEqual([{ prospect_id: third }]);
  });

  test.each([0, 1])(
    'bad-inputs 206: a list as the specification makes it of companies without person or address is taken (test %i)',
    async (test_send_mode) => {
      const [noMail = 0, nobody = 0] = await addProspects(database.db, tenant.accountId, [
        { company_name: '株式会社無', company_email: null, ceo: null },
        { company_name: '株式会社某', company_email: 'info@b.example', ceo: null },
      ]);
      await database.db.updateTable('mail_template').set({ text_body: '{{ person_in_charge }}' }).execute();
      const attack_list = [
        { prospect_id: noMail, company_name: '株式会社無', company_email: null, person_in_charge: null },
        { prospect_id: nobody, company_name: '株式会社某', company_email: 'info@b.example', person_in_charge: null },
      ];
      const preview = await client.post(`/mail/preview/${tenant.senderId}`, { test_send_mode, attack_list });
      const skipped = [{ prospect_id: noMail, reason: 'no_email' }];
      expect(preview.body).toMatchObject({ total: 1, mail: { text: expect.stringMatching(/^ご担当者様\n/) }, skipped });
      expect((await send({ test_send_mode, attack_list })).body).toMatchObject({ accepted: 1, skipped });
    },
  );

  test("a test never falls back to the company's own address", async () => {
    const attack_list = ids.map((prospect_id) => ({ prospect_id, company_email: null }));
    expect((await send({ test_send_mode: 1, attack_list })).body).toStrictEqual(nothing(ids, 'no_email'));
  });

  test('without an interval in the request, it is 7 days', async () => {
    const [early = 0, late = 0] = ids;
    await addContact(database.db, tenant, early, new Date(Date.now() - (7 * 24 - 1) * 3_600_000));
    await addContact(database.db, tenant, late, new Date(Date.now() - (7 * 24 + 1) * 3_600_000));
    const answer = await send({ attack_list: list([early, late]) });
    expect(answer.body).toMatchObject({ accepted: 1, skipped: [{ prospect_id: early, reason: 'recently_sent' }] });
  });

  test('with an interval of 0 days, a company that was just mailed is mailed again', async () => {
    for (const id of ids) await addContact(database.db, tenant, id, new Date());
    const preview = await client.get(
      `/attack_list/preview?sender_group_id=${tenant.senderGroupId}&days_from_lastday=0&limit_count=10`,
    );
    expect(preview.body).toMatchObject({ eligible: 3, left_out: { recently_sent: 0 } });
    const answer = await send({ attack_list: list(ids), days_from_lastday: 0 });
    expect(answer.body).toMatchObject({ accepted: 3, skipped: [] });
    const sink = await testSink();
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
  });

  test('nothing in the list', async () => {
    const answer = await send({ attack_list: [] });
    expect(answer).toMatchObject({ status: 400, body: { message: 'アタックリストが0件です' } });
  });

  test('more than 1,000 targets, unknown fields and a foreign sender are refused', async () => {
    expect((await send({ attack_list: Array.from({ length: 1001 }, (_, n) => ({ prospect_id: n + 1 })) })).status).toBe(
      400,
    );
    expect((await send({ attack_list: list(ids), is_sent: 1 })).status).toBe(400);
    const stranger = await addTenant(database.db);
    const answer = await client.post(`/mail/send/${stranger.senderId}`, { test_send_mode: 0, attack_list: list(ids) });
    expect(answer.status).toBe(404);
  });

  test("another account's prospects are not found", async () => {
    const stranger = await addTenant(database.db);
    const [foreign = 0] = await addProspects(database.db, stranger.accountId, [{ company_email: 'x@b.example' }]);
    const answer = await send({ attack_list: list([foreign]) });
    expect(answer).toStrictEqual({ status: 200, body: nothing([foreign], 'not_found') });
    expect(await countStates(database.db)).toStrictEqual({});
  });

  test('a template that cannot be rendered is refused, and nothing is written', async () => {
    await database.db.updateTable('mail_template').set({ text_body: '{{ company_nam }} 御中' }).execute();
    const answer = await send({ attack_list: list(ids) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
    expect(await countStates(database.db)).toStrictEqual({});
  });

  test('a subject that would break the header is refused', async () => {
    await database.db.updateTable('sender').set({ subject: 'ご提案\r\nBcc: evil@example.com' }).execute();
    expect(await send({ attack_list: list(ids) })).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
  });

  test('candidate dates outside the window are refused', async () => {
    const answer = await send({
      attack_list: list(ids),
      datetime_list: [{ date: '2020-01-06', start_time: '9:00', end_time: '18:00' }],
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_candidate_date' } });
  });
});

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': '4f1f7c1c-key' };

  test('a repeated request gets the first answer and sends nothing', async () => {
    const first = await send({ attack_list: list(ids) }, key);
    const second = await send({ attack_list: list(ids) }, key);
    expect(second).toStrictEqual(first);
    expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
  });

  test('bad-inputs 57: 20 at once make one run', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ attack_list: list(ids) }, key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
  });

  test('of a no-added send stays unused, until a request with it makes a run', async () => {
    const [company = 0] = ids;
    const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
    const off = { account_id, sender_group_id, prospect_id: company, active: false };
    await database.db.insertInto('active_prospect').values(off).execute();
    const ask = () => send({ attack_list: list([company]) }, key);
    expect((await ask()).body).toStrictEqual(nothing([company], 'inactive'));
    await database.db.updateTable('active_prospect').set({ active: true }).execute();
    const first = await ask();
    expect(first.body).toMatchObject({ status: 'accepted', accepted: 1 });
    expect(await ask()).toStrictEqual(first);
    expect(await runs()).toBe(1);
  });

  test('bad-inputs 56: with another body it is a conflict', async () => {
    await send({ attack_list: list(ids) }, key);
    const answer = await send({ attack_list: list(ids.slice(1)) }, key);
    expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  });

  test('belongs to an account: the same key of another account is independent', async () => {
    const first = await send({ attack_list: list(ids) }, key);
    const stranger = await addTenant(database.db);
    const theirs = await addProspects(database.db, stranger.accountId, [{ company_email: 'x@b.example' }]);
    const asking = await clientOf(database, stranger.accountId);
    const ask = (senderId: number, attack_list: object[]) =>
      asking.post(`/mail/send/${senderId}`, { test_send_mode: 0, attack_list }, key);
    expect(await ask(tenant.senderId, list(ids))).toMatchObject({ status: 404 });
    const own = await ask(stranger.senderId, list(theirs));
    expect(own).toMatchObject({ status: 200, body: { accepted: 1, skipped: [] } });
    expect(own.body).not.toMatchObject({ send_log_id: (first.body as { send_log_id: number }).send_log_id });
    expect(await send({ attack_list: list(ids) }, key)).toStrictEqual(first);
    expect(await countStates(database.db)).toStrictEqual({ queued: 4 });
  });
});

test('20 concurrent sends without a key send each company one mail', async () => {
  const backwards = ids.toReversed();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => send({ attack_list: list(n % 2 === 0 ? ids : backwards) })),
  );
  const accepted = answers.map(({ body }) => (body as { accepted: number }).accepted);
  expect(accepted.reduce((sum, count) => sum + count)).toBe(3);
  expect(await countStates(database.db)).toMatchObject({ queued: 3 });
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

describe('GET /send_log/{id}', () => {
  test('counts the mails of the run by state', async () => {
    const { body } = await send({ attack_list: list([...ids, ids[0] ?? 0]) });
    const { send_log_id } = body as { send_log_id: number };
    const progress = await client.get(`/send_log/${send_log_id}`);
    expect(progress.body).toMatchObject({ id: send_log_id, targets: 3, queued: 3, sent: 0, finished: false });
  });
});
