import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { TEMPLATE_ID } from '#test/mails.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList, nextReservable, reservationBody } from '#test/reservations.ts';
import { setSenderPace } from '../delivery/quota/sender-pace.command.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { findDue, startReservation } from '../reservations/due.command.ts';
import { setSendGridTemplate } from '../senders/sendgrid-template.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const companies = [0, 1, 2].map((n) => ({ company_email: `info${n}@a.example` }));
  ids = await addProspects(database.db, tenant.accountId, companies);
});

const rows = () =>
  database.db.selectFrom('audit_event').select(['member_id', 'kind', 'detail']).orderBy('id').execute();

/** Returns the events since the last call. Expects all of them to be by that member; null: the operator. */
let seen = 0;
beforeEach(() => {
  seen = 0;
});
async function events(by: number | null = tenant.memberId): Promise<unknown[]> {
  const all = await rows();
  const fresh = all.slice(seen);
  seen = all.length;
  expect(fresh.map(({ member_id }) => member_id)).toStrictEqual(fresh.map(() => by));
  return fresh.map(({ kind, detail }) => [kind, detail]);
}

test('a run: one row for all its mails, one for each thing that is done with it, none for what changes nothing', async () => {
  const body = { test_send_mode: 0, attack_list: attackList(ids), days_from_lastday: 7 };
  const key = { 'idempotency-key': crypto.randomUUID() };
  const { body: answer } = await client.post(`/mail/send/${tenant.senderId}`, body, key);
  const { send_log_id } = answer as { send_log_id: number };
  expect(await events()).toStrictEqual([['run_accepted', { send_log_id, mails: 3, is_test: false }]]);
  await client.post(`/mail/send/${tenant.senderId}`, body, key);
  await client.post(`/mail/send/${tenant.senderId}`, body);
  expect(await events()).toStrictEqual([]);

  const steer = (state: string) => client.put(`/send_log/${send_log_id}`, { update_info: { state } });
  for (const state of ['sending', 'paused', 'paused', 'sending', 'cancelled', 'cancelled']) {
    expect(await steer(state)).toMatchObject({ status: 200 });
  }
  expect(await events()).toStrictEqual(
    ['run_paused', 'run_resumed', 'run_cancelled'].map((kind) => [kind, { send_log_id }]),
  );
  expect(await steer('paused')).toMatchObject({ status: 409 });
  expect(await events()).toStrictEqual([]);
});

test('failed mails that are sent again, and decisions about unknown ones', async () => {
  const [first = 0, second = 0, third = 0] = ids;
  const failed = await addDelivery(database.db, tenant, first, { state: 'failed' });
  expect(await client.post(`/send_log/${failed}/retry`, {})).toMatchObject({ body: { accepted: 1 } });
  expect(await client.post(`/send_log/${failed}/retry`, {})).toMatchObject({ body: { accepted: 0 } });
  expect(await events()).toStrictEqual([['run_retried', { send_log_id: failed, mails: 1 }]]);

  const runs = [
    await addDelivery(database.db, tenant, second, { state: 'unknown' }),
    await addDelivery(database.db, tenant, third, { state: 'unknown' }),
  ];
  const unknown = await database.db
    .selectFrom('delivery')
    .select('id')
    .where('state', '=', 'unknown')
    .orderBy('id')
    .execute();
  for (const [at, decision] of (['sent', 'queued'] as const).entries()) {
    const delivery_id = unknown[at]?.id ?? 0;
    const decide = () => client.put(`/delivery/${delivery_id}`, { update_info: { state: decision }, claim_no: 1 });
    expect(await decide()).toMatchObject({ status: 200 });
    expect(await decide()).toMatchObject({ status: 409 });
    expect(await events()).toStrictEqual([['unknown_decided', { send_log_id: runs[at], delivery_id, decision }]]);
  }
});

test('recording mails of another tool writes run_recorded', async () => {
  const { body } = await client.post('/send_log', { sender_group_id: tenant.senderGroupId, attack_list: ids });
  const { id: send_log_id } = body as { id: number };
  expect(await events()).toStrictEqual([['run_recorded', { send_log_id, companies: 3 }]]);
  const log = database.db.selectFrom('send_log').select('member_id');
  expect(await log.execute()).toStrictEqual([{ member_id: tenant.memberId }]);
});

test('a reservation that is made, added to and deleted, and one whose time comes', async () => {
  const send_at = nextReservable();
  const reserve = (of: number[]) =>
    client.post('/reservation', reservationBody({ sender_id: tenant.senderId, send_at, attack_list: attackList(of) }));
  const { body } = await reserve(ids.slice(0, 2));
  const { id: reservation_id } = body as { id: number };
  expect(await reserve(ids)).toMatchObject({ body: { status: 'updated' } });
  expect(await reserve(ids)).toMatchObject({ body: { status: 'no-added' } });
  expect(await events()).toStrictEqual([
    ['reservation_made', { reservation_id, targets: 2, is_test: false }],
    ['reservation_changed', { reservation_id, targets: 1, is_test: false }],
  ]);
  const remove = () => client.put(`/reservation/${reservation_id}`, { update_info: { active: 0 } });
  expect([await remove(), await remove()]).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(await events()).toStrictEqual([['reservation_deleted', { reservation_id }]]);

  const { body: again } = await reserve(ids);
  const next = again as { id: number };
  await database.db.updateTable('reservation').set({ send_at: new Date() }).where('id', '=', next.id).execute();
  const [due] = await findDue(database.service.db);
  await events();
  const started = await startReservation(database.service.db, due ?? expect.unreachable(), Date.now(), TEST_MAILING);
  const { sendLogId: send_log_id } = started as { sendLogId: number };
  const detail = { send_log_id, mails: 3, is_test: false, reservation_id: next.id };
  expect(await events()).toStrictEqual([['run_accepted', detail]]);
});

test('a template that is changed', async () => {
  const template = await database.db.selectFrom('mail_template').select('id').executeTakeFirstOrThrow();
  const { body } = await client.get(`/mail_template/${template.id}`);
  const { version, senders, name, html_body } = body as Record<string, string> & { senders: { id: number }[] };
  const update_info = {
    name,
    html_body,
    text_body: '新しい本文',
    senders: senders.map(({ id }) => ({ id, subject: '件名' })),
  };
  const save = () => client.put(`/mail_template/${template.id}`, { version, update_info });
  expect(await save()).toMatchObject({ status: 200 });
  // Asked for again because the first answer was lost.
  expect(await save()).toMatchObject({ status: 200 });
  expect(await events()).toStrictEqual([['template_changed', { template_id: template.id }]]);
  const changed = database.db.selectFrom('mail_template').select('member_id');
  expect(await changed.execute()).toStrictEqual([{ member_id: tenant.memberId }]);
});

test('the name and the company', async () => {
  for (const update_info of [{ name: '新しい氏名' }, { company: '新会社' }]) {
    expect(await client.put(`/account/${tenant.accountId}`, { update_info })).toMatchObject({ status: 200 });
    expect(await events()).toStrictEqual([['profile_changed', update_info]]);
  }
});

test('an import, by a member or by the operator', async () => {
  const file = () => Readable.from('会社名,メールアドレス\n新会社,new@a.example\n');
  const { accountId, memberId } = tenant;
  for (const by of [memberId, null]) {
    await importProspects(database.service, {
      accountId,
      memberId: by,
      file: file(),
      fileName: 'list.csv',
      dryRun: true,
    });
    await importProspects(database.service, { accountId, memberId: by, file: file(), fileName: 'list.csv' });
    const run = await database.db
      .selectFrom('import_run')
      .select(['id', 'member_id', 'rows_added'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    const counts = { added: run.rows_added, updated: 0, refused: 0 };
    expect(run).toMatchObject({ member_id: by, rows_added: by === null ? 0 : 1 });
    expect(await events(by)).toStrictEqual([['prospects_imported', { import_run_id: run.id, ...counts }]]);
  }
});

test('what the operator sets for a sender or a template', async () => {
  const { accountId, senderId } = tenant;
  const template = await database.db.selectFrom('mail_template').select('id').executeTakeFirstOrThrow();
  const { db } = database.service;
  await setSenderPace(db, { accountId, id: senderId }, { perMinute: 30 });
  await setSenderPace(db, { accountId, id: 999_999 }, { perMinute: 30 });
  await setSendGridTemplate(db, { accountId, id: template.id }, TEMPLATE_ID);
  await setSendGridTemplate(db, { accountId, id: 999_999 }, TEMPLATE_ID);
  expect(await events(null)).toStrictEqual([
    ['sender_pace_set_by_operator', { sender_id: senderId, mails_per_minute: 30 }],
    ['sendgrid_template_set_by_operator', { template_id: template.id, sendgrid_template_id: TEMPLATE_ID }],
  ]);
});

test('an action whose audit row cannot be written is rolled back', async () => {
  await database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse()`);
  onTestFinished(async () => void (await database.pool.query('DROP FUNCTION refuse CASCADE')));
  const body = { test_send_mode: 0, attack_list: attackList(ids), days_from_lastday: 7 };
  expect(await client.post(`/mail/send/${tenant.senderId}`, body)).toMatchObject({ status: 500 });
  const profile = { update_info: { company: '新会社' } };
  expect(await client.put(`/account/${tenant.accountId}`, profile)).toMatchObject({ status: 500 });
  const written = await database.db.selectFrom('send_log').select('id').execute();
  const { company } = await database.db.selectFrom('account').select('company').executeTakeFirstOrThrow();
  expect([written, company]).toStrictEqual([[], '会社']);
});
