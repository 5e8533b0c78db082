import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { setSendGridTemplate } from '#server/features/senders/sendgrid-template.command.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, clientOf, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { giveSendGridTemplates, TEMPLATE_ID } from '#test/mails.ts';
import { addProspects, addTenant, LEGAL_PROFILE, type Tenant } from '#test/prospects.ts';
import { attackList, nextReservable, reservationBody } from '#test/reservations.ts';
import { acceptRun, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社花', company_email: 'a@a.example' },
  ]);
});

const send = (test_send_mode: 0 | 1 = 0) =>
  client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode,
    attack_list: attackList(ids, 'test@example.com'),
  });
const change = (update_info: object) => client.put(`/legal_profile/${tenant.senderGroupId}`, { update_info });
const setTemplate = (text_body: string, html_body: string) =>
  database.db.updateTable('mail_template').set({ text_body, html_body }).execute();
const pathsOf = (answer: { body: unknown }) =>
  (answer.body as { details: { path: string }[] }).details.map(({ path }) => path);
const codesOf = ({ body }: { body: unknown }) =>
  (body as { legal_faults: { code: string }[] }).legal_faults.map(({ code }) => code);
const check = async () => (await client.get(`/legal_check/${tenant.senderId}`)).body;
const deliveries = () =>
  database.db.selectFrom('delivery').select(['state', 'reason', 'smtp_reply']).orderBy('id').execute();

const sentMails = async () => {
  const sink = await testSink();
  testWorker(database, sink);
  await untilSettled(database.db);
  return Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
};

describe('without a legal profile', () => {
  beforeEach(() => database.db.deleteFrom('legal_profile').execute());

  test('a real send is refused with each rule at its place', async () => {
    const answer = await send();
    expect(answer).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
    expect(pathsOf(answer)).toStrictEqual([
      'legal_profile.official_name',
      'legal_profile.postal_address',
      'legal_profile.contact_phone',
      'legal_profile.confirmed',
    ]);
    expect(await deliveries()).toStrictEqual([]);
  });

  test('a real reservation is refused, a test one warns', async () => {
    const reserve = (test_send_mode: 0 | 1) =>
      client.post(
        '/reservation',
        reservationBody({
          sender_id: tenant.senderId,
          send_at: nextReservable(),
          attack_list: attackList(ids, 'test@example.com'),
          test_send_mode,
        }),
      );
    expect(await reserve(0)).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
    const answer = await reserve(1);
    expect(answer).toMatchObject({ status: 200, body: { status: 'added' } });
    expect(codesOf(answer)).toStrictEqual(['L1', 'L2', 'L3', 'L4']);
  });

  test('a test goes through, and its answer and the preview warn', async () => {
    const answer = await send(1);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(codesOf(answer)).toStrictEqual(['L1', 'L2', 'L3', 'L4']);
    expect((await sentMails()).map(({ text }) => text)).toStrictEqual([expect.stringContaining('本文')]);
    const asked = { test_send_mode: 1, attack_list: attackList(ids, 'test@other.example') };
    const preview = await client.post(`/mail/preview/${tenant.senderId}`, asked);
    expect(codesOf(preview)).toStrictEqual(['L1', 'L2', 'L3', 'L4', 'L14']);
  });

  test('a filled and confirmed profile permits the send', async () => {
    await change({ ...LEGAL_PROFILE, confirmed: 1 });
    expect(await check()).toStrictEqual({ ready: 1, faults: [] });
    expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
  });
});

test.each([
  ['hanako@kaisha.example', 'tanaka@news.example', 'HANAKO+1@Kaisha.Example', false],
  ['hanako@kaisha.example', 'tanaka@news.example', 'qa@kaisha.example', false],
  ['hanako@kaisha.example', 'tanaka@news.example', 'qa@news.example', false],
  ['hanako@kaisha.example', 'tanaka@news.example', 'hanako@other.example', true],
  ['hanako@kaisha.example', 'tanaka@news.example', 'qa@sub.kaisha.example', true],
  ['hanako@gmail.com', 'tanaka@yahoo.co.jp', 'hanako+test@gmail.com', false],
  ['hanako@gmail.com', 'tanaka@yahoo.co.jp', 'tanaka@yahoo.co.jp', false],
  ['hanako@gmail.com', 'tanaka@yahoo.co.jp', 'taro@gmail.com', true],
  ['hanako@gmail.com', 'tanaka@yahoo.co.jp', 'hanako@yahoo.co.jp', true],
])(
  "L14: with the member %s and the sender %s, a test to %s is a stranger's: %s",
  async (own, sender, to, isForeign) => {
    await database.db.updateTable('member').set({ email: own }).execute();
    await database.db.updateTable('sender_profile').set({ email: sender }).execute();
    const asked = { test_send_mode: 1, attack_list: attackList(ids, to) };
    const codes = codesOf(await client.post(`/mail/preview/${tenant.senderId}`, asked));
    expect(codes.includes('L14')).toBe(isForeign);
  },
);

test('lawful 55: a reservation whose profile was emptied waits, with the reason', async () => {
  const body = reservationBody({ sender_id: tenant.senderId, send_at: nextReservable(), attack_list: attackList(ids) });
  await client.post('/reservation', body);
  await change({ official_name: '' });
  await database.db
    .updateTable('reservation')
    .set({ send_at: new Date(Date.now() - 1000) })
    .execute();
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: database.service.db, now: Date.now, log, ...TEST_MAILING }));
  const listed = async () =>
    ((await client.get('/reservation/list')).body as { is_sent: 0 | 1; refused_reason: string | null }[])[0];
  const reservation = await eventually(listed, (row) => typeof row?.refused_reason === 'string');
  expect(reservation).toMatchObject({ is_sent: 0, refused_reason: expect.stringContaining('正式名称を入力') });
  expect(await deliveries()).toStrictEqual([]);
});

test('lawful 54: a template that was edited after its preview is checked again', async () => {
  const asked = { test_send_mode: 0, attack_list: attackList(ids) };
  expect(await client.post(`/mail/preview/${tenant.senderId}`, asked)).toMatchObject({ body: { legal_faults: [] } });
  await setTemplate('{% if false %}{{ legal_footer }}{% endif %}本文', '');
  expect(await send()).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
});

test('a complete test answers nothing of the law, and a repeated one the same', async () => {
  expect((await send(1)).body).not.toHaveProperty('legal_faults');
  await change({ official_name: '', confirmed: 1 });
  const body = { test_send_mode: 1, attack_list: attackList(ids, 'test@example.com') };
  const key = { 'idempotency-key': 'press-00001' };
  const first = await client.post(`/mail/send/${tenant.senderId}`, body, key);
  expect(codesOf(first)).toStrictEqual(['L1']);
  await change({ ...LEGAL_PROFILE, confirmed: 1 });
  expect(await client.post(`/mail/send/${tenant.senderId}`, body, key)).toStrictEqual(first);
});

test('warnings that a person has looked at are in the audit, and are not asked for', async () => {
  const [other = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'b@a.example' }]);
  const ask = (list: number[], more: object) =>
    client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: attackList(list), ...more });
  expect(await ask(ids, { acknowledged: ['L2'] })).toMatchObject({ status: 400 });
  expect(await ask(ids, { acknowledged: ['L9', 'L13', 'domain_health'] })).toMatchObject({ status: 200 });
  expect(await ask([other], {})).toMatchObject({ status: 200 });
  const [third = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'c@a.example' }]);
  const wanted = { sender_id: tenant.senderId, send_at: nextReservable(), attack_list: attackList([third]) };
  const reserved = await client.post('/reservation', { ...reservationBody(wanted), acknowledged: ['L11'] });
  expect(reserved).toMatchObject({ status: 200, body: { status: 'added' } });
  const { rows } = await database.pool.query(
    `SELECT kind, detail -> 'acknowledged' AS acknowledged FROM audit_event ORDER BY id`,
  );
  expect(rows).toStrictEqual([
    { kind: 'run_accepted', acknowledged: ['L9', 'L13', 'domain_health'] },
    { kind: 'run_accepted', acknowledged: null },
    { kind: 'reservation_made', acknowledged: ['L11'] },
  ]);
});

test('the mail shows the profile of its acceptance, and a link of its own', async () => {
  await database.db.updateTable('legal_profile').set({ department: '営業部' }).execute();
  await send();
  await change({ official_name: '株式会社別' });
  const { mail_key } = await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow();
  const url = `https://kaitaku.example.jp/u/${mail_key?.replaceAll('-', '')}`;
  const [mail] = await sentMails();
  expect(mail?.text).toBe(`本文

${'-'.repeat(60)}
送信者: 株式会社見本 営業部
住所: 〒100-0001 東京都千代田区見本1-2-3
お問い合わせ・苦情: 03-0000-0000
今後このようなご案内が不要な場合は、次のURLから配信を停止（受信を拒否）できます。
${url}
このメールは、貴社が公開されているメールアドレスにお送りしています。
`);
  expect(mail?.html).toContain(`<a href="${url}"`);
});

describe('a template of its own', () => {
  const LAWFUL =
    '{{ legal.official_name }} {{ legal.postal_address }} {{ legal.contact }}\n配信停止: {{ unsubscribe_url }}';

  test('may show the parts by itself, and gets no second footer', async () => {
    await setTemplate(LAWFUL, `<p>${LAWFUL}</p>`);
    await send();
    const [mail] = await sentMails();
    expect(mail?.text?.match(/\/u\//g)).toHaveLength(1);
    expect(mail?.text).not.toContain('-----');
  });

  test.each([
    [
      '48: the footer within {% if false %}',
      '{% if false %}{{ legal_footer }}{% endif %}本文',
      '',
      ['text_body', 'text_body', 'text_body', 'text_body'],
    ],
    [
      '49: the link in a comment',
      '本文 {{ legal_footer }}',
      '<p>本文</p><!-- {{ unsubscribe_url }} -->',
      ['html_body', 'html_body', 'html_body', 'html_body'],
    ],
    [
      '49: a hidden footer',
      '本文 {{ legal_footer }}',
      '<div style="display:none">{{ legal_footer }}</div>',
      ['html_body', 'html_body', 'html_body', 'html_body'],
    ],
    [
      '50: the notice far away',
      `配信停止\n${'あ'.repeat(2000)}\n{{ unsubscribe_url }}\n{{ legal.official_name }}{{ legal.postal_address }}{{ legal.contact }}`,
      '',
      ['text_body'],
    ],
    [
      "51: another company's name",
      '株式会社別\n{{ legal.postal_address }}{{ legal.contact }}\n配信停止: {{ unsubscribe_url }}',
      '',
      ['text_body'],
    ],
  ])('lawful %s is refused at acceptance', async (_name, text_body, html_body, parts) => {
    await setTemplate(text_body, html_body);
    const answer = await send();
    expect(answer).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
    expect(pathsOf(answer)).toStrictEqual(parts.map((part) => `mail_template.${part}`));
    expect(await check()).toMatchObject({ ready: 0 });
    expect(await send(1)).toMatchObject({ status: 200 });
  });

  test.each([
    ['without a person', 'person_in_charge == "ご担当者様"'],
    ['with a person', 'person_in_charge != "ご担当者様"'],
    ['without dates', 'candidate_date_lines.size == 0'],
    ['with dates', 'candidate_date_lines.size > 0'],
  ])('that shows the footer in mails %s alone is refused, whatever this run has', async (_, condition) => {
    await setTemplate(`本文{% if ${condition} %}{{ legal_footer }}{% endif %}`, '');
    expect(await send()).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
  });

  test('that fails for one company alone ends its mail as failed', async () => {
    const [other = 0] = await addProspects(database.db, tenant.accountId, [
      { company_name: '株式会社草', company_email: 'b@a.example' },
    ]);
    ids.push(other);
    await setTemplate('本文{% if company_name != "株式会社草" %}{{ legal_footer }}{% endif %}', '');
    expect(await send()).toMatchObject({ status: 200, body: { accepted: 2 } });
    expect(await sentMails()).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { state: 'sent', reason: null },
      { state: 'failed', reason: 'legal_incomplete', smtp_reply: expect.stringContaining('配信停止のURLがありません') },
    ]);
  });
});

test('a run whose mails have no refusal place fails, and its test goes through', async () => {
  await acceptRun(database, tenant, 1);
  await acceptRun(database, tenant, 1, { test: true });
  // As SQL of an operator may leave it: a run is refused without such a place.
  await database.pool.query(
    `UPDATE send_log SET mail = jsonb_set(mail, '{legal}', mail -> 'legal' || '{"public_url": null, "refusal_email": ""}')`,
  );
  expect(await sentMails()).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ state: 'failed', reason: 'legal_incomplete' }, { state: 'sent' }]);
});

test('a mail with warnings is sent', async () => {
  await change({ official_name: '架空オーダー', confirmed: 1 });
  await database.db.updateTable('sender').set({ subject: 'Re: ご提案' }).execute();
  ids = await addProspects(database.db, tenant.accountId, [{ company_email: 'taro.yamada@b.example' }]);
  const asked = { test_send_mode: 0, attack_list: attackList(ids) };
  const preview = await client.post(`/mail/preview/${tenant.senderId}`, asked);
  const { legal_faults } = preview.body as { legal_faults: { code: string; level: string }[] };
  expect(legal_faults.map(({ code, level }) => `${code} ${level}`)).toStrictEqual([
    'L9 warning',
    'L11 warning',
    'L13 warning',
  ]);
  expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
});

test('L10: a sender with an unconfirmed address causes a warning', async () => {
  await database.db.deleteFrom('confirmed_address').execute();
  expect(await check()).toMatchObject({ ready: 1, faults: [{ code: 'L10', level: 'warning', path: 'sender.email' }] });
});

test('lawful 27: without a public address the mail names the address for refusals, and its header alone', async () => {
  const { address } = await serveApp({ ...database, publicUrl: 'http://127.0.0.1:3000' });
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
  await change({ refusal_email: '', confirmed: 1 });
  const refused = await send();
  expect(pathsOf(refused)).toStrictEqual(['legal_profile.refusal_email']);
  expect(await check()).toMatchObject({ ready: 0, faults: [{ code: 'L8' }, { code: 'L8', level: 'warning' }] });
  await change({ refusal_email: 'stop@example.com', confirmed: 1 });
  expect(await send()).toMatchObject({ status: 200 });
  const [mail] = await sentMails();
  expect(mail?.text).toContain('\nstop@example.com\n');
  const fields = mail?.headers.filter(({ key }) => key.startsWith('list-')).map(({ key, value }) => [key, value]);
  expect(fields).toStrictEqual([['list-unsubscribe', '<mailto:stop@example.com?subject=unsubscribe>']]);
});

describe('with SendGrid, whose templates cannot be read', () => {
  const confirm = (confirmed: 0 | 1) =>
    database.db
      .selectFrom('mail_template')
      .select('id')
      .executeTakeFirstOrThrow()
      .then(({ id }) => client.put(`/mail_template/${id}/sendgrid_footer`, { update_info: { confirmed } }));

  test('another template of SendGrid ends the confirmation, the same one does not', async () => {
    await giveSendGridTemplates(database.db);
    const { id } = await database.db.selectFrom('mail_template').select('id').executeTakeFirstOrThrow();
    const key = { accountId: tenant.accountId, id };
    const isConfirmed = async () =>
      (await client.get(`/mail_template/${id}`)).body as { sendgrid_footer_confirmed: 0 | 1 };
    await setSendGridTemplate(database.service.db, key, TEMPLATE_ID);
    expect(await isConfirmed()).toMatchObject({ sendgrid_footer_confirmed: 1 });
    await setSendGridTemplate(database.service.db, key, `d-${'f'.repeat(32)}`);
    expect(await isConfirmed()).toMatchObject({ sendgrid_footer_confirmed: 0 });
    await confirm(1);
    await setSendGridTemplate(database.service.db, key, null);
    expect(await isConfirmed()).toMatchObject({ sendgrid_footer_confirmed: 0 });
  });

  test('a person confirms the footer before real sends', async () => {
    await giveSendGridTemplates(database.db);
    client = await clientOf({ ...database, transport: sendGridTemplates }, tenant.accountId);
    expect(await send()).toMatchObject({ status: 200 });
    await confirm(0);
    const refused = await send();
    expect(refused).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
    expect(pathsOf(refused)).toStrictEqual(['mail_template.sendgrid_footer_confirmed']);
    await confirm(1);
    await confirm(1);
    expect(await check()).toMatchObject({ ready: 1 });
    const kinds = database.db.selectFrom('audit_event').select('kind').where('kind', 'like', 'sendgrid%');
    expect(await kinds.execute()).toHaveLength(2);
  });
});
