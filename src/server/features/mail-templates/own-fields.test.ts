import { sql } from 'kysely';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addFields, setOwn } from '#test/own-data.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { testSink } from '#test/sending.ts';
import { sendGridTemplates, sendGridTransport } from '../delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '../delivery/transports/smtp/smtp-transport.ts';
import { templatesUsing } from '../own-fields/template-uses.queries.ts';
import { logUnusableTemplates } from './template-faults.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let id: number;
let path: string;
let fields: ReadonlyMap<string, number>;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ({ id } = await database.db.selectFrom('mail_template').select('id').executeTakeFirstOrThrow());
  path = `/mail_template/${id}`;
  fields = await addFields(database.db, tenant.accountId, [
    { key: 'rank', label: 'ランク', type: 'text' },
    { key: 'old', label: '前の項目', type: 'text', archived: true },
  ]);
  const other = await addTenant(database.db);
  await addFields(database.db, other.accountId, [{ key: 'foreign', label: '他社の項目', type: 'text' }]);
});

const read = async () => (await client.get(path)).body as MailTemplate;
const CONTENT = { text_body: '本文', html_body: '<p>本文</p>' };
const save = async (info: object) =>
  client.put(path, {
    version: (await read()).version,
    update_info: { name: 'ひな形', ...CONTENT, senders: [], ...info },
  });
const archive = (key: string) =>
  database.db.updateTable('custom_field').set({ archived_at: new Date() }).where('key', '=', key).execute();

const UNKNOWN = (key: string) => `「custom.${key}」という差し込み項目はありません`;
const ARCHIVED = (key: string) => `「custom.${key}」は、いまは使っていない項目です`;

test("a template names the account's own fields, which the editor offers", async () => {
  expect((await read()).merge_fields).toStrictEqual([...MERGE_FIELDS, 'custom.rank']);
  expect(await save({ text_body: '{{ custom.rank }}の{{ person.title }}様' })).toMatchObject({ status: 200 });
});

test.each([
  ['unknown', 'rnk', UNKNOWN],
  ["another account's", 'foreign', UNKNOWN],
  ['archived', 'old', ARCHIVED],
] as const)(
  'an %s field is refused at its place: at a save, in a copy, a version and a test',
  async (_, key, reason) => {
    const text_body = `本文\n{{ custom.${key} }}`;
    const refused = await save({ subject: `{{ custom.${key} }}件`, text_body });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_template',
        details: [
          { path: 'update_info.subject', message: `1行目：${reason(key)}` },
          { path: 'update_info.text_body', message: `2行目：${reason(key)}` },
        ],
      },
    });
    await database.db.updateTable('mail_template').set({ text_body }).where('id', '=', id).execute();
    const faults = [{ path: 'text_body', message: `2行目：${reason(key)}` }];
    expect(await read()).toMatchObject({ faults });
    const copy = await client.post('/mail_template', { add_info: { name: '写し', copy_of: id } });
    expect(copy).toMatchObject({ status: 400, body: { details: [{ path: 'add_info.copy_of' }] } });
    // The first version after the change by SQL has the field.
    await save({ name: '次' });
    const { number } = await read();
    const restored = await client.post(`${path}/version/${number - 1}/restore`, { version: (await read()).version });
    expect(restored).toMatchObject({ status: 400, body: { details: faults } });
    const unsaved = { sender_id: tenant.senderId, subject: '件名', text_body, html_body: '', has_candidate_dates: 0 };
    for (const call of ['preview', 'test']) {
      const answer = await client.post(`${path}/${call}`, { ...unsaved, company_name: 'A', person_in_charge: '' });
      expect(answer).toMatchObject({ status: 400, body: { details: faults } });
    }
  },
);

test('a worker logs at its start which templates name a field that is no longer there', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => logged.push(line) });
  await save({ text_body: '。{{ custom.rank }}' });
  await logUnusableTemplates(database.service.db, log as never);
  expect(logged).toStrictEqual([]);
  await archive('rank');
  await logUnusableTemplates(database.service.db, log as never);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { template: id, faults: [{ path: 'text_body', message: `1行目：${ARCHIVED('rank')}` }] },
  ]);
});

describe('the preview of an unsaved template', () => {
  const UNSAVED = {
    subject: '{{ custom.rank }}の件',
    text_body: '{{ custom.rank }}、{{ person.department }}、{{ person_in_charge }}',
    html_body: '',
    has_candidate_dates: 0,
  };
  const preview = async (company: object) => {
    const body = { ...UNSAVED, sender_id: tenant.senderId, ...company };
    const { subject, text, warnings } = (await client.post(`${path}/preview`, body)).body as {
      subject: string;
      text: string;
      warnings: object[];
    };
    return { subject, text: text.split('\n')[0], warnings, isToPerson: !text.includes('貴社が公開されている') };
  };

  test("shows a company's values, and warns of blank ones", async () => {
    const [known = 0, unknown] = await addProspects(database.db, tenant.accountId, [{ ceo: '山田' }, {}]);
    await setOwn(database.db, tenant.accountId, known, { vals: { [fields.get('rank') ?? 0]: 'A' } });
    const department = { kind: 'blank_field', text: 'person.department' };
    expect(await preview({ prospect_id: known })).toStrictEqual({
      subject: 'Aの件',
      text: 'A、、山田 様',
      warnings: [department],
      isToPerson: false,
    });
    expect(await preview({ prospect_id: unknown })).toMatchObject({
      subject: 'の件',
      text: '、、ご担当者様',
      warnings: [{ kind: 'blank_field', text: 'custom.rank' }, department, { text: 'person_in_charge' }],
    });
  });

  test('greets the 主担当 of a company that has one with an address', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{ ceo: '山田' }]);
    const { id: person_id } = await database.db
      .insertInto('person')
      .values({ account_id: tenant.accountId, prospect_id: company, name: '佐藤', department: '購買部', title: '部長' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const setPrimary = (person_email: string | null) =>
      database.db.updateTable('prospect').set({ person_id, person_email }).where('id', '=', company).execute();
    await setPrimary(null);
    expect(await preview({ prospect_id: company })).toMatchObject({ text: '、、山田 様', isToPerson: false });
    await setPrimary('sato@a.example');
    const greeted = { text: '、購買部、購買部 部長 佐藤 様', isToPerson: true };
    expect(await preview({ prospect_id: company })).toMatchObject(greeted);
  });

  test('has example values for the example company with a person, and none without', async () => {
    expect(await preview({ company_name: '見本', person_in_charge: '見本 太郎' })).toMatchObject({
      subject: '（ランク）の件',
      text: '（ランク）、見本部、見本 太郎 様',
      warnings: [],
    });
    expect(await preview({ company_name: '見本', person_in_charge: '' })).toMatchObject({ text: '、、ご担当者様' });
  });
});

test('a test mail shows the values of its company, by SendGrid all of them', async () => {
  const [company = 0] = await addProspects(database.db, tenant.accountId, [{}]);
  await setOwn(database.db, tenant.accountId, company, { vals: { [fields.get('rank') ?? 0]: 'A' } });
  const unsaved = { sender_id: tenant.senderId, subject: '件名', html_body: '', has_candidate_dates: 0 };
  const body = { ...unsaved, text_body: '。{{ custom.rank }}', prospect_id: company };
  const sink = await testSink();
  const parts = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const bySmtp = await clientOf({ ...database, lanes: smtpTransport(parts) }, tenant.accountId);
  expect(await bySmtp.post(`${path}/test`, body)).toMatchObject({ status: 200 });
  expect((await PostalMime.parse(sink.mails[0]?.source ?? '')).text).toMatch(/^。A\n/);
  await giveSendGridTemplates(database.db);
  const fake = await testSendGrid();
  const lanes = sendGridTransport(fake);
  const bySendGrid = await clientOf({ ...database, transport: sendGridTemplates, lanes }, tenant.accountId);
  expect(await bySendGrid.post(`${path}/test`, body)).toMatchObject({ status: 200 });
  expect(fake.mails).toMatchObject([{ dynamic_template_data: { custom: { rank: 'A' } } }]);
});

describe('the templates that use a field', () => {
  const using = async (key: string, accountId = tenant.accountId) =>
    (await database.account(accountId).snapshot((tx) => templatesUsing(tx, accountId, key))).map(({ name }) => name);

  test.each([
    ['a body', { text_body: '。{{ custom.rank }}' }],
    ['a condition', { html_body: '{% if custom.rank == "A" %}x{% endif %}' }],
    ['brackets', { html_body: '{{ custom["rank"] }}' }],
    ['a subject', { subject: '{{custom.rank|default:"御社"}}の件' }],
    ["a sender's own subject", { senders: 'own' }],
  ])('are those that name it in %s', async (_, info) => {
    const senders = [{ id: tenant.senderId, subject: '{{ custom.rank }}の件' }];
    expect(await using('rank')).toStrictEqual([]);
    expect(await save('senders' in info ? { senders } : info)).toMatchObject({ status: 200 });
    expect(await using('rank')).toStrictEqual(['ひな形']);
    expect([await using('ran'), await using('ank'), await using('old')]).toStrictEqual([[], [], []]);
    await sql`UPDATE mail_template SET archived_at = now() WHERE id = ${id}`.execute(database.db);
    expect(await using('rank')).toStrictEqual([]);
  });

  test("are not another account's", async () => {
    await database.db.updateTable('mail_template').set({ text_body: '{{ custom.rank }}' }).execute();
    expect(await using('rank')).toStrictEqual(['ひな形']);
  });
});
