import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '#server/features/auth/session.ts';
import { addMember, updateMember } from './accounts.ts';
import { type Answer, type Client, clientAt, serveApp } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';
import { untilBlocked } from './sending.ts';

/** Two members of one account save the same object (docs/decisions/concurrent-edits). */

let database: TestDatabase;
let tenant: Tenant;
let prospectId: number;
let [first, second]: Client[] = [];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { accountId } = tenant;
  await updateMember(database.db, accountId, { name: '田中 直樹' });
  [prospectId = 0] = await addProspects(database.db, accountId, [{ company_name: '株式会社同時備考' }]);
  const { address } = await serveApp(database);
  const memberIds = await database.db.selectFrom('member').select('id').where('account_id', '=', accountId).execute();
  const ids = [...memberIds.map(({ id }) => id), await addMember(database.db, accountId, { name: '佐藤 花子' })];
  [first, second] = await Promise.all(
    ids.map(async (memberId) =>
      clientAt(address, `Bearer ${await openSession(database.login, { accountId, memberId }, Date.now())}`),
    ),
  );
});

type Values = Readonly<Record<string, unknown>>;

/** An object that two members may edit: how to read and save it. */
interface Shared {
  /** Creates the object if it does not exist. @returns its id */
  readonly add?: () => Promise<number>;
  readonly read: (by: Client, id: number) => Promise<Values>;
  readonly save: (by: Client, id: number, values: Values, version?: unknown) => Promise<Answer>;
  /** In the current values: the field that is compared, and two others. */
  readonly field: string;
  readonly values: readonly [unknown, unknown];
  readonly versionField?: string;
  readonly code: string;
  /** The message that the second member reads. */
  readonly says: RegExp;
  /** The field with the message; absent: above the form. */
  readonly path?: string;
}

const NAMED = String.raw`^田中 直樹さんが\d+/\d+（.）\d+:\d{2}に`;
const rowsOf = async (by: Client, path: string) => (await by.get(path)).body as Values[];
const byId = async (by: Client, path: string, id: number) =>
  (await rowsOf(by, path)).find((row) => row.id === id) ?? {};
const put =
  (pathOf: (id: number) => string) =>
  (by: Client, id: number, update_info: Values, version?: unknown): Promise<Answer> =>
    by.put(pathOf(id), { update_info, ...(version !== undefined && { version }) });
const add = async (path: string, add_info: object) =>
  ((await first?.post(path, { add_info }))?.body as { id: number } | undefined)?.id ?? 0;

const SHARED: Readonly<Record<string, Shared>> = {
  'POST /active_prospect': {
    read: async (by) => {
      const { rows } = (await by.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}`)).body as {
        rows: Values[];
      };
      return rows[0] ?? {};
    },
    save: (by, _id, values, version) =>
      by.post('/active_prospect/', {
        add_info: { prospect_id: prospectId, sender_group_id: tenant.senderGroupId, ...values },
        duplicate_key_update_info: values,
        ...(version !== undefined && { version }),
      }),
    field: 'remarks',
    values: ['Aが電話した', 'Bが資料を送った'],
    versionField: 'remarks_version',
    code: 'remarks_changed',
    says: new RegExp(`${NAMED}備考を変更しました。内容を確かめてから、保存してください。$`),
    path: 'duplicate_key_update_info.remarks',
  },
  'PUT /account/:id': {
    read: async (by) => (await by.get(`/account/${tenant.accountId}`)).body as Values,
    save: (by, _id, values, version) => put(() => `/account/${tenant.accountId}`)(by, 0, values, version),
    field: 'company',
    values: ['株式会社甲', '株式会社乙'],
    code: 'account_changed',
    says: /^ほかの人が会社名を変更しました。/,
    path: 'update_info.company',
  },
  'PUT /legal_profile/:sender_group_id': {
    read: async (by) => (await rowsOf(by, '/legal_profile/list'))[0] ?? {},
    save: put(() => `/legal_profile/${tenant.senderGroupId}`),
    field: 'official_name',
    values: ['株式会社甲', '株式会社乙'],
    code: 'legal_profile_changed',
    says: new RegExp(`${NAMED}法定表示を変更しました。`),
  },
  'PUT /mail_retention': {
    read: async (by) => (await by.get('/mail_retention')).body as Values,
    save: put(() => '/mail_retention'),
    field: 'months',
    values: [24, 36],
    code: 'mail_retention_changed',
    says: new RegExp(`${NAMED}保存期間を変更しました。`),
  },
  'PUT /mail_template_folder/:id': {
    add: () => add('/mail_template_folder', { name: '新規' }),
    read: (by, id) => byId(by, '/mail_template_folder/list', id),
    save: put((id) => `/mail_template_folder/${id}`),
    field: 'name',
    values: ['春', '夏'],
    code: 'folder_changed',
    says: /^ほかの人が名前を変更しました。/,
    path: 'update_info.name',
  },
  'PUT /saved_condition/:id': {
    add: () => add('/saved_condition', { name: '東京', is_shared: 1, where_info: { address: '東京', search: '甲' } }),
    read: (by, id) => byId(by, '/saved_condition/list', id),
    save: put((id) => `/saved_condition/${id}`),
    field: 'where_info',
    values: [
      { address: '大阪', search: '甲' },
      { search: '乙', address: '京都' },
    ],
    code: 'condition_changed',
    says: new RegExp(`${NAMED}この条件を変更しました。`),
  },
  'PUT /sender_group/:id': {
    read: async (by) => (await rowsOf(by, '/sender_group/list'))[0] ?? {},
    save: put(() => `/sender_group/${tenant.senderGroupId}`),
    field: 'group_name',
    values: ['関西営業部', '西日本営業部'],
    code: 'group_changed',
    says: /^ほかの人がグループ名を変更しました。/,
    path: 'update_info.group_name',
  },
};

describe.each(Object.entries(SHARED))('%s', (_name, thing) => {
  const { field, values, versionField = 'version', code, says, path } = thing;
  const begin = async () => {
    if (!(first && second)) throw new Error('two members are needed');
    const id = (await thing.add?.()) ?? 0;
    const version = (await thing.read(second, id))[versionField];
    return { a: first, b: second, id, version };
  };

  test('the second member gets a conflict, and what the first saved stays', async () => {
    const { a, b, id, version } = await begin();
    expect(await thing.save(a, id, { [field]: values[0] }, version)).toMatchObject({ status: 200 });
    const late = await thing.save(b, id, { [field]: values[1] }, version);
    const message = expect.stringMatching(says);
    expect(late).toMatchObject({
      status: 409,
      body: { code, message, ...(path !== undefined && { details: [{ path, message }] }) },
    });
    expect(await thing.read(b, id)).toMatchObject({ [field]: values[0] });
    const seen = (await thing.read(b, id))[versionField];
    expect(await thing.save(b, id, { [field]: values[1] }, seen)).toMatchObject({ status: 200 });
    expect(await thing.read(a, id)).toMatchObject({ [field]: values[1] });
  });

  test('without a version the last one wins', async () => {
    const { a, b, id } = await begin();
    await thing.save(a, id, { [field]: values[0] });
    expect(await thing.save(b, id, { [field]: values[1] })).toMatchObject({ status: 200 });
    expect(await thing.read(a, id)).toMatchObject({ [field]: values[1] });
  });

  test('the same value twice is no conflict', async () => {
    const { a, b, id, version } = await begin();
    await thing.save(a, id, { [field]: values[0] }, version);
    expect(await thing.save(b, id, { [field]: values[0] }, version)).toMatchObject({ status: 200 });
  });

  test('of two simultaneous saves one is stored, and the other gets a conflict', async () => {
    const { a, b, id, version } = await begin();
    const saves = await Promise.all([
      thing.save(a, id, { [field]: values[0] }, version),
      thing.save(b, id, { [field]: values[1] }, version),
    ]);
    expect(saves.map(({ status }) => status).toSorted((x, y) => x - y)).toStrictEqual([200, 409]);
  });
});

test('the flag of a company is a switch: it asks for no version, and leaves the remarks and their writer', async () => {
  const { read, save } = SHARED['POST /active_prospect'] as Shared;
  if (!(first && second)) throw new Error('two members are needed');
  const { remarks_version } = await read(second, 0);
  await save(first, 0, { remarks: 'Aが電話した' }, remarks_version);
  expect(await save(second, 0, { active: 0 }, remarks_version)).toMatchObject({ status: 200 });
  expect(await read(first, 0)).toMatchObject({ active: 0, remarks: 'Aが電話した' });
  const late = await save(second, 0, { remarks: 'B' }, remarks_version);
  expect(late.body).toMatchObject({ message: expect.stringMatching(/^田中 直樹さんが/) });
});

test('remarks saved between the read and the write of another save are not overwritten', async () => {
  const { read, save } = SHARED['POST /active_prospect'] as Shared;
  if (!second) throw new Error('two members are needed');
  const { remarks_version } = await read(second, 0);
  const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
  const row = { account_id, sender_group_id, prospect_id: prospectId, active: true, remarks: 'Aが電話した' };
  const late = await database.db.transaction().execute(async (tx) => {
    await tx.insertInto('active_prospect').values(row).execute();
    const saving = save(second as Client, 0, { remarks: 'B' }, remarks_version);
    await untilBlocked(database);
    return { saving };
  });
  expect(await late.saving).toMatchObject({ status: 409, body: { code: 'remarks_changed' } });
  expect(await read(second, 0)).toMatchObject({ remarks: 'Aが電話した' });
});

test('remarks written by an import or SQL name nobody', async () => {
  const { read, save } = SHARED['POST /active_prospect'] as Shared;
  if (!(first && second)) throw new Error('two members are needed');
  await save(first, 0, { remarks: 'Aが電話した' });
  const { remarks_version } = await read(second, 0);
  await database.db.updateTable('active_prospect').set({ remarks: '取り込んだ' }).execute();
  const late = await save(second, 0, { remarks: 'B' }, remarks_version);
  expect(late.body).toMatchObject({ message: expect.stringMatching(/^ほかの人が\d+\/\d+.*備考を変更しました。/) });
});

test('a condition that somebody has changed is not deleted unseen', async () => {
  const { add: addOne, read, save } = SHARED['PUT /saved_condition/:id'] as Shared;
  if (!(first && second)) throw new Error('two members are needed');
  const id = (await addOne?.()) ?? 0;
  const { version } = await read(second, id);
  await save(first, id, { name: '首都圏' }, version);
  expect(await save(second, id, { active: 0 }, version)).toMatchObject({
    status: 409,
    body: { code: 'condition_changed' },
  });
  expect(await save(second, id, { active: 0 })).toMatchObject({ status: 200 });
});
