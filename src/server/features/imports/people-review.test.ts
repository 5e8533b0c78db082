import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importAsProposed, importerOf, proposal } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';

/* What a check lists of people, own fields and tags, and an import's change list (designs people, screens). */

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const list = async (path: string) => {
  const { status, body } = await by.client.get(path);
  expect([status, body]).toMatchObject([200, expect.any(Array)]);
  return body as object[];
};

/** Uploads a file and checks it as the screen does. */
async function checked(text: string): Promise<number> {
  const id = await by.upload(text);
  await by.job(`/import/${id}/check`, await proposal(by, id));
  return id;
}

const CARDS = `会社名,部署,役職,氏名,担当者メール,ランク,席数,タグ
株式会社東都,購買部,部長,佐藤 一郎,sato@toto.example,A,3,春
西都株式会社,,,高橋 次郎,,A,5,
`;

test('a check lists the companies and people apart, with names of own fields, tags and members', async () => {
  await by.client.post('/custom_field', { add_info: { label: 'ランク', type: 'choice', options: ['A'] } });
  await importAsProposed(by, CARDS);
  const { name: ours } = await database.db
    .selectFrom('member')
    .select('name')
    .where('account_id', '=', tenant.accountId)
    .executeTakeFirstOrThrow();
  const next = `会社名,部署,役職,氏名,担当者メール,ランク,席数,タグ,担当者
株式会社東都,購買部,本部長,佐藤 一郎,sato@toto.example,新,3,"春、秋",${ours}
株式会社東都,総務部,,田中 三郎,tanaka@toto.example,,,,
西都株式会社,,係長,高橋 次郎,jiro@saito.example,A,5,,
東洋株式会社,,,伊藤 四郎,ito@toyo.example,A,4,,
東洋株式会社,,,伊藤 五郎,ito＠toyo,A,4,,
`;
  const id = await checked(next);
  expect(await by.read(id)).toMatchObject({
    review: { added: 1, updated: 1, unchanged: 1, refused: 1, people: { added: 2, updated: 2, unchanged: 0 } },
  });
  // 西都 has a changed person only.
  const [changed, ...others] = await list(`/import/${id}/change/list`);
  expect(others).toStrictEqual([]);
  const { key } = await database.db
    .selectFrom('custom_field')
    .select('key')
    .where('label', '=', 'ランク')
    .executeTakeFirstOrThrow();
  expect(changed).toMatchObject({ row: 2, company_name: '株式会社東都' });
  const changes = (changed as { changes: { field: string }[] }).changes.toSorted((a, b) =>
    a.field < b.field ? -1 : 1,
  );
  expect(changes).toStrictEqual([
    { field: `custom.${key}`, label: 'ランク', old: 'A', new: '新' },
    { field: 'owner', label: '自社担当', old: null, new: ours },
    { field: 'tags', label: 'タグ', old: '春', new: '春、秋' },
  ]);
  expect(await list(`/import/${id}/change/list?kind=people_changed`)).toMatchObject([
    {
      company_name: '株式会社東都',
      person: { id: expect.any(Number), name: '佐藤 一郎', department: '購買部', title: '本部長' },
      changes: [{ field: 'title', old: '部長', new: '本部長' }],
    },
    {
      company_name: '西都株式会社',
      person: { name: '高橋 次郎', email: 'jiro@saito.example' },
      changes: expect.arrayContaining([{ field: 'email', old: null, new: 'jiro@saito.example' }]),
    },
  ]);
  const added = [
    { company_name: '株式会社東都', person: { id: null, name: '田中 三郎', department: '総務部', title: '' } },
    { company_name: '東洋株式会社', person: { id: null, name: '伊藤 四郎', email: 'ito@toyo.example' } },
  ];
  expect(await list(`/import/${id}/change/list?kind=people_added`)).toMatchObject(added);
  expect(await list(`/import/${id}/change/list?kind=people_added&limit=1&offset=1`)).toMatchObject([added[1]]);
  expect(await list(`/import/${id}/line/list`)).toMatchObject([
    {
      kind: 'refused',
      row: 6,
      company_name: '東洋株式会社',
      person: { name: '伊藤 五郎', department: '', title: '', email: 'ito＠toyo' },
      column: '担当者メール',
    },
  ]);

  await by.job(`/import/${id}/run`, { mode: 'leave_out' });
  const people = await database.db.selectFrom('person').select(['id', 'name']).execute();
  const idOf = (name: string) => people.find((person) => person.name === name)?.id;
  expect(await list(`/import/${id}/change/list?kind=people_added`)).toMatchObject([
    { row: 0, company_name: '株式会社東都', person: { id: idOf('田中 三郎'), email: 'tanaka@toto.example' } },
    { row: 0, company_name: '東洋株式会社', person: { id: idOf('伊藤 四郎'), title: '' } },
  ]);
});

test('a 主担当 whom an import chooses is a changed person', async () => {
  await importAsProposed(by, CARDS);
  const [sato] = await database.db.selectFrom('person').select('id').orderBy('id').execute();
  const { body } = await by.client.get('/prospect/list?where_info[company_name]=株式会社東都');
  const [{ id: company = 0 } = {}] = body as { id?: number }[];
  const { people } = (await by.client.get(`/prospect/${company}`)).body as { people: { version: string }[] };
  await by.client.put(`/person/${sato?.id}`, { version: people[0]?.version, update_info: { is_primary: 0 } });
  const id = await checked(CARDS);
  expect(await by.read(id)).toMatchObject({ review: { updated: 0, people: { added: 0, updated: 1, unchanged: 1 } } });
  expect(await list(`/import/${id}/change/list`)).toStrictEqual([]);
  expect(await list(`/import/${id}/change/list?kind=people_changed`)).toMatchObject([
    { person: { id: sato?.id }, changes: [{ field: 'is_primary', old: 0, new: 1 }] },
  ]);
});
