import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { previewMail } from '#contract/sending/mail-preview.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { withoutFooter } from '#test/mailing.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates, testSink, testWorker, untilSettled } from '#test/sending.ts';

type Preview = CallAnswer<typeof previewMail>;

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社あ', company_email: 'a@a.example', ceo: '山田 太郎' },
    { company_name: '株式会社い', company_email: 'i@a.example', ceo: null },
    { company_name: '株式会社う', company_email: null },
    { company_name: '株式会社え', company_email: 'e@a.example', ceo: '鈴木様' },
  ]);
});

const list = (company_email?: string) =>
  ids.map((prospect_id) => ({ prospect_id, ...(company_email !== undefined && { company_email }) }));

const preview = async (body: object = {}) => {
  const asked = { test_send_mode: 0, attack_list: list(), ...body };
  const answer = await client.post(`/mail/preview/${tenant.senderId}`, asked);
  return { status: answer.status, body: answer.body as Preview };
};

const byTo = (a: { to?: string | undefined }, b: { to?: string | undefined }) => (a.to ?? '').localeCompare(b.to ?? '');

const template = (text_body: string, html_body = '<p>本文</p>') =>
  database.db.updateTable('mail_template').set({ text_body, html_body }).execute();

test('returns the mails of a list one by one, and the skipped prospects', async () => {
  await template('{{ company_name }} {{ person_in_charge }}', '<p>{{ person_in_charge }}</p>');
  const first = (await preview()).body;
  const { text, html } = first.mail ?? {};
  expect([withoutFooter(text), withoutFooter(html)]).toStrictEqual(['株式会社あ 山田 太郎 様', '<p>山田 太郎 様</p>']);
  expect(first).toStrictEqual({
    total: 3,
    mail: {
      prospect_id: ids[0],
      company_name: '株式会社あ',
      subject: '件名',
      from: { name: '担当', address: 'sender@example.com' },
      to: 'a@a.example',
      text,
      html,
      warnings: [],
    },
    skipped: [{ prospect_id: ids[2], reason: 'no_email' }],
    legal_faults: [],
    without_source: 3,
  });
  expect((await preview({ pagenate_num: 3 })).body.mail).toMatchObject({
    to: 'e@a.example',
    text: expect.stringMatching(/^株式会社え 鈴木 様\n/),
  });
  expect((await preview({ pagenate_num: 4 })).body).toMatchObject({ total: 3, mail: null });
});

test('counts the targets whose address nobody noted the source of, where they may be mailed because it is published', async () => {
  await database.db
    .updateTable('prospect')
    .set({ published_at_url: 'https://a.example/about' })
    .where('company_name', 'in', ['株式会社あ', '株式会社う'])
    .execute();
  await database.db
    .updateTable('prospect')
    .set({ published_at_url: '' })
    .where('company_name', '=', '株式会社え')
    .execute();
  expect((await preview()).body).toMatchObject({ total: 3, without_source: 2 });
  await database.db.updateTable('legal_profile').set({ basis: 'consent' }).execute();
  expect((await preview()).body).toMatchObject({ total: 3, without_source: 0 });
});

test('in test mode the address is the test address with the row of the list', async () => {
  const { body } = await preview({ test_send_mode: 1, attack_list: list('test+[n]@example.com'), pagenate_num: 3 });
  expect(body.mail).toMatchObject({ company_name: '株式会社え', to: 'test+3@example.com' });
});

test('shows exactly what a send then sends, and sends nothing itself', async () => {
  const day = new Date(Date.now() + 24 * 60 * 60 * 1000);
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() + 1);
  day.setUTCDate(day.getUTCDate() + 7);
  const datetime_list = [{ date: day.toISOString().slice(0, 10), start_time: '9:00', end_time: '18:00' }];
  await template('{{ company_name }}\n{{ candidate_dates }}\n{{ sender.email }}');
  const sink = await testSink();
  const shown: Preview['mail'][] = [];
  for (const pagenate_num of [1, 2, 3]) shown.push((await preview({ datetime_list, pagenate_num })).body.mail);
  expect(await countStates(database.db)).toStrictEqual({});

  await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: list(), datetime_list });
  testWorker(database, sink);
  await untilSettled(database.db);
  const sent = await Promise.all(sink.mails.map(async ({ source }) => PostalMime.parse(source)));
  const readable = (to: string | undefined, subject?: string, text?: string, html?: string) => ({
    to,
    subject,
    // A preview shows the link of an example.
    text: text?.trim().replace(/[0-9a-f]{32}/, EXAMPLE_MAIL_KEY),
    html: html?.trim().replace(/[0-9a-f]{32}/g, EXAMPLE_MAIL_KEY),
  });
  expect(
    sent.map(({ to, subject, text, html }) => readable(to?.[0]?.address, subject, text, html)).sort(byTo),
  ).toStrictEqual(shown.map((mail) => readable(mail?.to, mail?.subject, mail?.text, mail?.html)).sort(byTo));
  for (const mail of shown) expect(mail?.text).toMatch(/・\d+月\d+日\(.\) 9:00〜18:00/);
});

describe('warnings', () => {
  const warningsOf = async (pagenate_num: number, body: object = {}) =>
    (await preview({ pagenate_num, ...body })).body.mail?.warnings;

  test('of a blank person, a blank account and missing dates', async () => {
    await database.db.updateTable('account').set({ company: '' }).execute();
    await template('{{ person_in_charge }} {{ account.company }} {{ candidate_dates }} {{ company_name }}');
    const blank = (text: string) => ({ kind: 'blank_field', text });
    expect(await warningsOf(1)).toStrictEqual([blank('account.company'), blank('candidate_dates')]);
    expect(await warningsOf(2)).toStrictEqual([
      blank('person_in_charge'),
      blank('account.company'),
      blank('candidate_dates'),
    ]);
  });

  test('not where the template handles a blank', async () => {
    await template(
      '{% if candidate_dates != "" %}{{ candidate_dates }}{% endif %}{{ account.company | default: "弊社" }}',
      '{% if candidate_dates != "" %}{% for line in candidate_date_lines %}{{ line }}{% endfor %}{% endif %}',
    );
    await database.db.updateTable('account').set({ company: '' }).execute();
    expect(await warningsOf(2)).toStrictEqual([]);
  });

  test('of an honorific that the template doubles', async () => {
    await template('{{ person_in_charge }}様', '<p>{{ company_name }}御中<b>様</b></p><p>様</p>');
    expect(await warningsOf(1)).toStrictEqual([
      { kind: 'doubled_honorific', text: '様様' },
      { kind: 'doubled_honorific', text: '株式会社あ御中様' },
    ]);
  });
});

test('refuses what the send refuses', async () => {
  await template('{{ company_nam }}');
  expect(await preview()).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
  expect(await preview({ test_send_mode: 1 })).toMatchObject({ status: 400, body: { code: 'invalid_test_address' } });
  const past = [{ date: '2020-01-06', start_time: '9:00', end_time: '18:00' }];
  expect(await preview({ datetime_list: past })).toMatchObject({
    status: 400,
    body: { code: 'invalid_candidate_date' },
  });
  expect((await preview({ attack_list: [] })).status).toBe(400);
  expect((await preview({ pagenate_num: 0 })).status).toBe(400);
  expect((await preview({ subject: 'x' })).status).toBe(400);
  const stranger = await addTenant(database.db);
  const answer = await client.post(`/mail/preview/${stranger.senderId}`, { test_send_mode: 0, attack_list: list() });
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
