import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  countStates,
  testSink,
  testWorker,
  unbalancedRuns,
  untilBlocked,
  untilSettled,
} from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  sink = await testSink();
  return async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

const rows = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const steer = (id: number, state: string) => client.put(`/send_log/${id}`, { update_info: { state } });
const switchOff = (prospect_id: number) =>
  client.post('/active_prospect/', {
    add_info: { prospect_id, sender_group_id: tenant.senderGroupId, active: 0 },
    duplicate_key_update_info: { active: 0 },
  });

describe('failed mails', () => {
  const retry = (id: number) => client.post(`/send_log/${id}/retry`, {});

  /** A run of three of which the first two fail. */
  async function failing() {
    sink.fault = (moment, line) => (moment === 'RCPT' && !line.includes('info2@') ? '550 5.7.1 blocked' : null);
    const run = await acceptRun(database, tenant, 3);
    const worker = testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ failed: 2, sent: 1 });
    await worker.stop();
    sink.fault = () => null;
    return run;
  }

  test('of an erased person stay as they are, and the others are sent again', async () => {
    const { id, prospectIds } = await failing();
    const [erased] = await rows();
    expect((await client.post('/personal_data/erase', { email: erased?.mail_to })).body).toMatchObject({
      status: 'erased',
      mails: 1,
    });
    expect((await retry(id)).body).toStrictEqual({
      status: 'accepted',
      accepted: 1,
      skipped: [expect.objectContaining({ prospect_id: prospectIds[0], reason: 'archived' })],
    });
  });

  test('of an erased address stay as they are where their company has another by now', async () => {
    const { id, prospectIds } = await failing();
    const [erased] = await rows();
    const moved = { company_email: 'new@a.example', email_search: 'new@a.example' };
    await database.db
      .updateTable('prospect')
      .set(moved)
      .where('id', '=', prospectIds[0] ?? 0)
      .execute();
    await client.post('/personal_data/erase', { email: erased?.mail_to });
    expect((await retry(id)).body).toMatchObject({ skipped: [{ prospect_id: prospectIds[0], reason: 'no_email' }] });
  });

  test('are sent again, without the others, to the current address of their company', async () => {
    const { id, prospectIds } = await failing();
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'right@a.example' })
      .where('id', '=', prospectIds[0] ?? 0)
      .execute();
    expect((await retry(id)).body).toStrictEqual({ status: 'accepted', accepted: 2, skipped: [] });
    expect(await rows()).toMatchObject([
      { state: 'queued', attempts: 0, finished_at: null },
      { state: 'queued' },
      { state: 'sent' },
    ]);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
    expect(sink.mails.flatMap(({ to }) => to).sort()).toStrictEqual([
      'info1@a.example',
      'info2@a.example',
      'right@a.example',
    ]);
  });

  test('retried twice at once are queued once', async () => {
    const { id } = await failing();
    const answers = await Promise.all([retry(id), retry(id), retry(id)]);
    const accepted = answers.map(({ body }) => (body as { accepted: number }).accepted);
    expect(accepted.toSorted((a, b) => a - b)).toStrictEqual([0, 0, 2]);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(sink.mails).toHaveLength(3);
  });

  /** Copies the run with its mails in the opposite order. @returns the id of the copy */
  async function copyInReverse(): Promise<number> {
    const { rows: copies } = await sql<{ id: number }>`
      WITH run AS (
        INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
        SELECT account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets FROM send_log
        RETURNING *
      ), copied AS (
        INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
          row_index, mail_to,
          company_name, person_in_charge, message_id, mail_date, state, finished_at, claim_no)
        SELECT d.account_id, run.id, d.sender_group_id, d.sender_id, d.profile_id, d.prospect_id, d.test_send_mode,
          d.row_index, d.mail_to,
          d.company_name, d.person_in_charge, 'again ' || d.message_id, d.mail_date, d.state, d.finished_at, d.claim_no
        FROM delivery d, run ORDER BY d.id DESC
      )
      SELECT id FROM run`.execute(database.db);
    return copies[0]?.id ?? 0;
  }

  test('of two runs to the same companies, retried at once in opposite orders, go to each company once', async () => {
    const { id, prospectIds } = await acceptRun(database, tenant, 9);
    const failed = { state: 'failed', finished_at: new Date(), claim_no: 1 };
    await database.db.updateTable('delivery').set(failed).execute();
    const copy = await copyInReverse();
    const { id: third } = await acceptRun(database, tenant, 1);
    // A lock stops both at the company in the middle; after it, each waits for a row that the other has.
    const middle = await database.pool.connect();
    await middle.query('BEGIN');
    await middle.query(
      `INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
         row_index, mail_to,
         company_name, person_in_charge, message_id, mail_date)
       SELECT account_id, $1, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode, row_index, mail_to,
         company_name, person_in_charge, 'held', mail_date FROM delivery WHERE send_log_id = $2 AND prospect_id = $3`,
      [third, id, prospectIds[4]],
    );
    const answers = Promise.all([retry(id), retry(copy)]);
    await untilBlocked(database, 2);
    await middle.query('ROLLBACK');
    middle.release();
    expect((await answers).map(({ status }) => status)).not.toContain(500);
    expect(await countStates(database.db)).toStrictEqual({ queued: 10, failed: 9 });
  });

  test('of companies that may not be mailed stay failed, with the reason', async () => {
    const { id, prospectIds } = await failing();
    const [off = 0, dead = 0] = prospectIds;
    await switchOff(off);
    await database.db
      .insertInto('suppression')
      .values({ account_id: tenant.accountId, kind: 'address', value: 'info1@a.example', reason: '550' })
      .execute();
    expect((await retry(id)).body).toStrictEqual({
      status: 'no-added',
      accepted: 0,
      skipped: [
        { prospect_id: off, reason: 'inactive' },
        { prospect_id: dead, reason: 'suppressed' },
      ],
    });
    expect(await countStates(database.db)).toStrictEqual({ failed: 2, sent: 1 });
  });

  test('do not go to an address that has another mail of the run', async () => {
    const { id, prospectIds } = await failing();
    const correct = (company_email: string, ...at: number[]) =>
      database.db
        .updateTable('prospect')
        .set({ company_email })
        .where(
          'id',
          'in',
          at.map((one) => prospectIds[one] ?? 0),
        )
        .execute();
    await correct('INFO2@a.example', 0);
    await correct('both@a.example', 1);
    expect((await retry(id)).body).toStrictEqual({
      status: 'accepted',
      accepted: 1,
      skipped: [{ prospect_id: prospectIds[0], reason: 'duplicate' }],
    });
    const worker = testWorker(database, sink);
    await untilSettled(database.db);
    await worker.stop();
    await correct('both@a.example', 0);
    expect((await retry(id)).body).toMatchObject({ accepted: 0, skipped: [{ reason: 'duplicate' }] });
  });

  test('of two companies that share an address by now: one is sent', async () => {
    const { id, prospectIds } = await failing();
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'both@a.example' })
      .where('id', 'in', prospectIds.slice(0, 2))
      .execute();
    expect((await retry(id)).body).toStrictEqual({
      status: 'accepted',
      accepted: 1,
      skipped: [{ prospect_id: prospectIds[1], reason: 'duplicate' }],
    });
  });

  test('of a company that has an open mail of another run stay failed', async () => {
    const { id, prospectIds } = await failing();
    await client.post(`/mail/send/${tenant.senderId}`, {
      test_send_mode: 0,
      attack_list: [{ prospect_id: prospectIds[0] }],
      days_from_lastday: 0,
    });
    expect((await retry(id)).body).toMatchObject({ accepted: 1, skipped: [{ reason: 'open_delivery' }] });
  });

  test('retried during another send to the companies: one of the two mails them', async () => {
    const { id, prospectIds } = await failing();
    const attack_list = prospectIds.slice(0, 2).map((prospect_id) => ({ prospect_id }));
    const send = () => client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
    const statuses = (await Promise.all([retry(id), send(), retry(id), send()])).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toStrictEqual([]);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(sink.mails).toHaveLength(3);
  });

  test('of a cancelled run reopen it; those of a paused run wait', async () => {
    const { id } = await failing();
    await database.db.updateTable('send_log').set({ cancelled: true }).execute();
    await retry(id);
    expect(await database.db.selectFrom('send_log').select('cancelled').execute()).toStrictEqual([
      { cancelled: false },
    ]);
    await steer(id, 'paused');
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });
});

describe('an unknown mail', () => {
  const decide = (id: number, state: string, claim_no: number) =>
    client.put(`/delivery/${id}`, { update_info: { state }, claim_no });

  async function unknown({ test: isTest = false } = {}) {
    sink.fault = (moment) => (moment === 'dot' ? 'close' : null);
    const run = await acceptRun(database, tenant, 1, { test: isTest });
    const worker = testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 1 });
    await worker.stop();
    sink.fault = () => null;
    const [delivery] = await rows();
    if (!delivery) throw new Error('nothing was sent');
    return { ...run, delivery };
  }

  test('is counted as sent by its owner, once', async () => {
    const { delivery } = await unknown();
    expect(await decide(delivery.id, 'sent', 1)).toMatchObject({ status: 200, body: { status: 'updated' } });
    expect(await rows()).toMatchObject([{ state: 'sent', reason: 'counted_as_sent' }]);
    expect(await decide(delivery.id, 'sent', 1)).toMatchObject({ status: 409, body: { code: 'not_unknown' } });
    expect(await decide(delivery.id, 'queued', 1)).toMatchObject({ status: 409, body: { code: 'not_unknown' } });
    expect(sink.mails).toHaveLength(1);
  });

  test('is sent again with the same Message-ID, although its company counts as contacted', async () => {
    const { delivery } = await unknown();
    expect((await decide(delivery.id, 'queued', 1)).status).toBe(200);
    expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
    const [first, second] = sink.mails;
    expect(sink.mails).toHaveLength(2);
    expect(second?.messageId).toBe(first?.messageId);
    expect(await rows()).toMatchObject([{ maybe_sent: true, attempts: 2 }]);
  });

  test('that is refused when sent again stays unknown: its first try may have arrived', async () => {
    const { delivery } = await unknown();
    await decide(delivery.id, 'queued', 1);
    sink.fault = (moment) => (moment === 'RCPT' ? '550 5.7.1 blocked' : null);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 1 });
    expect(await rows()).toMatchObject([{ smtp_reply: '550 5.7.1 blocked', attempts: 2 }]);
  });

  test('is sent again once, however many tabs ask, even if it becomes unknown again', async () => {
    const { delivery } = await unknown();
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(delivery.id, 'queued', 1)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    sink.fault = (moment) => (moment === 'dot' ? 'close' : null);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 1 });
    // A tab that still shows the mail as it was first unknown.
    expect(await decide(delivery.id, 'queued', 1)).toMatchObject({ status: 409, body: { code: 'not_unknown' } });
    expect(sink.mails).toHaveLength(2);
    expect((await decide(delivery.id, 'queued', 2)).status).toBe(200);
  });

  test('is not sent again to a company that has become ineligible', async () => {
    const { delivery, prospectIds } = await unknown();
    await switchOff(prospectIds[0] ?? 0);
    expect(await decide(delivery.id, 'queued', 1)).toMatchObject({ status: 409, body: { code: 'left_out' } });
    expect(await countStates(database.db)).toStrictEqual({ unknown: 1 });
  });

  test('that is cancelled while it waits to be sent again stays unknown', async () => {
    const { id, delivery } = await unknown();
    await decide(delivery.id, 'queued', 1);
    await steer(id, 'cancelled');
    expect(await rows()).toMatchObject([{ state: 'unknown', reason: null }]);
    expect((await decide(delivery.id, 'queued', 1)).status).toBe(200);
  });

  test('whose company becomes inactive while it waits to be sent again stays unknown', async () => {
    const { delivery, prospectIds } = await unknown();
    await decide(delivery.id, 'queued', 1);
    await switchOff(prospectIds[0] ?? 0);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 1 });
    expect(await rows()).toMatchObject([{ reason: 'inactive' }]);
    expect(sink.mails).toHaveLength(1);
  });

  test('of a test is sent to the test address again', async () => {
    const { delivery } = await unknown({ test: true });
    expect((await decide(delivery.id, 'queued', 1)).status).toBe(200);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(sink.mails.map(({ to }) => to)).toStrictEqual([['test+0@example.com'], ['test+0@example.com']]);
  });
});
