import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, testSink, testWorker, unbalancedRuns, untilSettled } from '#test/sending.ts';
import { setBack } from '#test/sent-run.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';
import { startReservation } from '../reservations/due.command.ts';
import { blankBatch } from '../retention/blank.command.ts';

/**
 * A mail that was refused for good at sending counts for the re-send interval, at its address
 * (decisions/resend-interval).
 */

const ADDRESS = 'info0@a.example';
const POLICY = '550 5.7.1 Message rejected by policy, spam';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  sink = await testSink();
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

/** Sends what waits, with this answer of the server at a moment. */
async function sendAll(moment: Moment | null = null, reply: Fault = '550 no'): Promise<void> {
  sink.fault = (at) => (at === moment ? reply : null);
  const worker = testWorker(database, sink);
  await untilSettled(database.db);
  await worker.stop();
}

/** Accepts a run to one company, whose mail is refused. @returns the company, the run and the mail */
async function rejectedMail(reply: `${number} ${string}` = POLICY, moment: Moment = 'RCPT') {
  const { id: run, prospectIds } = await acceptRun(database, tenant, 1);
  await sendAll(moment, reply);
  const mail = await mailOf(run);
  expect(mail).toMatchObject({ state: 'failed', smtp_reply: reply });
  return { company: prospectIds[0] ?? expect.unreachable(), run, mail: mail.id };
}

const mailOf = (run: number) =>
  database.db.selectFrom('delivery').selectAll().where('send_log_id', '=', run).executeTakeFirstOrThrow();
const rejections = () => database.db.selectFrom('address_rejection').selectAll().execute();
const moveTo = (company: number, address: string) =>
  database.db
    .updateTable('prospect')
    .set({ company_email: address, email_search: address })
    .where('id', '=', company)
    .execute();
const addTwin = async () =>
  (await addProspects(database.db, tenant.accountId, [{ company_email: ADDRESS.toUpperCase() }]))[0] ??
  expect.unreachable();

/** Whom the preview leaves out, by reason. */
async function leftOut({ days = 7, group = tenant.senderGroupId } = {}): Promise<Record<string, number>> {
  const { body } = await client.get(`/attack_list/preview?sender_group_id=${group}&days_from_lastday=${days}`);
  const counts = (body as { left_out: Record<string, number> }).left_out;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

const send = (company: number, { senderId = tenant.senderId, days = 7, test: isTest = 0 } = {}) =>
  client.post(`/mail/send/${senderId}`, {
    test_send_mode: isTest,
    attack_list: [{ prospect_id: company, company_email: 'test@example.com' }],
    days_from_lastday: days,
  });
const retry = async (mail: number) => (await client.post(`/delivery/${mail}/retry`, {})).body;

describe('a company whose mail was refused', () => {
  test.each<[Moment, `${number} ${string}`, string | null]>([
    ['RCPT', '554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org', 'rejected'],
    ['RCPT', '550 5.2.0 受信拒否設定', 'rejected'],
    ['DATA', POLICY, 'rejected'],
    ['dot', POLICY, 'rejected'],
    ['dot', '552 5.2.2 Mailbox full', 'rejected'],
    ['dot', '554 Transaction failed', 'rejected'],
    ['RCPT', '550 5.1.1 User unknown', 'suppressed'],
    ['dot', '552 5.3.4 Message size exceeds fixed limit', null],
    ['MAIL', '552 Message too big', null],
  ])('at %s with %s: %s, in lists and when it is sent to', async (moment, reply, reason) => {
    const { company } = await rejectedMail(reply, moment);
    expect(await leftOut()).toStrictEqual(reason === null ? {} : { [reason]: 1 });
    const skipped = reason === null ? [] : [{ prospect_id: company, reason }];
    expect((await send(company)).body).toMatchObject({ skipped });
  });

  test('is named behind its count', async () => {
    const { company } = await rejectedMail();
    const { body } = await client.get(
      `/attack_list/left_out?sender_group_id=${tenant.senderGroupId}&reason=rejected&days_from_lastday=7`,
    );
    expect(body).toMatchObject({ total: 1, rows: [{ prospect_id: company, company_email: ADDRESS }] });
  });

  test('is left out of tests too, which skip whom a real run skips', async () => {
    const { company } = await rejectedMail();
    const skipped = [{ prospect_id: company, reason: 'rejected' }];
    expect((await send(company, { test: 1 })).body).toMatchObject({ skipped });
  });

  test('may be mailed without an interval, at another address, by another group, and once the interval is over', async () => {
    const { company } = await rejectedMail();
    const twin = await addTwin();
    expect(await leftOut()).toStrictEqual({ rejected: 2 });
    expect(await leftOut({ days: 0 })).toStrictEqual({});
    const group = { accountId: tenant.accountId, senderGroupId: await addSenderGroup(database.db, tenant.accountId) };
    expect(await leftOut({ group: group.senderGroupId })).toStrictEqual({});
    const senderId = await addSender(database.db, group);
    expect((await send(twin, { senderId })).body).toMatchObject({ accepted: 1, skipped: [] });
    await moveTo(company, 'sales@a.example');
    expect(await leftOut()).toStrictEqual({ rejected: 1 });
    expect((await send(company)).body).toMatchObject({ accepted: 1, skipped: [] });
    await database.db
      .updateTable('address_rejection')
      .set({ rejected_at: new Date(Date.now() - 8 * 86_400_000) })
      .execute();
    expect(await leftOut()).toStrictEqual({ open_delivery: 1 });
    expect(await leftOut({ days: 9 })).toStrictEqual({ open_delivery: 1, rejected: 1 });
  });

  test('in a test is free', async () => {
    const { id } = await acceptRun(database, tenant, 1, { test: true });
    await sendAll('RCPT', POLICY);
    expect(await mailOf(id)).toMatchObject({ state: 'failed' });
    expect([await rejections(), await leftOut()]).toStrictEqual([[], {}]);
  });

  test('is held still when its mail is blanked', async () => {
    const { run } = await rejectedMail();
    await setBack(database, 400);
    await database.db
      .updateTable('send_log')
      .set({ ended_at: new Date(Date.now() - 400 * 86_400_000) })
      .execute();
    await client.put('/mail_retention', { update_info: { months: 12 } });
    await blankBatch(database.service.db);
    expect(await mailOf(run)).toMatchObject({ state: 'failed', mail_to: null });
    expect(await leftOut()).toStrictEqual({ rejected: 1 });
  });

  test('is forgotten with its address', async () => {
    await rejectedMail();
    await client.post('/personal_data/erase', { email: ADDRESS });
    expect(await rejections()).toStrictEqual([]);
  });

  test('after an unknown result stays unknown: it may have arrived, and counts as that alone', async () => {
    const { id } = await acceptRun(database, tenant, 1);
    await sendAll('dot', 'reset');
    const { id: mail, claim_no } = await mailOf(id);
    await client.put(`/delivery/${mail}`, { update_info: { state: 'queued' }, claim_no });
    await sendAll('RCPT', POLICY);
    expect(await mailOf(id)).toMatchObject({ state: 'unknown', smtp_reply: POLICY });
    expect([await rejections(), await leftOut()]).toStrictEqual([[], { open_delivery: 1 }]);
  });
});

describe('sending such a mail again', () => {
  test('ends its rejection at once: neither its check nor its claim meets it', async () => {
    const { mail, run } = await rejectedMail();
    expect(await retry(mail)).toStrictEqual({ status: 'accepted', accepted: 1, skipped: [] });
    expect(await rejections()).toStrictEqual([]);
    await sendAll();
    expect(await mailOf(run)).toMatchObject({ state: 'sent' });
    expect(await leftOut()).toStrictEqual({ recently_sent: 1 });
  });

  test('that is refused again counts again', async () => {
    const { mail, run } = await rejectedMail();
    expect(await retry(mail)).toMatchObject({ accepted: 1 });
    await sendAll('dot', POLICY);
    expect(await mailOf(run)).toMatchObject({ state: 'failed' });
    const [rejection] = await rejections();
    expect(rejection).toMatchObject({ delivery_id: mail, rejected_at: (await mailOf(run)).finished_at });
    expect(await leftOut()).toStrictEqual({ rejected: 1 });
  });

  test('with the others of its run ends theirs', async () => {
    const { id } = await acceptRun(database, tenant, 3);
    await sendAll('RCPT', POLICY);
    expect(await leftOut()).toStrictEqual({ rejected: 3 });
    expect((await client.post(`/send_log/${id}/retry`, {})).body).toMatchObject({ accepted: 3, skipped: [] });
    expect(await rejections()).toStrictEqual([]);
  });

  test('of a company that may not be mailed keeps its rejection', async () => {
    const { company, mail } = await rejectedMail();
    await client.post('/active_prospect/', {
      add_info: { prospect_id: company, sender_group_id: tenant.senderGroupId, active: 0 },
      duplicate_key_update_info: { active: 0 },
    });
    expect(await retry(mail)).toMatchObject({ status: 'no-added', skipped: [{ reason: 'inactive' }] });
    expect(await rejections()).toHaveLength(1);
  });

  test('is held by another mail to its address that was refused too', async () => {
    const { company, mail } = await rejectedMail();
    const { body } = await send(await addTwin(), { days: 0 });
    await sendAll('RCPT', POLICY);
    expect(await retry(mail)).toStrictEqual({
      status: 'no-added',
      accepted: 0,
      skipped: [{ prospect_id: company, reason: 'rejected' }],
    });
    const other = await mailOf((body as { send_log_id: number }).send_log_id);
    // Its run has no interval, so it knows of no other.
    expect(await retry(other.id)).toMatchObject({ accepted: 1 });
    expect(await rejections()).toMatchObject([{ delivery_id: mail }]);
  });
});

describe('an accepted mail to an address that has rejected another since', () => {
  test('is cancelled at its claim', async () => {
    await rejectedMail();
    const { id, prospectIds } = await acceptRun(database, tenant, 1);
    await moveTo(prospectIds[0] ?? 0, ADDRESS);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await mailOf(id)).toMatchObject({ state: 'cancelled', reason: 'rejected' });
  });

  test('is cancelled when its reservation is due', async () => {
    const twin = await addTwin();
    const id = await addReservation(database.db, tenant, [twin], { sendAt: new Date(Date.now() - 1000) });
    await rejectedMail();
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    const mails = await database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute();
    expect(mails).toStrictEqual([
      { state: 'failed', reason: null },
      { state: 'cancelled', reason: 'rejected' },
    ]);
  });
});
