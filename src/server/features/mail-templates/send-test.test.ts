import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { updateMember } from '#test/accounts.ts';
import { type BoxSinks, outboundTo, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { fakeTransport } from '#test/fake-transport/fake-transport.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';

const lanesTo = ({ port }: Pick<SmtpSink, 'port'>) =>
  smtpTransport({ host: '127.0.0.1', port, secure: false, requireTls: false, credentials: null });

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let client: Client;
let templateId: number;
let now: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await updateMember(database.db, tenant.accountId, { email: 'taro@example.jp', name: '山田 太郎' });
  sink = await testSink();
  now = Date.UTC(2026, 10, 24, 3);
  client = await clientOf({ ...database, lanes: lanesTo(sink) }, tenant.accountId, () => now);
  const sender = await database.db.selectFrom('sender').select('template_id').executeTakeFirstOrThrow();
  templateId = sender.template_id;
});

const unsaved = (change: object = {}) => ({
  sender_id: tenant.senderId,
  subject: '{{ company_name }}様へ',
  text_body: '{{ person_in_charge }}\n{{ sender.signature }}',
  html_body: '<p>{{ person_in_charge }}</p>',
  company_name: '株式会社見本',
  person_in_charge: '',
  has_candidate_dates: 0,
  ...change,
});
const sendTest = (change: object = {}, by = client) => by.post(`/mail_template/${templateId}/test`, unsaved(change));
const countRows = async (table: 'send_log' | 'delivery' | 'contact_state' | 'audit_event') =>
  (await database.db.selectFrom(table).selectAll().execute()).length;

test('the unsaved content goes only to the member, marked, and no company counts as contacted', async () => {
  await database.db
    .updateTable('sender_profile')
    .set({ bcc: 'copy@example.jp', reply_to: 'reply@example.jp', signature: '営業部' })
    .execute();
  await database.db.deleteFrom('confirmed_address').execute();
  const [prospect_id = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社花', ceo: '佐藤 花', company_email: 'hana@a.example' },
  ]);
  const company = { prospect_id, company_name: undefined, person_in_charge: undefined };
  expect(await sendTest(company)).toStrictEqual({ status: 200, body: { status: 'sent', to: 'taro@example.jp' } });
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([['taro@example.jp']]);
  const mail = await PostalMime.parse(sink.mails[0]?.source ?? '');
  expect(mail).toMatchObject({
    subject: '【テスト】株式会社花様へ',
    from: { name: '担当', address: 'sender@example.com' },
    replyTo: [{ address: 'reply@example.jp' }],
    text: expect.stringMatching(/^佐藤 花 様\n営業部\n\n-{60}\n送信者: 株式会社見本\n/),
    html: expect.stringContaining('<p>佐藤 花 様</p>'),
    messageId: expect.stringMatching(/^<[\w-]{36}@example\.com>$/),
  });
  for (const table of ['send_log', 'delivery', 'contact_state'] as const) expect(await countRows(table)).toBe(0);
  const events = database.db.selectFrom('audit_event').select(['kind', 'detail', 'member_id']).orderBy('id');
  const event = { detail: { template_id: templateId, to: 'taro@example.jp' }, member_id: tenant.memberId };
  expect(await events.execute()).toStrictEqual([
    { kind: 'template_test_requested', ...event },
    { kind: 'template_test_sent', ...event },
  ]);
});

test('what a real mail of the template would lack by law is in the answer', async () => {
  const faultsOf = async (change: object = {}) => {
    const { status, body } = await sendTest(change);
    const { legal_faults = [] } = body as { legal_faults?: { code: string; path: string }[] };
    return [status, ...legal_faults.map(({ code, path }) => `${code} ${path}`)];
  };
  expect(await faultsOf()).toStrictEqual([200]);
  expect(await faultsOf({ subject: 'Re: ご提案' })).toStrictEqual([200, 'L11 sender.subject']);
  expect(await faultsOf({ text_body: '{% if false %}{{ legal_footer }}{% endif %}本文', html_body: '' })).toContain(
    'L5 mail_template.text_body',
  );
  await database.db.deleteFrom('legal_profile').execute();
  expect(await faultsOf({ text_body: '本文' })).toStrictEqual([
    200,
    'L1 legal_profile.official_name',
    'L2 legal_profile.postal_address',
    'L3 legal_profile.contact_phone',
    'L4 legal_profile.confirmed',
  ]);
});

test('without a sender the member is the sender; a fault sends nothing', async () => {
  expect((await sendTest({ sender_id: null })).status).toBe(200);
  const mail = await PostalMime.parse(sink.mails[0]?.source ?? '');
  expect(mail.from).toMatchObject({ name: '山田 太郎', address: 'taro@example.jp' });
  expect(await sendTest({ text_body: '{{ a }}' })).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
  expect((await sendTest({ prospect_id: 999 })).status).toBe(400);
  const unknown = { prospect_id: 999, company_name: undefined, person_in_charge: undefined };
  expect((await sendTest(unknown)).status).toBe(404);
  expect(sink.mails).toHaveLength(1);
});

test('a third transport sends it too, with its own bodies', async () => {
  const taken: Parameters<typeof fakeTransport>[0] = [];
  const transport = fakeTransport(taken);
  const other = await clientOf({ ...database, transport, lanes: transport }, tenant.accountId, () => now);
  expect((await sendTest({}, other)).status).toBe(200);
  expect(taken).toMatchObject([{ to: 'taro@example.jp', text: expect.stringContaining('by the fake transport') }]);
});

test('with SendGrid a template without a template there is refused, as a run is', async () => {
  const other = await clientOf({ ...database, transport: sendGridTemplates }, tenant.accountId, () => now);
  expect(await sendTest({}, other)).toMatchObject({ status: 400, body: { code: 'no_sendgrid_template' } });
  expect(sink.mails).toStrictEqual([]);
});

describe('the limit of an hour', () => {
  test('counts the mails that left', async () => {
    for (let n = 0; n < 30; n += 1) expect((await sendTest()).status).toBe(200);
    expect(await sendTest()).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
    now += 60 * 60 * 1000;
    expect((await sendTest()).status).toBe(200);
  });

  test('does not count a mail that no server accepted, whose answer is told', async () => {
    const closed = await testSink();
    const { port } = closed;
    await closed.close();
    const other = await clientOf({ ...database, lanes: lanesTo({ port }) }, tenant.accountId, () => now);
    expect(await sendTest({}, other)).toMatchObject({
      status: 503,
      body: { code: 'mail_not_sent', message: expect.stringMatching(/^テスト送信できませんでした（.+）。/) },
    });
    const { points } = await database.db.selectFrom('rate_limit').select('points').executeTakeFirstOrThrow();
    expect(points).toBe(0);
    const events = await database.db.selectFrom('audit_event').select('kind').execute();
    expect(events).toStrictEqual([{ kind: 'template_test_requested' }]);
    expect((await client.get('/first_steps')).body).toMatchObject({ steps: { test_sent: 0 } });
  });
});

describe('a test of a sender with a mailbox', () => {
  const host = 'own.example';
  let box: SmtpSink;
  let byBox: Client;

  beforeEach(async () => {
    const sinks: BoxSinks = new Map();
    box = await startBoxSink(sinks, host);
    await sendByBox(database, tenant, host);
    const parts = { ...database, lanes: lanesTo(sink), outbound: outboundTo(sinks) };
    byBox = await clientOf(parts, tenant.accountId, () => now);
  });

  test('leaves by it, and by nothing else', async () => {
    expect(await sendTest({}, byBox)).toMatchObject({ status: 200 });
    expect(box.mails).toMatchObject([{ from: `person@${host}`, to: ['taro@example.jp'], secure: true }]);
    expect(sink.mails).toStrictEqual([]);
  });

  test.each([
    ['is not connected', { state: 'reconnect' }, /がつながっていません/],
    ['does not allow its From', { address: 'other@own.example' }, /この差出人（person@own\.example）で送れません/],
  ])('is refused where it %s', async (_, values, message) => {
    await database.db.updateTable('mailbox').set(values).execute();
    expect(await sendTest({}, byBox)).toMatchObject({
      status: 503,
      body: { code: 'mail_not_sent', message: expect.stringMatching(message) },
    });
    expect([...box.mails, ...sink.mails]).toStrictEqual([]);
  });
});
