import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_TEMPLATE_FOLDERS, MAX_TEMPLATES } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let used: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const sender = await database.db.selectFrom('sender').select('template_id').executeTakeFirstOrThrow();
  used = sender.template_id;
});

const added = (add_info: object) => client.post('/mail_template', { add_info: { name: '新しい', ...add_info } });
const add = async (add_info: object) => ((await added(add_info)).body as { id: number }).id;
const read = async (id: number) => (await client.get(`/mail_template/${id}`)).body;
const addFolder = async (name: string) =>
  ((await client.post('/mail_template_folder', { add_info: { name } })).body as { id: number }).id;
const names = async (query: string) => {
  const { body } = await client.get(`/mail_template/list?columns[]=name&${query}`);
  return (body as { name: string }[]).map(({ name }) => name);
};
const messages = ({ body }: { body: unknown }) => (body as { details: object[] }).details;

describe('a new template', () => {
  test('is blank but for the addressee, a sample, or a copy', async () => {
    expect(await read(await add({ subject: ' ご提案 ' }))).toMatchObject({
      subject: 'ご提案',
      text_body: '{{ company_name }}\n{{ person_in_charge }}\n',
      html_body: expect.stringContaining('{{ company_name }}<br>{{ person_in_charge }}</p>\n</body>'),
      editor: 'rich',
      text_follows: 1,
      number: 1,
      updated_by: '利用者',
      senders: [],
      faults: [],
    });
    expect(await read(await add({ sample: 'exhibition_thanks' }))).toMatchObject({
      name: '新しい',
      subject: '展示会ご来場のお礼',
      text_body: expect.stringContaining('{{ account.company }}の{{ sender.person_in_charge }}です。'),
    });
    expect(await read(await add({ copy_of: used, subject: '別の件名' }))).toMatchObject({
      name: '新しい',
      subject: '別の件名',
      text_body: '本文',
      editor: 'html',
    });
  });

  test('of a key that was used before is the first one', async () => {
    const body = { add_info: { name: '一度だけ', sample: 'send_material' } };
    const headers = { 'idempotency-key': 'a-new-template' };
    const first = await client.post('/mail_template', body, headers);
    expect(await client.post('/mail_template', body, headers)).toStrictEqual(first);
    expect(await names('where_info[search]=一度だけ')).toHaveLength(1);
  });

  test.each([
    [{}, 'subject', '入力してください'],
    [{ subject: '{{ company }}' }, 'subject', '1行目：「company」という差し込み項目はありません。'],
    [{ sample: 'send_material', copy_of: 1 }, 'copy_of', '見本か複製元の、どちらかだけを指定してください'],
  ])('of %j is refused at its field', async (info, field, message) => {
    const answer = await added(info);
    expect(answer.status).toBe(400);
    expect(messages(answer)).toStrictEqual([{ path: `add_info.${field}`, message }]);
  });

  test('that copies a template of an older version is refused', async () => {
    await database.db.updateTable('mail_template').set({ html_body: '{% assign a = 1 %}' }).execute();
    const answer = await added({ copy_of: used });
    expect(messages(answer)).toMatchObject([{ path: 'add_info.copy_of', message: expect.stringContaining('assign') }]);
  });

  test('beyond the limit is refused, as is a folder', async () => {
    const account_id = tenant.accountId;
    const rows = <Row>(count: number, row: Row) => Array.from({ length: count }, () => row);
    const template = { account_id, name: 'n', subject: 's', text_body: 't', html_body: '' };
    await database.db
      .insertInto('mail_template')
      .values(rows(MAX_TEMPLATES - 2, template))
      .execute();
    await database.db
      .insertInto('mail_template_folder')
      .values(rows(MAX_TEMPLATE_FOLDERS, { account_id, name: 'n' }))
      .execute();
    const answers = await Promise.all([1, 2, 3].map(() => added({ sample: 'send_material' })));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(await client.post('/mail_template_folder', { add_info: { name: '別' } })).toMatchObject({
      status: 409,
      body: { code: 'too_many_folders' },
    });
  });
});

describe('the list', () => {
  test('shows who uses a template, its reservations and the mails of its real runs', async () => {
    const [one = 0, two = 0] = await addProspects(database.db, tenant.accountId, [{}, {}]);
    await addReservation(database.db, tenant, [two], { sendAt: new Date(Date.now() + 86_400_000) });
    for (const test of [false, true]) await addDelivery(database.db, tenant, one, { state: 'sent', test });
    await addDelivery(database.db, tenant, two, { state: 'failed' });
    await database.db.updateTable('delivery').set({ replied: true }).execute();
    await database.db.updateTable('send_log').set({ template_id: used }).execute();
    expect((await client.get('/mail_template/list')).body).toMatchObject([
      {
        id: used,
        subject: 'ひな形の件名',
        archived: 0,
        updated_by: null,
        senders: [{ id: tenant.senderId, person_in_charge: '担当', group: 'グループ', active: 1 }],
        reservations: 1,
        sent: 1,
        replied: 1,
      },
    ]);
  });

  test('finds words of name and subject in any width, in a folder, or in none', async () => {
    const folder = await addFolder('展示会');
    await add({ name: 'ＤＸのご提案', subject: '100%_効率化', folder_id: folder });
    await add({ name: 'DXのお礼', subject: '件名' });
    const search = (words: string) => names(`where_info[search]=${encodeURIComponent(words)}`);
    expect(await search('dx')).toStrictEqual(['DXのお礼', 'ＤＸのご提案']);
    expect(await search('ＤＸ　100%')).toStrictEqual(['ＤＸのご提案']);
    expect(await search('0_')).toStrictEqual([]);
    expect(await names(`where_info[folder_id]=${folder}`)).toStrictEqual(['ＤＸのご提案']);
    expect(await names('where_info[folder_id]=0')).toStrictEqual(['DXのお礼', 'ひな形']);
  });
});

describe('a folder', () => {
  test('has a name of its own, in any width and case', async () => {
    const folder = await addFolder('ＤＸ');
    const taken = { status: 409, body: { code: 'folder_name_taken' } };
    expect(await client.post('/mail_template_folder', { add_info: { name: 'dx' } })).toMatchObject(taken);
    const other = await addFolder('展示会');
    const rename = (id: number, name: string) => client.put(`/mail_template_folder/${id}`, { update_info: { name } });
    expect(await rename(other, 'dx')).toMatchObject(taken);
    expect(await rename(folder, 'dx')).toMatchObject({ status: 200 });
    expect((await client.get('/mail_template_folder/list')).body).toMatchObject([
      { id: folder, name: 'dx', templates: 0 },
      { id: other, name: '展示会', templates: 0 },
    ]);
  });

  test('is removed once only archived templates are in it', async () => {
    const folder = await addFolder('展示会');
    const id = await add({ sample: 'send_material', folder_id: folder });
    const remove = () => client.post(`/mail_template_folder/${folder}/remove`, {});
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'folder_not_empty' } });
    await client.post(`/mail_template/${id}/archive`, {});
    expect((await client.get('/mail_template_folder/list')).body).toMatchObject([{ templates: 0 }]);
    expect(await remove()).toMatchObject({ status: 200 });
    expect(await read(id)).toMatchObject({ folder_id: null, archived: 1 });
    expect((await client.put(`/mail_template/${id}/folder`, { update_info: { folder_id: folder } })).status).toBe(404);
  });
});

describe('an archive', () => {
  const archive = (id: number) => client.post(`/mail_template/${id}/archive`, {});

  test('of a template that a reservation uses is refused with their number; else its senders are deactivated', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{}]);
    await addReservation(database.db, tenant, [company], { sendAt: new Date(Date.now() + 86_400_000) });
    const refusal = { code: 'template_in_use', message: expect.stringContaining('予約が1件') };
    expect(await archive(used)).toMatchObject({ status: 409, body: refusal });
    const active = async () => ((await client.get(`/sender/${tenant.senderId}`)).body as { active: number }).active;
    expect(await active()).toBe(1);
    await database.db.updateTable('reservation').set({ active: false }).execute();
    expect((await archive(used)).body).toStrictEqual({ status: 'updated', id: used, deactivated: 1 });
    expect(await active()).toBe(0);
    expect(await names('where_info[archived]=1')).toStrictEqual(['ひな形']);
    expect((await client.post(`/mail_template/${used}/restore`, {})).body).toStrictEqual({
      status: 'updated',
      id: used,
    });
    expect(await active()).toBe(0);
  });

  test('keeps the template from senders until it is brought back', async () => {
    const id = await add({ sample: 'send_material' });
    expect([await archive(id), await archive(id)]).toMatchObject([{ status: 200 }, { status: 200 }]);
    const { version } = (await client.get(`/sender/${tenant.senderId}`)).body as { version: string };
    const use = () => client.put(`/sender/${tenant.senderId}`, { version, update_info: { template_id: id } });
    expect(await use()).toMatchObject({ status: 409, body: { code: 'template_archived' } });
    await client.post(`/mail_template/${id}/restore`, {});
    expect(await use()).toMatchObject({ status: 200 });
    expect(await archive(id)).toMatchObject({ body: { deactivated: 1 } });
  });
});
