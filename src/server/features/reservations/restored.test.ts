import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { ReservationDetail } from '#contract/sending/reservations-page.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { brokenReservations, reservationBody } from '#test/reservations.ts';
import { acceptRun, chooseUndo, claimMails, countStates, markSending, unbalancedRuns } from '#test/sending.ts';
import { holdAll } from '../delivery/pauses/held.command.ts';
import { pauseRun } from '../delivery/queue/run-rows.queries.ts';
import { makeNotices } from '../notices/notice-worker.ts';
import { findDue, startReservation } from './due.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

const HOUR_MS = 3_600_000;
/** Whole seconds, as the wire has them. */
const hours = (n: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + n * HOUR_MS);

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  return async () => {
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await brokenReservations(database.db)).toStrictEqual([]);
  };
});

/** Adds a reservation of one new company. */
async function reserved(sendAt: Date, of = tenant): Promise<number> {
  const ids = await addProspects(database.db, of.accountId, [{ company_email: `r${sendAt.getTime()}@r.example` }]);
  return addReservation(database.db, of, ids, { sendAt });
}

const hold = () => holdAll(database.service.db);
const decide = (act: string) => client.post('/restored', { act });
const read = async (id: number) => (await client.get(`/reservation/${id}`)).body as ReservationDetail;
const stateOf = async (id: number) => (await read(id)).state;
const change = async (id: number, update_info: object, more: object = {}) =>
  client.put(`/reservation/${id}`, { version: (await read(id)).version, update_info, ...more });
const runs = async () =>
  database.db.selectFrom('send_log').select(['id', 'paused_by', 'cancelled']).orderBy('id').execute();
/** Whether no claim finds a mail, and no start a reservation whose time has come. */
async function standsStill(): Promise<boolean> {
  await database.db
    .updateTable('sender_due')
    .set({ due_at: new Date(0) })
    .execute();
  const { rows } = await sql<{ may: boolean }>`
    SELECT EXISTS (SELECT FROM delivery WHERE state = 'queued' AND not_before < 'infinity') AS may`.execute(
    database.db,
  );
  return (
    rows[0]?.may === false &&
    (await claimMails(database)).length === 0 &&
    (await findDue(database.service.db)).length === 0
  );
}

test('holds every run with unsent mails, whoever had paused it, and every reservation that has not started', async () => {
  const { db } = database;
  await chooseUndo(db, tenant.accountId, 60);
  const waiting = await acceptRun(database, tenant, 2);
  await chooseUndo(db, tenant.accountId, 0);
  const going = await acceptRun(database, tenant, 3);
  const paused = await acceptRun(database, tenant, 1);
  const doubted = await acceptRun(database, tenant, 1);
  await db.updateTable('delivery').set({ reason: 'maybe_refused' }).where('send_log_id', '=', doubted.id).execute();
  const [first] = await claimMails(database, { rows: 2 });
  await markSending(database.service.db, first ? [first] : []);
  await db.transaction().execute((tx) => pauseRun(tx, { accountId: tenant.accountId, id: paused.id }, 'dates_over'));
  const times = [hours(-2), hours(-0.5), hours(2)];
  const ids = [];
  for (const time of times) ids.push(await reserved(time));
  const other = await addTenant(db);
  const elsewhere = await reserved(hours(3), other);
  await db.deleteFrom('notice_event').execute();

  await hold();
  expect(await runs()).toStrictEqual(
    [waiting, going, paused, doubted].map(({ id }) => ({ id, paused_by: 'restored', cancelled: false })),
  );
  expect(await standsStill()).toBe(true);
  expect(await countStates(db)).toStrictEqual({ queued: 6, sending: 1 });
  const held = await db
    .selectFrom('delivery')
    .select(['reason', 'lease_until'])
    .where('state', '=', 'queued')
    .execute();
  expect(held.filter(({ reason }) => reason === 'maybe_refused')).toHaveLength(1);
  expect(held.every(({ lease_until }) => lease_until === null)).toBe(true);
  for (const id of ids) expect(await stateOf(id)).toBe('held');
  await db
    .updateTable('reservation')
    .set({ send_at: hours(0) })
    .where('id', '=', elsewhere)
    .execute();
  expect(await standsStill()).toBe(true);
  expect((await client.get('/restored')).body).toStrictEqual({ runs: 4, mails: 6, reservations: 3, over: 2 });
  // Another account's members see none of it.
  const theirs = await clientOf(database, other.accountId);
  expect((await theirs.get('/restored')).body).toStrictEqual({ runs: 0, mails: 0, reservations: 1, over: 1 });
  // One event an account, and no further one of a stop or a miss.
  const events = await db.selectFrom('notice_event').select(['account_id', 'kind', 'subject_id']).execute();
  expect(events.toSorted((a, b) => a.account_id - b.account_id)).toStrictEqual(
    [tenant, other].map(({ accountId }) => ({ account_id: accountId, kind: 'restored', subject_id: null })),
  );
  await makeNotices(database.service.db);
  expect((await client.get('/notice/list')).body).toMatchObject([{ kind: 'restored', count: 1, subjects: [] }]);
});

test('予定どおり送信する for all: what was planned goes on, what is over stays held and is counted', async () => {
  const { db } = database;
  const { id: run } = await acceptRun(database, tenant, 3);
  const [over, future] = [await reserved(hours(-0.5)), await reserved(hours(2))];
  await hold();
  // More than one transaction takes.
  const many = 120;
  for (let n = 0; n < many; n += 1) await reserved(hours(24 + n));
  await hold();
  const events = () => db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute();
  const before = (await events()).length;
  expect(await decide('send')).toStrictEqual({
    status: 200,
    body: { status: 'updated', runs: 1, reservations: many + 1, over: 1 },
  });
  expect((await events()).slice(before)).toHaveLength(many + 2);
  expect(await events()).toContainEqual({ kind: 'run_resumed', detail: { send_log_id: run } });
  expect(await runs()).toStrictEqual([{ id: run, paused_by: null, cancelled: false }]);
  expect(await claimMails(database)).toHaveLength(3);
  expect([await stateOf(over), await stateOf(future)]).toStrictEqual(['held', 'pending']);
  expect(await read(future)).toMatchObject({ history: [{ kind: 'changed', changes: { let_go: 1 } }] });
  // Again: nothing is left to decide.
  expect((await decide('send')).body).toStrictEqual({ status: 'updated', runs: 0, reservations: 0, over: 1 });
  await db
    .updateTable('reservation')
    .set({ send_at: hours(0) })
    .where('id', '=', future)
    .execute();
  const started = await startReservation(
    database.service.db,
    { accountId: tenant.accountId, id: future },
    Date.now(),
    TEST_MAILING,
  );
  expect(started).toMatchObject({ sendLogId: expect.any(Number) });
});

test('送信しない for all: mails are cancelled, reservations deleted, and companies free', async () => {
  const { id: run, prospectIds } = await acceptRun(database, tenant, 2);
  const ids = [await reserved(hours(-0.5)), await reserved(hours(2))];
  await hold();
  expect((await decide('drop')).body).toStrictEqual({ status: 'updated', runs: 1, reservations: 2, over: 0 });
  expect(await runs()).toStrictEqual([{ id: run, paused_by: null, cancelled: true }]);
  expect(await countStates(database.db)).toStrictEqual({ cancelled: 2 });
  for (const id of ids) expect(await stateOf(id)).toBe('deleted');
  expect((await client.get('/restored')).body).toStrictEqual({ runs: 0, mails: 0, reservations: 0, over: 0 });
  const again = {
    attack_list: prospectIds.map((prospect_id) => ({ prospect_id })),
    test_send_mode: 0,
    days_from_lastday: 0,
    datetime_list: null,
  };
  expect(await client.post(`/mail/send/${tenant.senderId}`, again)).toMatchObject({ body: { accepted: 2 } });
});

test.each([
  ['nothing', {}],
  ['another act', { act: 'keep' }],
  ['an act of another case', { act: 'SEND' }],
  ['ids', { act: 'send', ids: [1] }],
  ['a list', { act: ['send'] }],
])('POST /restored refuses %s', async (_, body) => {
  await acceptRun(database, tenant, 1);
  await hold();
  expect(await client.post('/restored', body)).toMatchObject({ status: 400 });
  expect(await runs()).toMatchObject([{ paused_by: 'restored' }]);
});

test.each(['send', 'drop'] as const)('%s: a transaction is bounded by mails and companies too', async (act) => {
  const { db } = database;
  const { accountId, senderGroupId } = tenant;
  // What ends a transaction.
  const most = 5000;
  const runs = [await acceptRun(database, tenant, 1), await acceptRun(database, tenant, 1)];
  const large = await reserved(hours(1));
  await reserved(hours(2));
  await sql`
    WITH company AS (
      INSERT INTO prospect (account_id, identity_key, company_name)
      SELECT ${accountId}, 'many-' || n, '会社' FROM generate_series(2, ${most}::integer) AS n RETURNING id
    ), mail AS (
      INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, row_index,
        company_name, person_in_charge, test_send_mode, mail_to, message_id, mail_date)
      SELECT ${accountId}, send_log_id, sender_group_id, sender_id, profile_id, company.id, row_index, company_name,
        person_in_charge, false, company.id || '@many.example', '<' || company.id || '@many.example>', mail_date
      FROM delivery CROSS JOIN company WHERE send_log_id = ${runs[0]?.id}
    ), run AS (
      UPDATE send_log SET targets = ${most} WHERE id = ${runs[0]?.id}
    )
    INSERT INTO reservation_target (account_id, sender_group_id, reservation_id, prospect_id, test_send_mode)
    SELECT ${accountId}, ${senderGroupId}, ${large}, id, false FROM company`.execute(db);
  await hold();
  expect((await decide(act)).body).toMatchObject({ runs: 2, reservations: 2 });
  const { rows } = await sql<{ by: string }>`
    SELECT xmin::text AS by FROM (SELECT 1 AS part, id, xmin FROM send_log UNION ALL SELECT 2, id, xmin FROM reservation)
      AS decided
    ORDER BY part, id`.execute(db);
  const transactions = [...new Set(rows.map(({ by }) => by))];
  const places = rows.map(({ by }) => transactions.indexOf(by));
  // Companies of a reservation that goes on are not changed.
  expect(places).toStrictEqual(act === 'send' ? [0, 1, 1, 1] : [0, 1, 1, 2]);
});

test('two members decide at once: each run and reservation is decided once', async () => {
  for (let n = 0; n < 3; n += 1) await acceptRun(database, tenant, 1);
  for (let n = 1; n < 4; n += 1) await reserved(hours(n));
  await hold();
  const answers = await Promise.all([decide('send'), decide('drop'), decide('send'), decide('drop')]);
  const decided = answers.map(({ body }) => body as { runs: number; reservations: number });
  expect(decided.reduce((sum, { runs: one }) => sum + one, 0)).toBe(3);
  expect(decided.reduce((sum, { reservations }) => sum + reservations, 0)).toBe(3);
  expect((await client.get('/restored')).body).toMatchObject({ runs: 0, reservations: 0 });
});

test('one run: it is sent or not, and a pause does not hide that it waits', async () => {
  const [one, two] = [await acceptRun(database, tenant, 1), await acceptRun(database, tenant, 1)];
  await hold();
  const steer = (id: number, state: string) => client.put(`/send_log/${id}`, { update_info: { state } });
  expect(await steer(one.id, 'paused')).toStrictEqual({ status: 200, body: { status: 'updated' } });
  expect(await client.get(`/send_log/${one.id}`)).toMatchObject({ body: { paused_by: 'restored', finished: false } });
  expect(await steer(one.id, 'sending')).toMatchObject({ status: 200 });
  expect(await steer(two.id, 'cancelled')).toMatchObject({ body: { cancelled: 1, left: 0 } });
  expect(await claimMails(database)).toMatchObject([{ sendLogId: one.id }]);
});

test('one reservation goes on at its own time while that is to come, or by what a missed one allows', async () => {
  const [future, over, moved, sent, deleted] = [
    await reserved(hours(2)),
    await reserved(hours(-0.5)),
    await reserved(hours(3)),
    await reserved(hours(4)),
    await reserved(hours(5)),
  ];
  await hold();
  // Another change decides nothing.
  expect(await change(future, { datetime_list: null })).toMatchObject({ status: 200 });
  expect(await stateOf(future)).toBe('held');
  const { send_at, version } = await read(future);
  expect(await client.put(`/reservation/${future}`, { version: version - 1, update_info: { send_at } })).toMatchObject({
    status: 409,
    body: { code: 'reservation_changed' },
  });
  expect(await change(future, { send_at })).toMatchObject({ status: 200, body: { version: version + 1 } });
  expect(await stateOf(future)).toBe('pending');
  // Once more: it has its time, so nothing changes.
  expect(await change(future, { send_at })).toMatchObject({ status: 200, body: { version: version + 1 } });

  expect(await change(over, { send_at: (await read(over)).send_at })).toMatchObject({
    status: 400,
    body: { code: 'invalid_send_at' },
  });
  expect(await stateOf(over)).toBe('held');
  const next = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS).toISOString();
  expect(await change(moved, { send_at: next })).toMatchObject({ status: 200 });
  expect(await stateOf(moved)).toBe('pending');
  expect(await client.post(`/reservation/${sent}/send_now`, { version: (await read(sent)).version })).toMatchObject({
    status: 200,
  });
  expect(await client.put(`/reservation/${deleted}`, { update_info: { active: 0 } })).toMatchObject({ status: 200 });
  expect((await client.get('/restored')).body).toMatchObject({ reservations: 1, over: 1 });
});

test('nothing is added to a reservation that is held, neither by a reservation nor by a merge', async () => {
  const next = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const held = await reserved(next);
  await hold();
  const moving = await reserved(hours(30));
  const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'new@r.example' }]);
  const body = reservationBody({
    sender_id: tenant.senderId,
    send_at: next.toISOString(),
    attack_list: [{ prospect_id: company }],
  });
  const refused = { status: 409, body: { code: 'reservation_held', details: [{ path: 'id', message: String(held) }] } };
  expect(await client.post('/reservation', body)).toMatchObject(refused);
  for (const merge of [0, 1])
    expect(await change(moving, { send_at: next.toISOString() }, { merge })).toMatchObject(refused);
  expect([await stateOf(moving), (await read(held)).targets]).toStrictEqual(['pending', 1]);
  // The held one may be merged into another: that is a decision.
  await database.db
    .updateTable('reservation')
    .set({ send_at: hours(40) })
    .where('id', '=', held)
    .execute();
  expect(await change(moving, { send_at: next.toISOString() })).toMatchObject({ status: 200 });
  expect(await change(held, { send_at: next.toISOString() }, { merge: 1 })).toMatchObject({ body: { id: moving } });
  expect((await read(moving)).targets).toBe(2);
  expect((await client.get('/restored')).body).toMatchObject({ reservations: 0 });
});

test('a held reservation leaves with no other one by a change of its sender: nobody has decided', async () => {
  const next = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const held = await reserved(next);
  await hold();
  const senderId = await addSender(database.db, tenant);
  const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'new@r.example' }]);
  await addReservation(database.db, { ...tenant, senderId }, [company], { sendAt: next });
  const to = { sender_id: senderId };
  for (const merge of [0, 1])
    expect(await change(held, to, { merge })).toMatchObject({ status: 409, body: { code: 'reservation_held' } });
  expect(await stateOf(held)).toBe('held');
  expect(await change(held, { ...to, send_at: next.toISOString() }, { merge: 1 })).toMatchObject({ status: 200 });
});

test('the list of reservations and its page tell the held ones from the missed', async () => {
  const [missed, held] = [await reserved(hours(-3)), await reserved(hours(2))];
  await hold();
  await database.db.updateTable('reservation').set({ held_by_restore: false }).where('id', '=', missed).execute();
  const columns = 'columns[]=id&columns[]=is_missed&columns[]=is_held';
  expect((await client.get(`/reservation/list?${columns}`)).body).toStrictEqual([
    { id: missed, is_missed: 1, is_held: 0 },
    { id: held, is_missed: 1, is_held: 1 },
  ]);
  const page = await client.get('/reservation/view?state=held');
  expect(page.body).toMatchObject({ rows: [{ id: held, state: 'held' }], total: 1 });
});
