import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { renderCandidates } from '#domain/sending/candidate-dates.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import { acceptMails, giveSendGridTemplates, TEMPLATE_ID } from '#test/mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { type FakeSendGrid, testSendGrid } from '#test/sendgrid.ts';
import {
  acceptRun,
  countStates,
  eventually,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
  workerBy,
} from '#test/sending.ts';
import { endLimitWait, endPause, readLimits, readTransport } from '#test/transport-pause.ts';
import { claimDeliveries } from '../../claim/claim.queries.ts';
import { sendGridTemplates, sendGridTransport } from './sendgrid-transport.ts';

let database: TestDatabase;
let tenant: Tenant;
let fake: FakeSendGrid;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  fake = await testSendGrid();
  await giveSendGridTemplates(database.db);
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

const work = (connections = 4) => workerBy(database, sendGridTransport(fake), { connections });
const accept = (count: number, options = {}) =>
  acceptRun(database, tenant, count, { transport: sendGridTemplates, ...options });
const deliveries = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const addressesOf = () => fake.mails.map(({ to }) => to[0]?.email ?? '').toSorted();

/** The link by which the recipient of a mail refuses further ones. */
const linkOf = (key: string | null) => `${PUBLIC_URL}/u/${key?.replaceAll('-', '')}`;

/** A day that may be offered, `YYYY-MM-DD`. */
function nextWeek(): string {
  const day = new Date(Date.now() + 7 * 24 * 60 * 60 * 1000);
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() + 1);
  return day.toISOString().slice(0, 10);
}

test('a run goes in one request: its template, its sender, and for each mail what our own templates are filled with', async () => {
  await giveSendGridTemplates(database.db, 'copy@b.example, INFO1@a.example,copy@b.example');
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}様 & ご提案' }).execute();
  await database.db.updateTable('sender_profile').set({ reply_to: 'reply@example.com', signature: '営業部' }).execute();
  const candidates = [{ date: nextWeek(), start_time: '9:00', end_time: '18:00' }];
  const line = renderCandidates(candidates);
  await accept(3, { candidates });
  work();
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
  const rows = await deliveries();
  expect(fake.requests).toStrictEqual([
    {
      from: { email: 'sender@example.com', name: '担当' },
      reply_to: { email: 'reply@example.com' },
      template_id: TEMPLATE_ID,
      tracking_settings: { subscription_tracking: { enable: false } },
      personalizations: rows.map(({ account_id, id, message_id, mail_to, company_name, mail_key }, index) => ({
        to: [{ email: mail_to }],
        // No copy to the very address the mail goes to, and none twice.
        bcc: [{ email: 'copy@b.example' }, ...(index === 1 ? [] : [{ email: 'INFO1@a.example' }])],
        headers: {
          'Message-ID': message_id,
          'List-Unsubscribe': `<${linkOf(mail_key)}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        custom_args: { kaitaku: `${account_id}.${id}.1.${message_id.slice(1, 37)}` },
        dynamic_template_data: {
          subject: `${company_name}様 & ご提案`,
          company_name,
          person_in_charge: '山田 太郎 様',
          custom: {},
          person: { name: '', department: '', title: '' },
          candidate_dates: line,
          candidate_date_lines: [line],
          sender: { person_in_charge: '担当', email: 'sender@example.com', signature: '営業部' },
          account: { name: '利用者', company: '会社' },
          legal: {
            official_name: '株式会社見本',
            postal_address: '〒100-0001 東京都千代田区見本1-2-3',
            contact: '03-0000-0000',
          },
          legal_footer: expect.stringMatching(`\n${linkOf(mail_key)}\n`),
          legal_footer_html: expect.stringContaining(`<a href="${linkOf(mail_key)}"`),
          unsubscribe_url: linkOf(mail_key),
        },
      })),
    },
  ]);
  expect(rows.map(({ smtp_reply }) => smtp_reply)).toStrictEqual(Array(3).fill('202 x-message-id: id-1'));
  expect(JSON.stringify(fake.mails.map(({ custom_args }) => custom_args))).not.toMatch(/info|株式会社|example/);
});

test('a test run goes only to the test address, without copies, and counts as no contact', async () => {
  await giveSendGridTemplates(database.db, 'copy@b.example');
  await accept(2, { test: true });
  work();
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 2 });
  expect(fake.mails.map(({ to, bcc }) => [to[0]?.email, bcc])).toStrictEqual([
    ['test+0@example.com', undefined],
    ['test+1@example.com', undefined],
  ]);
  expect(await database.db.selectFrom('contact_state').selectAll().execute()).toStrictEqual([]);
});

test('a request holds 1,000 recipients: 500 mails with a copy each', async () => {
  tenant = await acceptMails(database, 1000, { transport: sendGridTemplates, bcc: 'copy@b.example' });
  await acceptMails(database, 30, { transport: sendGridTemplates, bcc: null });
  work(1);
  expect(await untilSettled(database.db, 60_000)).toStrictEqual({ sent: 1030 });
  expect(fake.requests.map(({ personalizations }) => personalizations.length).toSorted((a, b) => b - a)).toStrictEqual([
    500, 500, 30,
  ]);
  expect(new Set(fake.mails.map(({ headers }) => headers?.['Message-ID'])).size).toBe(1030);
});

test('two runs of one sender are two requests, each with what its own run is made from', async () => {
  await accept(2);
  await database.db.updateTable('sender_profile').set({ person_in_charge: '後任' }).execute();
  await accept(3);
  work(1);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 5 });
  expect(fake.requests.map(({ from, personalizations }) => [from.name, personalizations.length])).toStrictEqual([
    ['担当', 2],
    ['後任', 3],
  ]);
});

test('a mail that SendGrid names fails with its words and is not written to again; the others are sent', async () => {
  await accept(5);
  const bad = { mail_to: 'no address' };
  await database.db.updateTable('delivery').set(bad).where('row_index', '=', 3).execute();
  const company = database.db.updateTable('prospect').set({ company_email: bad.mail_to });
  await company.where('company_email', '=', 'info3@a.example').execute();
  work();
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 4, failed: 1 });
  const [, , , failed] = await deliveries();
  expect(failed).toMatchObject({ state: 'failed', smtp_reply: expect.stringContaining('valid address') });
  expect((await deliveries()).map(({ attempts }) => attempts)).toStrictEqual([1, 1, 1, 1, 1]);
  expect(await database.db.selectFrom('suppression').select(['account_id', 'value']).execute()).toStrictEqual([
    { account_id: tenant.accountId, value: 'no address' },
  ]);
});

test.each(['close', 'take, close'] as const)(
  'an answer that is lost (%s): all of the request are unknown, none is sent again',
  async (fault) => {
    fake.fault = () => fault;
    await accept(4);
    work();
    expect(await untilSettled(database.db)).toStrictEqual({ unknown: 4 });
    expect(await database.db.selectFrom('contact_state').selectAll().execute()).toHaveLength(4);
    expect(fake.mails).toHaveLength(fault === 'close' ? 0 : 4);
  },
);

test('too many requests: their sender waits for as long as SendGrid says, no attempt is counted, and then they go', async () => {
  fake.fault = () => ({ status: 429, headers: { 'retry-after': '100' } });
  await accept(4);
  work();
  const [limit] = await eventually(
    () => readLimits(database),
    ([row]) => row?.limited_until !== null,
  );
  const seconds = ((limit?.limited_until?.getTime() ?? 0) - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(80);
  expect(seconds).toBeLessThan(101);
  expect(await countStates(database.db)).toStrictEqual({ queued: 4 });
  fake.fault = () => null;
  await endLimitWait(database);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 4 });
  expect((await deliveries()).map(({ attempts }) => attempts)).toStrictEqual([1, 1, 1, 1]);
  expect(await readTransport(database)).toMatchObject({ paused_until: null, faults: 0 });
});

test('a fault of SendGrid itself: its mails are unknown and not sent again, and all others wait', async () => {
  fake.fault = () => ({ status: 500 });
  await accept(3);
  const worker = work(1);
  await eventually(
    () => readTransport(database),
    ({ paused_until }) => paused_until !== null,
  );
  // A claim that began before the pause could still find the next mails.
  await worker.stop();
  await accept(2);
  work(1);
  expect(await countStates(database.db)).toStrictEqual({ unknown: 3, queued: 2 });
  // One mail finds out whether it is back.
  await endPause(database);
  await eventually(
    () => countStates(database.db),
    ({ unknown }) => unknown === 4,
  );
  await eventually(
    () => readTransport(database),
    ({ pauses, paused_until }) => pauses === 2 && paused_until !== null,
  );
  fake.fault = () => null;
  await endPause(database);
  expect(await untilSettled(database.db)).toStrictEqual({ unknown: 4, sent: 1 });
  await eventually(
    () => readTransport(database),
    ({ pauses, paused_until }) => pauses === 0 && paused_until === null,
  );
  expect(fake.mails).toHaveLength(1);
});

test('a failed request is one transport fault, however many mails it holds', async () => {
  fake.fault = () => ({ status: 404 });
  await accept(50);
  work(1);
  expect(
    await eventually(
      () => readTransport(database),
      ({ faults }) => faults > 0,
    ),
  ).toMatchObject({ faults: 1, paused_until: null });
  expect(await countStates(database.db)).toStrictEqual({ queued: 50 });
});

test('a sender that SendGrid has not verified: its run waits for its owner', async () => {
  fake.fault = () => ({ status: 403, errors: [{ message: 'not a verified Sender Identity', field: 'from' }] });
  const { id } = await accept(3);
  work();
  const run = () => database.db.selectFrom('send_log').select('paused_by').where('id', '=', id).executeTakeFirst();
  await eventually(run, (found) => found?.paused_by === 'sender_refused');
  expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
});

describe('a mail that was lost to somebody else', () => {
  test('stops its request, and the others go without it', async () => {
    await accept(3);
    const [first] = await deliveries();
    // Cancelled between the claim and the mark.
    await sql`
      CREATE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.state = 'sending' AND NEW.id = ${sql.lit(first?.id ?? 0)} AND OLD.claim_no = 1 THEN RETURN NULL; END IF;
        RETURN NEW; END $$`.execute(database.db);
    await sql`CREATE TRIGGER steal BEFORE UPDATE ON delivery FOR EACH ROW EXECUTE FUNCTION steal()`.execute(
      database.db,
    );
    onTestFinished(async () => {
      await sql`DROP FUNCTION steal CASCADE`.execute(database.db);
    });
    work(1);
    expect(
      await eventually(
        () => countStates(database.db),
        ({ sent }) => sent === 2,
      ),
    ).toStrictEqual({ claimed: 1, sent: 2 });
    expect(addressesOf()).toStrictEqual(['info1@a.example', 'info2@a.example']);
  });
});

describe('a run goes the way it was accepted for', () => {
  test('one that was accepted for SMTP is not sent through SendGrid', async () => {
    await acceptRun(database, tenant, 2);
    work();
    expect(await untilSettled(database.db)).toStrictEqual({ failed: 2 });
    expect((await deliveries())[0]?.smtp_reply).toMatch(/SMTPで送る設定のとき/);
    expect(fake.requests).toHaveLength(0);
  });

  test('nor the other way round', async () => {
    await accept(2);
    const sink = await testSink();
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ failed: 2 });
    expect((await deliveries())[0]?.smtp_reply).toMatch(/SendGridで送る設定のとき/);
    expect(sink.mails).toHaveLength(0);
  });
});

test('closed, a lane ends its request, and the next one goes', async () => {
  await accept(2);
  const batch = await claimDeliveries(database.service.db, randomUUID(), { connections: 1, rows: 2 });
  const claims = (typeof batch !== 'string' && batch?.claims) || [];
  const lane = sendGridTransport(fake).openLane();
  const mark = async () => claims.map(() => true);
  fake.fault = () => {
    setImmediate(() => lane.close());
    return 'silence';
  };
  expect(await lane.send(claims, mark)).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
  fake.fault = () => null;
  expect(await lane.send(claims, mark)).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
});
