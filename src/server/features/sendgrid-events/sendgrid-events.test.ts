import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventOf, type FakeSendGrid, type SendGridEvent, testSendGrid } from '#test/sendgrid.ts';
import type { Personalization } from '#test/sendgrid-rules.ts';
import { acceptRun, unbalancedRuns, untilBlocked, untilSettled, workerBy } from '#test/sending.ts';
import { sendGridTemplates, sendGridTransport } from '../delivery/transports/sendgrid/sendgrid-transport.ts';
import { erase } from '../personal-data/erase.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let fake: FakeSendGrid;
let address: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  fake = await testSendGrid();
  await giveSendGridTemplates(database.db, 'copy@b.example');
  ({ address } = await serveApp(database, Date.now, { eventKeys: [fake.publicKey] }));
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

async function post({ body, headers }: { body: string; headers: Record<string, string> }) {
  const response = await fetch(`${address}/sendgrid/events`, { method: 'POST', headers, body });
  return { status: response.status, answer: (await response.json()) as { code?: string } };
}

async function tell(...events: SendGridEvent[]): Promise<void> {
  expect(await post(fake.signed(events))).toStrictEqual({ status: 200, answer: { status: 'accepted' } });
}

/** Sends mails through SendGrid and waits for their results. @returns SendGrid's view of the nth mail of the list */
async function sendMails(count: number, options = {}): Promise<(n: number) => Personalization> {
  await acceptRun(database, tenant, count, { transport: sendGridTemplates, ...options });
  const worker = workerBy(database, sendGridTransport(fake));
  await untilSettled(database.db);
  await worker.stop();
  return nthMail;
}

const nthMail = (n: number): Personalization => fake.mails[n] ?? expect.unreachable();

const rows = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const states = async () => (await rows()).map(({ state }) => state);
const suppressed = () => database.db.selectFrom('suppression').select(['account_id', 'value', 'reason']).execute();

test('bad-inputs 127: events set delivery time, reason and suppressed addresses', async () => {
  const mail = await sendMails(6);
  const before = (await rows()).map(({ smtp_reply }) => smtp_reply);
  await tell(
    eventOf(mail(0), 'processed'),
    eventOf(mail(0), 'delivered', { response: '250 OK', timestamp: 1_795_230_000 }),
    eventOf(mail(1), 'bounce', { type: 'bounce', status: '5.1.1', reason: '550 5.1.1 nobody' }),
    eventOf(mail(2), 'bounce', { type: 'blocked', status: '4.7.1', reason: '421 not today' }),
    eventOf(mail(3), 'dropped', { reason: 'Bounced Address' }),
    eventOf(mail(4), 'spamreport'),
    eventOf(mail(5), 'group_unsubscribe', { asm_group_id: 10 }),
    eventOf(mail(0), 'open', { useragent: 'Mozilla/5.0' }),
  );
  expect(await rows()).toMatchObject([
    { state: 'sent', delivered_at: new Date(1_795_230_000_000), smtp_reply: before[0] },
    { state: 'failed', smtp_reply: 'SendGrid: bounce (550 5.1.1 nobody)', delivered_at: null },
    { state: 'failed', smtp_reply: 'SendGrid: bounce (421 not today)' },
    { state: 'failed', smtp_reply: 'SendGrid: dropped (Bounced Address)' },
    // A spam report means that the mail arrived.
    { state: 'sent', smtp_reply: 'SendGrid: spamreport' },
    { state: 'sent', smtp_reply: 'SendGrid: group_unsubscribe' },
  ]);
  const { accountId: account_id } = tenant;
  expect((await suppressed()).toSorted((a, b) => a.value.localeCompare(b.value))).toStrictEqual([
    { account_id, value: 'info1@a.example', reason: 'SendGrid: bounce (550 5.1.1 nobody)' },
    { account_id, value: 'info3@a.example', reason: 'SendGrid: dropped (Bounced Address)' },
    { account_id, value: 'info4@a.example', reason: 'SendGrid: spamreport' },
    { account_id, value: 'info5@a.example', reason: 'SendGrid: group_unsubscribe' },
  ]);
});

test("a complaint about an erased person's mail is kept as a hash, by whoever it went to", async () => {
  const mail = await sendMails(1);
  const account = accountDbOf(database.api)(tenant.accountId, tenant.memberId);
  await erase(account, { email: 'info0@a.example', record_refusal: 0 });
  const hashes = () => database.db.selectFrom('suppression_hash').select(['class', 'source']).execute();
  await tell({ ...eventOf(mail(0), 'spamreport'), email: 'copy@b.example' }, eventOf(mail(0), 'delivered'));
  expect(await hashes()).toStrictEqual([]);
  await tell(eventOf(mail(0), 'spamreport'));
  expect([await hashes(), await suppressed()]).toStrictEqual([[{ class: 'refused', source: 'complaint' }], []]);
});

test("a complaint about an erased person's mail finds a company that is being saved with the address", async () => {
  const mail = await sendMails(1);
  const account = accountDbOf(database.api)(tenant.accountId, tenant.memberId);
  await erase(account, { email: 'info0@a.example', record_refusal: 0 });
  const other = await database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT FROM account FOR SHARE');
    const told = tell(eventOf(mail(0), 'spamreport'));
    await untilBlocked(database);
    await other.query(`INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search)
      SELECT id, '丙社', '丙社', 'info0@a.example', 'info0@a.example' FROM account`);
    await other.query('COMMIT');
    await told;
  } finally {
    other.release();
  }
  expect(await suppressed()).toHaveLength(1);
});

test('a complaint after a refusal of the page keeps it from being undone', async () => {
  const mail = await sendMails(1);
  const { accountId: account_id } = tenant;
  const undo_until = new Date(Date.now() + 60_000);
  await database.db
    .insertInto('suppression')
    .values({ account_id, kind: 'address', value: 'info0@a.example', class: 'refused', source: 'link', undo_until })
    .execute();
  await tell(eventOf(mail(0), 'spamreport'));
  const left = database.db.selectFrom('suppression').select(['source', 'undo_until']);
  expect(await left.execute()).toStrictEqual([{ source: 'link', undo_until: null }]);
});

describe('a lost answer of SendGrid', () => {
  test('is replaced by the events: sent, failed, or still unknown', async () => {
    fake.fault = () => 'take, close';
    const mail = await sendMails(3);
    expect(await states()).toStrictEqual(['unknown', 'unknown', 'unknown']);
    await tell(eventOf(mail(0), 'processed'), eventOf(mail(1), 'bounce', { type: 'blocked' }));
    expect(await states()).toStrictEqual(['sent', 'failed', 'unknown']);
    expect(await rows()).toMatchObject([{ smtp_reply: 'SendGrid: processed', attempts: 1 }, {}, {}]);
  });

  test('a mail that its owner has queued again is not sent twice', async () => {
    fake.fault = () => 'take, close';
    const mail = await sendMails(1);
    await database.db
      .updateTable('delivery')
      .set({ state: 'queued', maybe_sent: true, finished_at: null, not_before: new Date(Date.now() + 60_000) })
      .execute();
    await tell(eventOf(mail(0), 'delivered'));
    expect(await rows()).toMatchObject([{ state: 'sent', finished_at: expect.any(Date) }]);
  });

  test('an answer does not undo events that came before it', async () => {
    await acceptRun(database, tenant, 2, { transport: sendGridTemplates });
    const [{ promise: told, resolve: tellNow }, { promise: done, resolve: goOn }] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    // The fake answers after the events were recorded.
    const transport = sendGridTransport(fake);
    const slow = {
      ...transport,
      openLane: () => {
        const lane = transport.openLane();
        return {
          ...lane,
          send: async (...asked: Parameters<typeof lane.send>) => {
            const outcomes = await lane.send(...asked);
            tellNow();
            await done;
            return outcomes;
          },
        };
      },
    };
    const worker = workerBy(database, slow);
    await told;
    await tell(eventOf(nthMail(0), 'dropped', { reason: 'Invalid' }), eventOf(nthMail(1), 'processed'));
    goOn();
    await worker.stop();
    expect(await rows()).toMatchObject([
      { state: 'failed', attempts: 1, smtp_reply: 'SendGrid: dropped (Invalid)' },
      { state: 'sent', attempts: 1, smtp_reply: 'SendGrid: processed' },
    ]);
  });
});

test('repeated, late and reordered events change nothing', async () => {
  const mail = await sendMails(2);
  const events = [eventOf(mail(0), 'bounce', { type: 'bounce', reason: '550 5.1.1' }), eventOf(mail(1), 'delivered')];
  await tell(...events);
  const before = await rows();
  await tell(...events.toReversed(), eventOf(mail(0), 'delivered'), eventOf(mail(0), 'processed'));
  expect(await rows()).toStrictEqual(before);
  // The owner retries the mail: events about the claim before do not apply.
  await database.db
    .updateTable('delivery')
    .set({ state: 'queued', attempts: 0, finished_at: null })
    .where('state', '=', 'failed')
    .execute();
  await tell(...events);
  expect(await states()).toStrictEqual(['queued', 'sent']);
});

test('events about Bcc copies change nothing', async () => {
  const mail = await sendMails(1);
  await tell(eventOf(mail(0), 'bounce', { email: 'copy@b.example', type: 'bounce' }));
  expect(await states()).toStrictEqual(['sent']);
  expect(await suppressed()).toStrictEqual([]);
});

test('a bounced test mail suppresses no address', async () => {
  const mail = await sendMails(1, { test: true });
  await tell(eventOf(mail(0), 'bounce', { type: 'bounce' }));
  expect(await states()).toStrictEqual(['failed']);
  expect(await suppressed()).toStrictEqual([]);
});

describe('bad-inputs 127: events about other mails change nothing', () => {
  test.each<[string, (name: string) => unknown]>([
    ['of another installation', (name) => name.replace(/[^.]+$/, crypto.randomUUID())],
    ['of another account', (name) => name.replace(/^\d+/, (id) => String(Number(id) + 1))],
    ['of nobody', (name) => name.replace(/^\d+/, '999999999999999')],
    ['of another mail', (name) => name.replace(/^(\d+)\.(\d+)/, (_, account, id) => `${account}.${Number(id) + 1}`)],
    ['without a name', () => undefined],
    ['with a name that is none', () => "1.1.1.' OR true --"],
    ['with a number for a name', () => 7],
  ])('%s', async (_, change) => {
    const mail = await sendMails(1);
    const stranger = await addTenant(database.db);
    await acceptRun(database, stranger, 1);
    const before = await rows();
    const kaitaku = change(mail(0).custom_args?.kaitaku ?? '');
    await tell(eventOf(mail(0), 'bounce', { type: 'bounce', kaitaku }), { event: 'bounce', email: 'x' });
    expect(await rows()).toStrictEqual(before);
    expect(await suppressed()).toStrictEqual([]);
  });
});

describe('bad-inputs 127: a request without a valid signature is refused', () => {
  const strange = (signed: ReturnType<FakeSendGrid['signed']>): [string, ReturnType<FakeSendGrid['signed']>][] => [
    ['another body', { ...signed, body: signed.body.replace('bounce', 'dropped') }],
    ['no headers', { ...signed, headers: { 'content-type': 'application/json' } }],
    ['old', fake.signed([], Math.floor(Date.now() / 1000) - 26 * 60 * 60)],
  ];

  test('with another body, without a signature, with an old one, or with another key', async () => {
    const mail = await sendMails(1);
    const before = await rows();
    const event = eventOf(mail(0), 'bounce', { type: 'bounce' });
    const other = (await testSendGrid()).signed([event]);
    for (const [name, request] of [...strange(fake.signed([event])), ['another key', other] as const]) {
      expect([name, await post(request)]).toMatchObject([name, { status: 401, answer: { code: 'invalid_signature' } }]);
    }
    expect(await rows()).toStrictEqual(before);
  });

  test('without a configured key the route answers 404', async () => {
    ({ address } = await serveApp(database));
    expect(await post(fake.signed([]))).toMatchObject({ status: 404, answer: { code: 'not_found' } });
  });
});

test('bad-inputs 127: a signed batch with malformed events is accepted, and its valid events are applied', async () => {
  const mail = await sendMails(1);
  const strange = [{ event: 5, email: ['x'], timestamp: 'soon', reason: null }, {}];
  await tell(...(strange as never[]), eventOf(mail(0), 'bounce', { type: 3, status: {}, reason: 'x'.repeat(9000) }));
  expect(await states()).toStrictEqual(['failed']);
});
