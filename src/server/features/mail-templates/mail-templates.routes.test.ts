import { sql } from 'kysely';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { withoutFooter } from '#test/mailing.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { testSink, testWorker, untilSettled } from '#test/sending.ts';
import { logUnusableTemplates } from './template-faults.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let templateId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  templateId = await templateOf(tenant.senderId);
});

const templateOf = async (senderId: number) =>
  (await database.db.selectFrom('sender').select('template_id').where('id', '=', senderId).executeTakeFirstOrThrow())
    .template_id;

const read = async () => (await client.get(`/mail_template/${templateId}`)).body as MailTemplate;

const CONTENT = {
  name: '新しい名前',
  text_body: '{{ company_name }}\n{{ person_in_charge }}\n新しい本文',
  html_body: '<p>{{ company_name }}</p>',
};
const contentWith = (change: object = {}) => ({
  ...CONTENT,
  senders: [{ id: tenant.senderId, subject: '新しい件名' }],
  ...change,
});
const save = async (change: object = {}, version?: string) =>
  client.put(`/mail_template/${templateId}`, {
    version: version ?? (await read()).version,
    update_info: contentWith(change),
  });
const preview = (change: object = {}) =>
  client.post(`/mail_template/${templateId}/preview`, {
    sender_id: tenant.senderId,
    subject: '{{ company_name }}様へ',
    text_body: '{{ company_name }}\n{{ person_in_charge }}\n{{ candidate_dates }}',
    html_body: '<p style="color:red">{{ company_name }}</p>',
    company_name: 'A & B商事',
    person_in_charge: '佐藤 花子',
    has_candidate_dates: 0,
    ...change,
  });
const faultsOf = ({ body }: { body: unknown }) => (body as { details?: unknown }).details;

test('returns a template with the senders that use it', async () => {
  expect(await read()).toStrictEqual({
    id: templateId,
    name: 'ひな形',
    subject: 'ひな形の件名',
    text_body: '本文',
    html_body: '<p>本文</p>',
    editor: 'html',
    text_follows: 0,
    folder_id: null,
    archived: 0,
    number: 1,
    updated_by: null,
    reservations: 0,
    version: expect.stringMatching(/^[\w-]{22}$/),
    updated_at: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/),
    senders: [
      {
        id: tenant.senderId,
        sender_group_id: tenant.senderGroupId,
        group: 'グループ',
        profile_id: expect.any(Number),
        person_in_charge: '担当',
        email: 'sender@example.com',
        subject: '件名',
        own_subject: '件名',
        active: 1,
      },
    ],
    sender_profile_ids: [expect.any(Number)],
    asks_for_reply: 0,
    sendgrid_template_id: null,
    sendgrid_footer_confirmed: 0,
    merge_fields: expect.arrayContaining(['company_name', 'sender.email']),
    faults: [],
  });
});

describe('a change', () => {
  test('updates the template and its senders’ subjects, and nothing else', async () => {
    const other = await addSender(database.db, tenant);
    const answer = await save({ text_body: '一行目\r\n二行目', name: ' 前後の空白 ' });
    const now = await read();
    expect(answer).toStrictEqual({
      status: 200,
      body: {
        status: 'updated',
        id: templateId,
        version: now.version,
        number: 2,
        updated_at: now.updated_at,
        reservations: 0,
      },
    });
    expect(now).toMatchObject({ name: '前後の空白', text_body: '一行目\n二行目', html_body: CONTENT.html_body });
    expect(now.senders.map(({ subject }) => subject)).toStrictEqual(['新しい件名']);
    const untouched = (await client.get(`/mail_template/${await templateOf(other)}`)).body;
    expect(untouched).toMatchObject({ name: 'ひな形', text_body: '本文', senders: [{ subject: '件名' }] });
  });

  test('is refused if another tab has changed the template since; a repeated save succeeds', async () => {
    const { version } = await read();
    expect((await save({}, version)).status).toBe(200);
    expect((await save({}, version)).status).toBe(200);
    const late = await save({ text_body: '古い画面から' }, version);
    expect(late).toMatchObject({ status: 409, body: { code: 'template_changed' } });
    expect((await read()).text_body).toBe(CONTENT.text_body);
  });

  test('is refused too if a subject was changed by SQL', async () => {
    const { version } = await read();
    await database.db.updateTable('sender').set({ subject: '別の経路' }).execute();
    expect(await save({}, version)).toMatchObject({ status: 409 });
  });

  test('of many tabs at once succeeds for one of them', async () => {
    const { version } = await read();
    const texts = Array.from({ length: 8 }, (_, tab) => `タブ${tab}`);
    const answers = await Promise.all(texts.map((text_body) => save({ text_body }, version)));
    const saved = answers.flatMap(({ status }, tab) => (status === 200 ? [texts[tab]] : []));
    expect(saved).toStrictEqual([(await read()).text_body]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  test('accepts only senders of this template', async () => {
    const other = await addSender(database.db, tenant);
    expect(await save({ senders: [{ id: other, subject: '別のテンプレート' }] })).toMatchObject({ status: 404 });
    expect(await save({ senders: [] })).toMatchObject({ status: 200 });
    expect((await read()).senders.map(({ subject }) => subject)).toStrictEqual(['件名']);
  });

  test.each([
    [{ text_body: '一行目\n{{ company_nam }}' }, 'text_body', '2行目：「company_nam」という差し込み項目はありません'],
    [
      { html_body: '<p>\n\n{% if company_name %}</p>' },
      'html_body',
      '3行目：「{% if company_name %}」を閉じるタグがありません',
    ],
    // A fault that example values do not cause: a rare name.
    [
      { text_body: '本文\n{% if company_name == "x" %}{{ sender.phone }}{% endif %}' },
      'text_body',
      '2行目：「sender.phone」という差し込み項目はありません',
    ],
    [
      { text_body: '本文\n{{ (1..3000000) | sample: 2 | join }}' },
      'text_body',
      '2行目：「sample」というフィルターは使えません（使えるフィルター：default、strip、upcase、downcase、size）',
    ],
    [
      { html_body: '{% assign greeting = company_name %}' },
      'html_body',
      '1行目：「{% assign %}」というタグは使えません（使えるタグ：if、unless、case、for、comment、raw）',
    ],
    [
      { text_body: '{% if candidate_dates != "" %}本文{% endif %}' },
      'text_body',
      '条件によっては、本文が空になります。どの場合にも残る文を書いてください',
    ],
    [{ text_body: ' \n' }, 'text_body', '入力してください'],
    [{ name: '' }, 'name', '入力してください'],
  ])('of %j is refused at its field', async (change, field, message) => {
    const answer = await save(change);
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toStrictEqual([{ path: `update_info.${field}`, message }]);
    expect((await read()).name).toBe('ひな形');
  });

  test.each([
    ['name', 100],
    ['text_body', 100_000],
    ['html_body', 100_000],
  ])('with a %s longer than %d characters is refused', async (field, max) => {
    expect((await save({ [field]: 'あ'.repeat(max) })).status).toBe(200);
    const answer = await save({ [field]: 'あ'.repeat(max + 1) });
    const message = `${max}文字以下にしてください`;
    expect(faultsOf(answer)).toStrictEqual([{ path: `update_info.${field}`, message }]);
  });

  test.each([
    ['一行目\n二行目', '件名に改行は使えません'],
    ['{{ candidate_dates }}ご案内', '1行目：件名に改行が入る場合があります'],
    [
      '{% if candidate_dates != "" %}ご案内{% endif %}',
      '条件によっては、件名が空になります。どの場合にも残る文を書いてください',
    ],
    ['{{ company }}様', '1行目：「company」という差し込み項目はありません'],
  ])('to the subject %j is refused at its field', async (subject, message) => {
    const answer = await save({ senders: [{ id: tenant.senderId, subject }] });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toStrictEqual([{ path: 'update_info.senders.0.subject', message }]);
  });

  test.each(['\u202E', '\u2028', '\u2029', '\u000B', '\u000C', '\u200B'])(
    'bad-inputs 210: to a subject with %j is refused at its field, as its preview is',
    async (character) => {
      const subject = `ご提案${character}の件`;
      const message = '件名に使えない文字（改行や、文字の向きを変える記号など）が含まれています';
      expect(faultsOf(await save({ senders: [{ id: tenant.senderId, subject }] }))).toStrictEqual([
        { path: 'update_info.senders.0.subject', message },
      ]);
      expect(faultsOf(await preview({ subject }))).toStrictEqual([{ path: 'subject', message }]);
      expect(faultsOf(await save({ name: subject }))).toStrictEqual([
        { path: 'update_info.name', message: '使えない文字（改行や、文字の向きを変える記号など）が含まれています' },
      ]);
    },
  );

  test('with a fault in each field is refused with all of them', async () => {
    const answer = await save({
      text_body: '{{ a }}',
      html_body: '{{ b',
      senders: [{ id: tenant.senderId, subject: '{{ c }}' }],
    });
    expect(answer.body).toMatchObject({ code: 'invalid_template' });
    expect((faultsOf(answer) as { path: string }[]).map(({ path }) => path)).toStrictEqual([
      'update_info.text_body',
      'update_info.html_body',
      'update_info.senders.0.subject',
    ]);
  });
});

describe('bad-inputs 213: a stored template of an older version that uses more', () => {
  const store = () =>
    database.db.updateTable('mail_template').set({ html_body: '<p>\n{{ company_name | append: "様" }}</p>' }).execute();
  const FAULT =
    '2行目：「append」というフィルターは使えません（使えるフィルター：default、strip、upcase、downcase、size）';

  test('is reported on its page, with each of its subjects', async () => {
    await store();
    await database.db.updateTable('sender').set({ subject: '{% capture x %}{% endcapture %}' }).execute();
    expect((await read()).faults).toStrictEqual([
      { path: 'html_body', message: FAULT },
      { path: 'senders.0.subject', message: expect.stringContaining('「{% capture %}」というタグは使えません') },
    ]);
    await save();
    expect((await read()).faults).toStrictEqual([]);
  });

  test('is refused for sends and reservations, and logged when the program starts', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    const attack_list = [{ prospect_id: company }];
    const send = () => client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
    await store();
    const message = `テンプレートの本文（HTML）を確認してください（${FAULT}）。`;
    expect(await send()).toMatchObject({ status: 400, body: { code: 'invalid_template', message } });
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    await logUnusableTemplates(database.service.db, log);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { account: tenant.accountId, template: templateId, faults: [{ path: 'html_body', message: FAULT }] },
    ]);
  });

  test('fails the mails of a run that was accepted before, with the reason', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: [{ prospect_id: company }] });
    await database.db
      .updateTable('send_log')
      .set({ mail: sql`jsonb_set(mail, '{html_body}', '"{% assign a = 1 %}"')` })
      .execute();
    const sink = await testSink();
    testWorker(database, sink);
    expect(await untilSettled(database.db)).toStrictEqual({ failed: 1 });
    const { smtp_reply } = await database.db.selectFrom('delivery').select('smtp_reply').executeTakeFirstOrThrow();
    expect(smtp_reply).toContain('「{% assign %}」というタグは使えません');
    expect(sink.mails).toStrictEqual([]);
  });
});

test('a change does not alter the mails of accepted runs, only those of later ones', async () => {
  const [first = 0, second = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社あ', company_email: 'a@a.example' },
    { company_name: '株式会社い', company_email: 'i@a.example' },
  ]);
  const send = (prospect_id: number) =>
    client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: [{ prospect_id }] });
  expect((await send(first)).status).toBe(200);
  expect((await save({ html_body: '' })).status).toBe(200);
  expect((await send(second)).status).toBe(200);
  const sink = await testSink();
  testWorker(database, sink);
  await untilSettled(database.db);
  const mails = await Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
  const byTo = Object.fromEntries(mails.map((mail) => [mail.to?.[0]?.address, mail]));
  expect(byTo['a@a.example']).toMatchObject({ subject: '件名', text: expect.stringContaining('本文') });
  expect(byTo['a@a.example']?.text).not.toContain('新しい');
  expect(byTo['i@a.example']).toMatchObject({ subject: '新しい件名' });
  expect(withoutFooter(byTo['i@a.example']?.text?.trim())).toBe('株式会社い\nご担当者様\n新しい本文');
  // With a blank HTML body, mails have text alone.
  expect([byTo['a@a.example']?.html, byTo['i@a.example']?.html]).toStrictEqual([
    expect.stringContaining('<p>'),
    undefined,
  ]);
});

describe('the preview', () => {
  test('is the mail that a send would render from the unsaved template', async () => {
    const answer = await preview({ has_candidate_dates: 1 });
    const { text, html, ...rest } = answer.body as { text: string; html: string };
    expect({
      status: answer.status,
      body: { ...rest, text: withoutFooter(text), html: withoutFooter(html) },
    }).toStrictEqual({
      status: 200,
      body: {
        subject: 'A & B商事様へ',
        from: { name: '担当', address: 'sender@example.com' },
        text: expect.stringMatching(/^A & B商事\n佐藤 花子 様\n・.*9:00〜18:00\n・.*9:00〜18:00$/),
        html: '<p style="color:red">A &amp; B商事</p>',
        warnings: [],
      },
    });
    expect((await read()).text_body).toBe('本文');
  });

  test('warns of a blank person in charge', async () => {
    const { body } = await preview({ person_in_charge: '', text_body: '{{ person_in_charge }}' });
    expect(body).toMatchObject({
      text: expect.stringMatching(/^ご担当者様\n/),
      warnings: [{ kind: 'blank_field', text: 'person_in_charge' }],
    });
  });

  test("without a sender uses the account's name and address", async () => {
    const { body } = await preview({ sender_id: null });
    expect(body).toMatchObject({ from: { name: '利用者', address: expect.stringMatching(/^user\d+@example\.com$/) } });
  });

  test('is refused for template faults, and for a subject that its company makes unusable', async () => {
    const answer = await preview({ html_body: '<b>{{ sender.bcc }}</b>' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
    expect(faultsOf(answer)).toStrictEqual([
      { path: 'html_body', message: '1行目：「sender.bcc」という差し込み項目はありません' },
    ]);
    expect(await preview({ company_name: '株式\n会社' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_template' },
    });
    expect((await preview({ sender_id: await addSender(database.db, tenant) })).status).toBe(404);
  });
});
