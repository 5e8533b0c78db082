import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { nextCandidate, renderCandidates } from '#domain/sending/candidate-dates.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { withoutFooter } from '#test/mailing.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually, testSink, testWorker, unbalancedRuns, untilSettled } from '#test/sending.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
});

const row = () => database.db.selectFrom('delivery').selectAll().orderBy('id').executeTakeFirstOrThrow();

const request = async (...run: [count: number, options?: Parameters<typeof acceptRun>[3]]) =>
  (await acceptRun(database, tenant, ...run)).prospectIds;

describe('a mail that is taken', () => {
  test('bad-inputs 123: arrives once, as asked for, and its company counts as contacted', async () => {
    await database.db
      .updateTable('mail_template')
      .set({
        text_body: '{{ company_name }}\n{{ person_in_charge }}\n①㈱髙﨑 𠮷\n.\n{{ sender.email }}',
        html_body: '<p>{{ company_name }}</p>',
      })
      .execute();
    await database.db
      .updateTable('sender')
      .set({ subject: `ご提案 ${'長い件名'.repeat(20)}` })
      .execute();
    const person_in_charge = '"髙﨑" <evil@x>, 一郎';
    await database.db.updateTable('sender_profile').set({ person_in_charge, bcc: 'copy@example.com' }).execute();
    const [prospect] = await request(1);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });

    expect(sink.mails).toHaveLength(1);
    const [caught] = sink.mails;
    expect(caught?.from).toBe('sender@example.com');
    expect(caught?.to).toStrictEqual(['info0@a.example', 'copy@example.com']);
    expect(caught?.source.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    expect(caught?.source).not.toMatch(/^bcc:/im);
    const mail = await PostalMime.parse(caught?.source ?? '');
    expect(mail.subject).toBe(`ご提案 ${'長い件名'.repeat(20)}`);
    expect(mail.from).toMatchObject({ address: 'sender@example.com', name: '"髙﨑" <evil@x>, 一郎' });
    expect(mail.to).toMatchObject([{ address: 'info0@a.example' }]);
    expect(withoutFooter(mail.text?.trim())).toBe('株式会社0\n山田 太郎 様\n①㈱髙﨑 𠮷\n.\nsender@example.com');
    expect(withoutFooter(mail.html?.trim())).toBe('<p>株式会社0</p>');

    const delivery = await row();
    expect(delivery).toMatchObject({ message_id: caught?.messageId, attempts: 1, lease_until: null, claim_no: 1 });
    expect(new Date(mail.date ?? '').getTime()).toBe(Math.floor(delivery.mail_date.getTime() / 1000) * 1000);
    const contact = await database.db.selectFrom('contact_state').selectAll().executeTakeFirstOrThrow();
    expect(contact).toMatchObject({ prospect_id: prospect, sender_group_id: tenant.senderGroupId });
  });

  test('offers the candidate dates, one a line', async () => {
    await database.db
      .updateTable('mail_template')
      .set({
        text_body: '候補日：\n{{ candidate_dates }}',
        html_body: '{% for line in candidate_date_lines %}<p>{{ line }}</p>{% endfor %}',
      })
      .execute();
    const first = nextCandidate([], Date.now());
    const candidates = [first, { ...nextCandidate([first], Date.now()), start_time: '09:30', end_time: '20:45' }];
    await request(1, { candidates });
    testWorker(database, sink);
    await untilSettled(database.db);
    const mail = await PostalMime.parse(sink.mails[0]?.source ?? '');
    const lines = renderCandidates(candidates).split('\n');
    expect(lines[1]).toMatch(/^・\d+月\d+日\(.\) 9:30〜20:45$/);
    expect(withoutFooter(mail.text?.trim()).split('\n')).toStrictEqual(['候補日：', ...lines]);
    expect(withoutFooter(mail.html?.trim())).toBe(lines.map((line) => `<p>${line}</p>`).join(''));
  });

  test('in test mode goes to the test address alone and leaves no contact', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'copy@example.com' }).execute();
    await request(3, { test: true });
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(sink.mails.map(({ to }) => to.join()).sort()).toStrictEqual([0, 1, 2].map((n) => `test+${n}@example.com`));
    expect(await database.db.selectFrom('contact_state').selectAll().execute()).toStrictEqual([]);
  });

  test('300 mails by three workers: each once', async () => {
    const ids = await request(300);
    for (let n = 0; n < 3; n += 1) testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 300 });
    expect(new Set(sink.mails.map(({ messageId }) => messageId)).size).toBe(300);
    expect(sink.mails).toHaveLength(300);
    const contacts = await database.db.selectFrom('contact_state').select('prospect_id').execute();
    expect(contacts.map(({ prospect_id }) => prospect_id).sort((a, b) => a - b)).toStrictEqual(ids);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });
});

describe('what the server says decides', () => {
  const once = (moment: Moment, fault: Fault) => {
    let left = 1;
    sink.fault = (at) => (at === moment && left-- > 0 ? fault : null);
  };

  test.each<[Moment, Fault, object]>([
    ['RCPT', '550 5.1.1 no such user', { state: 'failed', attempts: 1 }],
    ['RCPT', '450 4.2.0 greylisted', { state: 'queued', attempts: 1 }],
    ['MAIL', '550 5.7.1 sender refused', { state: 'queued', attempts: 0 }],
    ['DATA', '554 5.3.4 too big', { state: 'failed', attempts: 1 }],
    ['DATA', '451 4.3.0 later', { state: 'queued', attempts: 1 }],
    ['dot', '554 5.7.1 spam', { state: 'failed', attempts: 1 }],
    ['dot', '452 4.3.1 disk full', { state: 'queued', attempts: 1 }],
    ['dot', 'close', { state: 'unknown', attempts: 1 }],
    ['dot', 'reset', { state: 'unknown', attempts: 1 }],
    ['DATA', 'close', { state: 'queued', attempts: 1 }],
    ['RCPT', 'reset', { state: 'queued', attempts: 1 }],
    ['greeting', '421 4.3.2 busy', { state: 'queued', attempts: 0 }],
    ['greeting', 'close', { state: 'queued', attempts: 0 }],
    ['EHLO', 'reset', { state: 'queued', attempts: 0 }],
  ])('%s answered by %s', async (moment, fault, expected) => {
    once(moment, fault);
    await request(1);
    const begun = Date.now();
    testWorker(database, sink);
    const delivery = await eventually(
      row,
      ({ smtp_reply, lease_until }) => smtp_reply !== null && lease_until === null,
    );
    expect(delivery).toMatchObject(expected);
    if (delivery.state === 'queued') expect(Number(delivery.not_before)).toBeGreaterThan(begun + 15_000);
    const contacts = await database.db.selectFrom('contact_state').selectAll().execute();
    expect(contacts).toHaveLength(delivery.state === 'unknown' ? 1 : 0);
    const suppressed = await database.db.selectFrom('suppression').select('value').execute();
    expect(suppressed).toStrictEqual(fault.toString().includes('5.1.1') ? [{ value: 'info0@a.example' }] : []);
  });

  test('a connection lost while the body is being sent leaves the mail unknown: it is not sent again', async () => {
    once('body', 'reset');
    await request(1);
    testWorker(database, sink);
    expect(await eventually(row, ({ lease_until, state }) => lease_until === null && state !== 'queued')).toMatchObject(
      {
        state: 'unknown',
      },
    );
  });

  test('the main recipient refused and the copy taken is a failure', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'copy@example.com' }).execute();
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('info0') ? '550 5.1.1 unknown' : null);
    await request(1);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(await row()).toMatchObject({ state: 'failed', smtp_reply: expect.stringContaining('550') });
  });

  test('the main recipient taken and the copy refused is sent', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'copy@example.com' }).execute();
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('copy') ? '550 5.1.1 unknown' : null);
    await request(1);
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
  });

  test('a fault of one mail stops no other', async () => {
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('info1@') ? '550 5.1.1 unknown' : null);
    await request(5);
    testWorker(database, sink, { connections: 1 });
    expect(await untilSettled(database.db)).toStrictEqual({ sent: 4, failed: 1 });
  });
});
