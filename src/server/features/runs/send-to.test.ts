import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addPrimary, removePrimary } from '#test/people.ts';
import { addContact } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { reservationBody } from '#test/reservations.ts';
import { chooseUndo, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { setBack } from '#test/sent-run.ts';

/** Orders by their send_to: lists, runs, follow-ups and reservations. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const companies = [0, 1, 2, 3].map((n) => ({
    company_email: n === 2 ? null : `info${n}@a.example`,
    ceo: `代表 ${n}`,
  }));
  ids = await addProspects(database.db, tenant.accountId, companies);
});

const idOf = (n: number) => ids[n] ?? expect.unreachable();
const SATO = { email: 'sato@a.example', department: '購買部', title: '部長', name: '佐藤 一郎' };
const primary = (n: number, person: object = SATO) => addPrimary(database.db, tenant, idOf(n), person);
const PRIMARY = { send_to: 'primary_or_company' } as const;

const targets = (...companies: number[]) =>
  companies.map((n) => ({ prospect_id: idOf(n), company_email: 't@a.example' }));
const send = async (companies: readonly number[], more: object = {}, headers: Record<string, string> = {}) =>
  client.post(
    `/mail/send/${tenant.senderId}`,
    { test_send_mode: 0, attack_list: targets(...companies), days_from_lastday: 0, ...more },
    headers,
  );
const mailsOf = (run: number) =>
  database.db
    .selectFrom('delivery')
    .select(['state', 'reason', 'mail_to', 'person_id', 'person_in_charge'])
    .where('send_log_id', '=', run)
    .orderBy('prospect_id')
    .execute();
const preview = async (query: object = {}, path = 'preview') => {
  const search = new URLSearchParams({ sender_group_id: `${tenant.senderGroupId}`, ...query });
  const { body, status } = await client.get(`/attack_list/${path}?${search}`);
  expect(status).toBe(200);
  return body as { rows: Record<string, unknown>[]; left_out: Record<string, number> };
};

describe('the list', () => {
  test('shows the chosen address, whom the mail greets, and the person', async () => {
    const sato = await primary(0);
    await primary(1, { email: null, name: '高橋' });
    const { rows, left_out } = await preview(PRIMARY);
    const { name, department, title } = SATO;
    expect(rows).toMatchObject([
      {
        prospect_id: ids[0],
        company_email: SATO.email,
        person_in_charge: '購買部 部長 佐藤 一郎',
        person: { id: sato, name, department, title },
      },
      { prospect_id: ids[1], company_email: 'info1@a.example', person_in_charge: '代表 1', person: null },
      { prospect_id: ids[3], company_email: 'info3@a.example', person: null },
    ]);
    expect(left_out).toMatchObject({ no_email: 1 });
    const own = await preview();
    expect(own.rows[0]).toMatchObject({ company_email: 'info0@a.example', person_in_charge: '代表 0', person: null });
    expect(await preview({ ...PRIMARY, reason: 'no_email' }, 'left_out')).toMatchObject({
      rows: [{ prospect_id: ids[2], company_email: '', person: null }],
    });
  });

  test('has a company without an address of its own, by its person', async () => {
    await primary(2);
    expect((await preview()).left_out).toMatchObject({ no_email: 1 });
    expect((await preview(PRIMARY)).rows.map(({ company_email }) => company_email)).toContain(SATO.email);
  });

  test('P3 leaves out a company whose main contact person is suppressed, without a way back to its own address', async () => {
    await primary(0);
    await client.post('/suppression', { add_info: { class: 'blocked', values: [SATO.email] } });
    expect((await preview(PRIMARY)).left_out).toMatchObject({ suppressed: 1 });
    expect((await preview()).left_out).toMatchObject({ suppressed: 0 });
  });

  test('P7 leaves out a company whose shared address is the chosen one, not the other', async () => {
    // Both addresses of the company were mailed as those of others.
    await primary(0, { email: 'shared@a.example' });
    await primary(1, { email: 'shared@a.example' });
    await addContact(database.db, tenant, idOf(3), new Date());
    const row = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId };
    const contact = { ...row, address_key: 'shared@a.example', last_sent_at: new Date() };
    await database.db.insertInto('address_contact').values(contact).execute();
    const shared = [0, 1].map((n) => ({
      account_id: tenant.accountId,
      prospect_id: idOf(n),
      address_key: 'shared@a.example',
    }));
    await database.db.insertInto('shared_address').values(shared).execute();
    expect((await preview()).left_out).toMatchObject({ recently_sent: 1 });
    expect((await preview(PRIMARY)).left_out).toMatchObject({ recently_sent: 3 });
  });

  test('refuses an unknown value', async () => {
    const refused = { status: 400 };
    expect(await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}&send_to=ceo`)).toMatchObject(
      refused,
    );
    expect(await send([0], { send_to: 'ceo' })).toMatchObject(refused);
  });
});

describe('a run', () => {
  test('stores and shows where its mails go', async () => {
    await primary(0);
    for (const [more, wanted] of [
      [{}, 'company'],
      [PRIMARY, 'primary_or_company'],
    ] as const) {
      const { body } = await send([more === PRIMARY ? 0 : 1], more);
      const { send_log_id } = body as { send_log_id: number };
      expect((await client.get(`/send_log/${send_log_id}`)).body).toMatchObject({ send_to: wanted });
    }
  });

  test('P2 of a test greets the person at the test address', async () => {
    const sato = await primary(0);
    const { body } = await send([0], { test_send_mode: 1, ...PRIMARY });
    expect(await mailsOf((body as { send_log_id: number }).send_log_id)).toMatchObject([
      { mail_to: 't@a.example', person_id: sato, person_in_charge: '購買部 部長 佐藤 一郎' },
    ]);
  });

  test('has one mail for an address that two companies choose, and that of another company', async () => {
    await primary(0);
    await primary(1);
    await primary(2, { email: 'info3@a.example' });
    const { body } = await send([0, 1, 2, 3], PRIMARY);
    expect(body).toMatchObject({
      accepted: 2,
      skipped: [
        { prospect_id: ids[1], reason: 'duplicate' },
        { prospect_id: ids[3], reason: 'duplicate' },
      ],
    });
  });

  test('send_to is part of what an idempotency key stands for, where it is given', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await send([0], {}, key);
    expect(first).toMatchObject({ body: { status: 'accepted' } });
    expect(await send([0], {}, key)).toStrictEqual(first);
    expect(await send([0], PRIMARY, key)).toMatchObject({ body: { code: 'idempotency_key_reused' } });
  });

  test('is previewed as it would be sent', async () => {
    await primary(0);
    const body = { test_send_mode: 0, attack_list: targets(0), ...PRIMARY };
    const { body: answer } = await client.post(`/mail/preview/${tenant.senderId}`, body);
    expect(answer).toMatchObject({ mail: { to: SATO.email } });
  });
});

describe('P4 a follow-up', () => {
  /** Sends mails to persons, ten days ago. */
  async function sentTo(companies: readonly number[], more: object = PRIMARY): Promise<number> {
    const { body } = await send(companies, more);
    const claims = await claimMails(database);
    await markSending(database.service.db, claims);
    const outcome = { kind: 'sent', reply: '250 OK' } as const;
    await finishDeliveries(
      database.service.db,
      claims.map((claim) => ({ claim, outcome })),
    );
    await setBack(database, 10);
    return (body as { send_log_id: number }).send_log_id;
  }
  const listed = async (run: number, more: object = {}) =>
    (await preview({ follow_up_of: `${run}`, ...more })).rows.map(({ prospect_id }) =>
      ids.indexOf(prospect_id as number),
    );
  const skipped = async (run: number, companies: readonly number[], more: object = {}) => {
    const { body } = await send(companies, { follow_up_of: run, ...more });
    return (body as { skipped: { prospect_id: number; reason: string }[] }).skipped.map(({ prospect_id, reason }) => [
      ids.indexOf(prospect_id),
      reason,
    ]);
  };

  test('goes where the run went, and not to another person', async () => {
    const sato = await primary(0);
    await primary(1, { ...SATO, email: 'sato1@a.example' });
    const run = await sentTo([0, 1, 3]);
    await primary(1, { ...SATO, email: 'next@a.example' });
    await primary(3, { ...SATO, email: 'sato3@a.example' });
    expect(await listed(run)).toStrictEqual([0]);
    // To the companies, only what went there.
    expect(await listed(run, { send_to: 'company' })).toStrictEqual([3]);
    expect(await skipped(run, [0, 1, 3])).toStrictEqual([
      [1, 'other_person'],
      [3, 'other_person'],
    ]);
    const [mail] = await database.db
      .selectFrom('delivery')
      .select(['mail_to', 'person_id'])
      .where('follows_id', 'is not', null)
      .where('state', '=', 'queued')
      .execute();
    expect(mail).toStrictEqual({ mail_to: SATO.email, person_id: sato });
    const last = await database.db.selectFrom('send_log').select('send_to').orderBy('id', 'desc').executeTakeFirst();
    expect(last).toStrictEqual({ send_to: 'primary_or_company' });
  });

  test('follows the same person, and the company, to a new address', async () => {
    await primary(0);
    const run = await sentTo([0, 3]);
    const { db } = database;
    await db
      .updateTable('prospect')
      .set({ person_email: 'moved@a.example', person_email_search: 'moved@a.example' })
      .where('id', '=', idOf(0))
      .execute();
    await db
      .updateTable('prospect')
      .set({ company_email: 'new3@a.example', email_search: 'new3@a.example' })
      .where('id', '=', idOf(3))
      .execute();
    expect(await skipped(run, [0, 3])).toStrictEqual([]);
    expect((await claimMails(database)).map(({ mailTo }) => mailTo).toSorted()).toStrictEqual([
      'moved@a.example',
      'new3@a.example',
    ]);
  });

  test('is offered for no erased mail', async () => {
    const run = await sentTo([1, 3]);
    await database.db
      .updateTable('delivery')
      .set({ erased_hash: Buffer.alloc(32), mail_to: null })
      .where('prospect_id', '=', idOf(1))
      .execute();
    expect(await listed(run)).toStrictEqual([3]);
  });

  test('that waits is cancelled where the person has changed, or the mail was erased', async () => {
    await primary(0);
    const run = await sentTo([0, 1, 3]);
    await skipped(run, [0, 1, 3]);
    await removePrimary(database.db, tenant, idOf(0));
    await database.db
      .updateTable('delivery')
      .set({ erased_hash: Buffer.alloc(32), mail_to: null, person_id: null })
      .where('send_log_id', '=', run)
      .where('prospect_id', '=', idOf(1))
      .execute();
    await claimMails(database);
    const rows = await database.db
      .selectFrom('delivery')
      .select(['state', 'reason'])
      .where('send_log_id', '<>', run)
      .orderBy('prospect_id')
      .execute();
    expect(rows).toStrictEqual([
      { state: 'cancelled', reason: 'other_person' },
      { state: 'cancelled', reason: 'not_followable' },
      { state: 'claimed', reason: null },
    ]);
  });
});

const weekday = (days: number) => `${skipWeekend(addDays(dayOf(Date.now()), days)).replaceAll('-', '/')} 11:00:00`;
const AT = weekday(14);
const LATER = weekday(21);

describe('a reservation', () => {
  const reserve = async (companies: readonly number[], more: object = {}, send_at?: string) => {
    const wanted = { sender_id: tenant.senderId, attack_list: targets(...companies), ...(send_at && { send_at }) };
    const { body, status } = await client.post('/reservation', { ...reservationBody(wanted), ...more });
    expect([status, body]).toMatchObject([200, {}]);
    return body as { status: string; id: number };
  };
  test('of one time and another send_to is another one, and shows where its mails will go', async () => {
    await primary(0);
    const toPerson = await reserve([0], PRIMARY, AT);
    const toCompany = await reserve([1], {}, AT);
    expect([toPerson.status, toCompany.status]).toStrictEqual(['added', 'added']);
    expect(await reserve([3], PRIMARY, AT)).toMatchObject({ status: 'updated', id: toPerson.id });
    const { body } = await client.get('/reservation/list');
    const names = { company_email: SATO.email, person_in_charge: '購買部 部長 佐藤 一郎' };
    expect(body).toMatchObject([
      { id: toPerson.id, send_to: 'primary_or_company', attack_list: [names, { person_in_charge: '代表 3' }] },
      {
        id: toCompany.id,
        send_to: 'company',
        attack_list: [{ company_email: 'info1@a.example', person_in_charge: '代表 1' }],
      },
    ]);
    expect((await client.get(`/reservation/${toPerson.id}`)).body).toMatchObject({ send_to: 'primary_or_company' });
    expect((await client.get(`/reservation/${toPerson.id}/targets`)).body).toMatchObject({ rows: [names, {}] });
  });

  test('is merged only with one of the same send_to', async () => {
    const first = await reserve([0], PRIMARY, AT);
    const move = async (id: number, more: object = {}) =>
      client.put(`/reservation/${id}`, { version: 1, update_info: { send_at: AT }, ...more });
    const toCompany = await reserve([1], {}, LATER);
    expect(await move(toCompany.id)).toMatchObject({ status: 200, body: { id: toCompany.id } });
    const second = await reserve([3], PRIMARY, LATER);
    const details = [{ path: 'id', message: `${first.id}` }, {}];
    expect(await move(second.id)).toMatchObject({ status: 409, body: { code: 'reservation_at_that_time', details } });
    expect(await move(second.id, { merge: 1 })).toMatchObject({ status: 200, body: { id: first.id } });
  });

  test('counts who falls out by the chosen address', async () => {
    await primary(0);
    const { id } = await reserve([0, 1], PRIMARY, AT);
    await client.post('/suppression', { add_info: { class: 'blocked', values: ['info0@a.example'] } });
    expect((await client.get(`/reservation/${id}`)).body).toMatchObject({ leaving: { suppressed: 0 } });
    await client.post('/suppression', { add_info: { class: 'blocked', values: [SATO.email] } });
    expect((await client.get(`/reservation/${id}`)).body).toMatchObject({ leaving: { suppressed: 1 } });
  });

  test('keeps its send_to as it starts, and comes back beside one of another send_to', async () => {
    const sato = await primary(0);
    await chooseUndo(database.db, tenant.accountId, 30);
    const { id } = await reserve([0], PRIMARY, AT);
    const { body } = await client.post(`/reservation/${id}/send_now`, { version: 1 });
    const { send_log_id } = body as { send_log_id: number };
    expect((await client.get(`/send_log/${send_log_id}`)).body).toMatchObject({ send_to: 'primary_or_company' });
    expect(await mailsOf(send_log_id)).toMatchObject([{ mail_to: SATO.email, person_id: sato }]);
    await reserve([1], {}, AT);
    const cancelled = await client.put(`/send_log/${send_log_id}`, { update_info: { state: 'cancelled' } });
    expect(cancelled).toMatchObject({ body: { reservation: 'restored', reservation_id: id } });
    const row = { state: 'pending', send_at: AT, send_to: 'primary_or_company' };
    expect((await client.get(`/reservation/${id}`)).body).toMatchObject(row);
  });
});
