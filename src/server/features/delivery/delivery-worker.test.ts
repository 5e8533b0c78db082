import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { nextCandidate, renderCandidates } from '#domain/candidate-dates.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';
import { claimDeliveries } from './claim.queries.ts';
import { sweepLostClaims } from './finish.queries.ts';
import { renewConnections, renewLeases } from './lease.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;

beforeEach(async () => {
  database = await testDatabase();
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
      .set({ subject: `ご提案 ${'長い件名'.repeat(20)}`, bcc: 'copy@example.com' })
      .execute();
    await database.db.updateTable('sender').set({ person_in_charge: '"髙﨑" <evil@x>, 一郎' }).execute();
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
    expect(mail.text?.trim()).toBe('株式会社0\n山田 太郎 様\n①㈱髙﨑 𠮷\n.\nsender@example.com');
    expect(mail.html?.trim()).toBe('<p>株式会社0</p>');

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
    expect(mail.text?.trim().split('\n')).toStrictEqual(['候補日：', ...lines]);
    expect(mail.html?.trim()).toBe(lines.map((line) => `<p>${line}</p>`).join(''));
  });

  test('in test mode goes to the test address alone and leaves no contact', async () => {
    await database.db.updateTable('sender').set({ bcc: 'copy@example.com' }).execute();
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
    testWorker(database, sink);
    const delivery = await eventually(
      row,
      ({ smtp_reply, lease_until }) => smtp_reply !== null && lease_until === null,
    );
    expect(delivery).toMatchObject(expected);
    if (delivery.state === 'queued') expect(Number(delivery.not_before)).toBeGreaterThan(Date.now() + 15_000);
    const contacts = await database.db.selectFrom('contact_state').selectAll().execute();
    expect(contacts).toHaveLength(delivery.state === 'unknown' ? 1 : 0);
    const suppressed = await database.db.selectFrom('suppression').select('value').execute();
    expect(suppressed).toStrictEqual(fault.toString().includes('5.1.1') ? [{ value: 'info0@a.example' }] : []);
  });

  test('a link lost while the body is on its way: whether it ended there nobody can say, so it is not sent again', async () => {
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
    await database.db.updateTable('sender').set({ bcc: 'copy@example.com' }).execute();
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('info0') ? '550 5.1.1 unknown' : null);
    await request(1);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(await row()).toMatchObject({ state: 'failed', smtp_reply: expect.stringContaining('550') });
  });

  test('the main recipient taken and the copy refused is sent', async () => {
    await database.db.updateTable('sender').set({ bcc: 'copy@example.com' }).execute();
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

describe('claims', () => {
  const take = async (worker: string, rows = 100) => {
    const batch = await claimDeliveries(database.service.db, worker, { connections: 4, rows }, Date.now());
    return typeof batch === 'string' ? expect.unreachable('the transport is paused') : batch;
  };
  const A = '00000000-0000-4000-8000-00000000000a';
  const B = '00000000-0000-4000-8000-00000000000b';
  const expireLeases = () =>
    database.db
      .updateTable('delivery')
      .set({ lease_until: new Date(0) })
      .where('lease_until', 'is not', null)
      .execute();

  test('two workers never hold the same mail', async () => {
    await request(30);
    const batches = await Promise.all([take(A, 10), take(B, 10)]);
    const more = [await take(A, 10), await take(B, 30)];
    const ids = [...batches, ...more].flatMap((batch) => batch?.claims.map(({ id }) => id) ?? []);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  test('the mails of a run share what they are made from', async () => {
    await request(10);
    await request(10);
    const claims = (await take(A))?.claims ?? [];
    expect(claims).toHaveLength(20);
    expect(new Set(claims.map(({ mail }) => mail)).size).toBe(2);
  });

  test('a late worker changes nothing: its claim number is old', async () => {
    await request(1);
    const [late] = (await take(A))?.claims ?? [];
    await expireLeases();
    expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 1, unknown: 0 });
    const [now] = (await take(B))?.claims ?? [];
    if (!late || !now) throw new Error('nothing was claimed');
    expect(now.claimNo).toBe(late.claimNo + 1);
    expect(await markSending(database.service.db, [late])).toStrictEqual([false]);
    expect(
      await finishDeliveries(database.service.db, [
        { claim: late, outcome: { kind: 'failed', reply: '550', badAddress: true } },
      ]),
    ).toStrictEqual([false]);
    expect(await row()).toMatchObject({ state: 'claimed', worker_id: B });
    expect(await database.db.selectFrom('suppression').selectAll().execute()).toStrictEqual([]);
  });

  test('is not claimed for an address that was suppressed since, though its company has another by now', async () => {
    const [prospect = 0] = await request(1);
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'right@a.example' })
      .where('id', '=', prospect)
      .execute();
    await database.db
      .insertInto('suppression')
      .values({ account_id: tenant.accountId, kind: 'address', value: 'info0@a.example', reason: '550' })
      .execute();
    expect((await take(A))?.claims).toStrictEqual([]);
    expect(await row()).toMatchObject({ state: 'cancelled', reason: 'suppressed' });
  });

  test('a worker that has lost a mail without knowing, and claimed it again, sends it by its second claim alone', async () => {
    await request(1);
    const [lost] = (await take(A))?.claims ?? [];
    await expireLeases();
    await sweepLostClaims(database.service.db);
    const [held] = (await take(A))?.claims ?? [];
    if (!lost || !held) throw new Error('nothing was claimed');
    expect(held.id).toBe(lost.id);
    expect(await renewLeases(database.service.db, [lost, held])).toStrictEqual([false, true]);
    expect(await markSending(database.service.db, [lost, held])).toStrictEqual([false, true]);
    const sent = [lost, held].map((claim) => ({ claim, outcome: { kind: 'sent', reply: '250' } as const }));
    expect(await finishDeliveries(database.service.db, sent)).toStrictEqual([false, true]);
  });

  test('a mail whose body had begun when its worker died is unknown and counts as contacted', async () => {
    const [prospect] = await request(1);
    const claims = (await take(A))?.claims ?? [];
    expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
    await expireLeases();
    expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 0, unknown: 1 });
    expect(await row()).toMatchObject({ state: 'unknown', lease_until: null, worker_id: null });
    const contacts = await database.db.selectFrom('contact_state').select('prospect_id').execute();
    expect(contacts).toStrictEqual([{ prospect_id: prospect }]);
  });

  test('a lease that is over, though nobody has swept it yet, is no more enough to begin', async () => {
    await request(1);
    const claims = (await take(A))?.claims ?? [];
    await expireLeases();
    expect(await markSending(database.service.db, claims)).toStrictEqual([false]);
    expect(await row()).toMatchObject({ state: 'claimed' });
  });

  test('whoever may not be mailed any more at the claim is cancelled with the reason', async () => {
    const [prospect = 0] = await request(2);
    await database.db
      .insertInto('active_prospect')
      .values({
        account_id: tenant.accountId,
        sender_group_id: tenant.senderGroupId,
        prospect_id: prospect,
        active: false,
      })
      .execute();
    expect((await take(A))?.claims).toHaveLength(1);
    expect(await row()).toMatchObject({ state: 'cancelled', reason: 'inactive', lease_until: null });
  });

  test('the connections of a sender are shared out over all workers and no more', async () => {
    await request(20);
    await database.db.updateTable('sender_throttle').set({ max_connections: 6 }).execute();
    expect((await take(A, 5))?.connections).toBe(4);
    expect((await take(B, 5))?.connections).toBe(2);
    expect(await take('00000000-0000-4000-8000-00000000000c', 5)).toBeNull();
  });

  test('a share of the connections that has run out is not kept: another may have it by now', async () => {
    await request(20);
    await database.db.updateTable('sender_throttle').set({ max_connections: 4 }).execute();
    expect((await take(A, 5))?.connections).toBe(4);
    const mine = () =>
      database.db
        .updateTable('sender_connection')
        .where('worker_id', '=', A)
        .set({ lease_until: new Date(0) })
        .execute();
    await mine();
    expect((await take(B, 5))?.connections).toBe(4);
    await renewConnections(database.service.db, A, [tenant.senderId]);
    await renewConnections(database.service.db, B, [tenant.senderId]);
    const living = database.db.selectFrom('sender_connection').where('lease_until', '>', new Date());
    expect(await living.select(['worker_id', 'connections']).execute()).toStrictEqual([
      { worker_id: B, connections: 4 },
    ]);
  });

  test('the pace of a sender holds over all workers', async () => {
    await request(20);
    await database.db.updateTable('sender_throttle').set({ mails_per_minute: 60 }).execute();
    expect((await take(A))?.claims).toHaveLength(1);
    expect(await take(B)).toBeNull();
    await database.db
      .updateTable('sender_throttle')
      .set({ next_at: new Date(Date.now() - 60_000) })
      .execute();
    expect((await take(B))?.claims).toHaveLength(1);
    expect(await take(A)).toBeNull();
  });

  test('behind a slow server a worker holds no more mails of a sender with a pace than can leave at once', async () => {
    await request(20);
    await database.db.updateTable('sender_throttle').set({ mails_per_minute: 600, max_connections: 3 }).execute();
    const later = () =>
      database.db
        .updateTable('sender_throttle')
        .set({ next_at: new Date(0) })
        .execute();
    expect((await take(A))?.claims).toHaveLength(3);
    await later();
    expect(await take(A)).toBeNull();
    await database.db.updateTable('sender_throttle').set({ max_connections: 4 }).execute();
    await later();
    expect((await take(A))?.claims).toHaveLength(1);
  });

  test.each([null, 60])('a database clock that is set back an hour stops nobody (pace %s)', async (pace) => {
    await request(2);
    const next_at = new Date(Date.now() + 3_600_000);
    await database.db.updateTable('sender_throttle').set({ mails_per_minute: pace, next_at }).execute();
    expect((await take(A))?.claims.length).toBeGreaterThan(0);
    // And the pace holds from now on.
    if (pace !== null) expect(await take(B)).toBeNull();
  });
});
