import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importAsProposed, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { importProspects } from './merge/import.command.ts';

/* People, own fields, tags and 外部ID of a file (designs people, fields-tags). */

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const HEADING = '会社名,部署,役職,氏名,担当者メール,電話番号,住所,名刺交換日,展示会名,ランク';
const CARDS = `${HEADING}
株式会社東都,購買部,部長,佐藤 一郎,sato@toto.example,03-1111-2222,東京都港区1,2026/10/15,東京産業展,A
株式会社東都,情報部,課長,鈴木 花子,suzuki@toto.example,03-1111-2222,東京都港区1,2026/10/16,東京産業展,B
西都株式会社,,,高橋 次郎,,06-1111-2222,大阪市北区1,R8.10.17,,A
`;

const byScreen = (text: string, more?: object) => importAsProposed(by, text, more);

/** All that is stored of people and own columns, without times. */
async function stored() {
  const { db } = database;
  const { accountId } = tenant;
  const people = await db
    .selectFrom('person')
    .innerJoin('prospect', 'prospect.id', 'person.prospect_id')
    .select(['company_name', 'person.name', 'department', 'title', 'person.email', 'person.phone', 'met_on'])
    .select(({ eb }) => eb('prospect.person_id', '=', eb.ref('person.id')).as('is_primary'))
    .where('person.account_id', '=', accountId)
    .orderBy('person.id')
    .execute();
  const own = await db
    .selectFrom('prospect_own')
    .leftJoin('label_set', 'label_set.id', 'label_set_id')
    .innerJoin('prospect', 'prospect.id', 'prospect_id')
    .select(['company_name', 'vals', 'text_search', 'members', 'owner_id'])
    .where('prospect_own.account_id', '=', accountId)
    .orderBy('prospect_id')
    .execute();
  const companies = await db
    .selectFrom('prospect')
    .select(['id', 'company_name', 'phone', 'address', 'external_id', 'person_id', 'person_email'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  return { people, own, companies };
}

/** The tags and options of each company that has own columns. */
async function tagsOf() {
  const labels = await database.db.selectFrom('label').select(['id', 'label']).orderBy('id').execute();
  const { own } = await stored();
  return own.map(({ members }) => labels.filter(({ id }) => members?.includes(`,${id},`)).map(({ label }) => label));
}

const change = async (path: string) => (await by.client.get(path)).body;

describe('a list of business cards', () => {
  test('W4: becomes its companies with all their people, and no column is lost', async () => {
    const id = await byScreen(CARDS);
    expect(await by.read(id)).toMatchObject({
      state: 'imported',
      review: {
        added: 2,
        refused: 0,
        repeated: 0,
        people: { added: 3, updated: 0, unchanged: 0 },
        ignored_columns: [],
        new_fields: ['展示会名'],
      },
      counts: { added: 2, people: { added: 3, updated: 0, unchanged: 0 } },
      own_columns: ['primary', 'tags', 'event'],
    });
    const { people, own, companies } = await stored();
    expect(people).toMatchObject([
      { name: '佐藤 一郎', department: '購買部', title: '部長', email: 'sato@toto.example', is_primary: true },
      { name: '鈴木 花子', department: '情報部', met_on: '2026-10-16', is_primary: false },
      { name: '高橋 次郎', email: null, met_on: '2026-10-17', is_primary: true },
    ]);
    expect(companies).toMatchObject([{ person_email: 'sato@toto.example' }, { person_email: null }]);
    expect(own.map(({ vals }) => Object.values(vals as object))).toStrictEqual([[], []]);
    // ランク differs between two people of a company: each is a tag of it.
    expect(await tagsOf()).toStrictEqual([['A', 'B', '東京産業展'], ['A']]);
    expect(await change(`/import/${id}/change/list?kind=added`)).toMatchObject([
      { prospect_id: companies[0]?.id, company_name: '株式会社東都' },
      { prospect_id: companies[1]?.id, company_name: '西都株式会社' },
    ]);
  });

  test('each row is a person, or a line that names the earlier row of the same person, whose values give way', async () => {
    const id = await byScreen(`${CARDS}㈱東都,購買部,本部長,佐藤一郎,sato@toto.example,,東京都港区1,,,\n`);
    expect((await stored()).people[0]).toMatchObject({ name: '佐藤一郎', title: '本部長', met_on: '2026-10-15' });
    const row = { row: 5, first_row: 2, value: '株式会社東都' };
    expect(await by.read(id)).toMatchObject({ review: { rows: 4, repeated: 1, people: { added: 3 } } });
    expect(await change(`/import/${id}/line/list?kind=repeated`)).toMatchObject([
      { ...row, reason: '前の行と同じ会社の同じ人のため、1人にまとめます。違う値は、後の行のものになります。' },
    ]);
  });

  test('the same file again changes nothing', async () => {
    await byScreen(CARDS);
    const before = await stored();
    const id = await byScreen(CARDS);
    expect(await by.read(id)).toMatchObject({
      review: { repeated: 0 },
      counts: { added: 0, updated: 0, unchanged: 2, people: { added: 0, updated: 0, unchanged: 3 } },
    });
    expect(await stored()).toStrictEqual(before);
    expect(await database.db.selectFrom('prospect_change').select('changes').execute()).toStrictEqual([]);
  });

  test('without chosen columns people come in, and unknown columns are named', async () => {
    const id = await by.importText(CARDS);
    expect(await by.read(id)).toMatchObject({
      review: { people: { added: 3 }, ignored_columns: ['展示会名', 'ランク'] },
    });
  });

  test('the row of the 主担当 counts for the own fields, wherever it stands', async () => {
    const rows = ['甲,一,,A', '甲,二,b@example.jp,B', '甲,三,c@example.jp,C'];
    const id = await byScreen(`会社名,氏名,担当者メール,等級\n${rows.join('\n')}\n${'乙,四,,D\n'.repeat(25)}`, {
      table: {
        separator: 'comma',
        header_row: 1,
        columns: [
          { index: 0, field: 'company_name', unit: '' },
          { index: 1, field: 'person_name', unit: '' },
          { index: 2, field: 'person_email', unit: '' },
          { index: 3, field: 'own', unit: '', new_field: { label: '等級', type: 'choice' } },
        ],
      },
    });
    const labels = await database.db.selectFrom('label').select(['id', 'label']).orderBy('id').execute();
    const { own } = await stored();
    const idOf = (text: string) => labels.find(({ label }) => label === text)?.id;
    expect(own.map(({ members }) => members)).toStrictEqual([`,${idOf('B')},`, `,${idOf('D')},`]);
    expect(await change(`/import/${id}/line/list?kind=not_taken`)).toMatchObject([
      { row: 2, first_row: 3, column: '等級', value: 'A' },
      { row: 4, first_row: 3, column: '等級', value: 'C' },
    ]);
  });

  test('P-Import 4: the 201st person of a company is a faulty row with its cells', async () => {
    const rows = Array.from({ length: 203 }, (_, at) => `甲,人${at},p${at}@example.jp`);
    const id = await byScreen(`会社名,氏名,担当者メール\n${rows.join('\n')}\n`);
    expect(await by.read(id)).toMatchObject({
      review: { added: 1, refused: 3, repeated: 0, people: { added: 200 } },
    });
    const faults = await (await by.file(`/import/${id}/faults`)).text();
    expect(faults).toContain('甲,人202,p202@example.jp,204,,1社に登録できるのは200人までです。');
  });

  test('bad-inputs: 50,000 rows of one company are read page by page, and 200 of its people come in', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `甲,人${at},p${at}@example.jp,値${at}`);
    const file = Readable.from([Buffer.from(`会社名,氏名,担当者メール,来場回\n${rows.join('\n')}\n乙,人,,値\n`)]);
    await by.client.post('/custom_field', { add_info: { label: '来場回', type: 'text' } });
    const answer = await importProspects(database, { accountId: tenant.accountId, file, skipRefused: true });
    expect(answer).toMatchObject({ added: 2, refused: 49_800, people: { added: 201, updated: 0 } });
    const { reportGroups } = answer as Extract<typeof answer, object> & { reportGroups: object[] };
    expect(reportGroups).toMatchObject([
      { kind: 'refused', reason: '1社に登録できるのは200人までです。', count: 49_800 },
      { kind: 'not_taken', column: '来場回', count: 199 },
    ]);
  });

  test('rows of one company beyond 2,000 are faulty, also where they bring no further person', async () => {
    const rows = Array.from({ length: 2002 }, () => '甲,佐藤,春');
    const id = await byScreen(`会社名,氏名,タグ\n${rows.join('\n')}\n乙,鈴木,春\n`);
    expect(await by.read(id)).toMatchObject({
      review: { added: 2, refused: 2, people: { added: 2, unchanged: 0 } },
      counts: { added: 2, refused: 2, people: { added: 2 } },
    });
    expect(await change(`/import/${id}/line/list?kind=refused`)).toMatchObject([
      {
        row: 2002,
        reason: '1社の行が多すぎます（2,000行まで。値が長いと、もっと少なくなります）。会社名を確認してください。',
      },
      { row: 2003 },
    ]);
  });

  test('more people than PEOPLE_MAX: the check refuses the file', async () => {
    const file = Readable.from([Buffer.from(CARDS)]);
    const answer = await importProspects(database, { accountId: tenant.accountId, file, peopleMax: 2, dryRun: true });
    expect(answer).toMatchObject({ code: 'too_many_people', message: expect.stringContaining('人は2人まで') });
  });
});

describe('tags and members', () => {
  test('tags are added and never taken away; the tag of the file too', async () => {
    await byScreen('会社名,タグ\n甲,"重点、秋"\n乙,\n', { tag: '2026年秋の名簿' });
    await byScreen('会社名,タグ\n甲,春\n');
    expect(await tagsOf()).toStrictEqual([['2026年秋の名簿', '重点', '秋', '春'], ['2026年秋の名簿']]);
  });

  test('担当者 are our members where half of them are, else the people', async () => {
    const { name, id } = await database.db
      .selectFrom('member')
      .select(['name', 'id'])
      .where('account_id', '=', tenant.accountId)
      .executeTakeFirstOrThrow();
    const ours = await byScreen(`会社名,担当者\n甲,${name}\n乙,だれか\n`);
    expect(await by.read(ours)).toMatchObject({ review: { added: 2, blanked: 1 } });
    expect((await stored()).own).toMatchObject([{ company_name: '甲', owner_id: id }]);
    await byScreen('会社名,担当者,メールアドレス\n丙,山田 太郎,yamada@example.jp\n');
    expect((await stored()).people).toMatchObject([{ name: '山田 太郎', email: 'yamada@example.jp' }]);
  });
});

describe('外部ID', () => {
  test('F9: finds the company by it, sets it once, and refuses rows that disagree', async () => {
    await by.importText('会社名,住所,外部ID,法人番号\n甲,東京都,A-1,7000012050002\n乙,大阪府,,5010401067252\n');
    const id = await by.importText('会社名,住所,外部ID,法人番号\n甲改,千葉県,A-1,\n乙,大阪府,B-1,\n乙,大阪府,B-2,\n');
    expect(await by.read(id)).toMatchObject({ review: { added: 0, updated: 2, refused: 1 } });
    expect((await stored()).companies).toMatchObject([
      { company_name: '甲改', address: '千葉県', external_id: 'A-1' },
      { company_name: '乙', external_id: 'B-1' },
    ]);
    expect(await change(`/import/${id}/line/list?kind=refused`)).toMatchObject([
      { row: 4, column: '外部ID', value: 'B-2' },
    ]);
    const other = await by.importText('会社名,外部ID,法人番号\n丙,A-1,5010401067252\n丁,B-9,5010401067252\n');
    expect(await change(`/import/${other}/line/list?kind=refused`)).toMatchObject([
      { row: 2, column: '外部ID', value: '甲改／乙', reason: expect.stringContaining('別々の会社') },
      { row: 3, column: '外部ID', value: 'B-9' },
    ]);
  });
});

describe('外部ID of a file', () => {
  const FILE = '会社名,住所,外部ID,法人番号\n甲,東京都,A-1,7000012050002\n乙,大阪府,B-1,\n';

  test('F9: the same file again changes nothing', async () => {
    await by.importText(FILE);
    const before = await stored();
    expect(await by.read(await by.importText(FILE))).toMatchObject({
      counts: { added: 0, updated: 0, unchanged: 2, refused: 0 },
    });
    expect(await stored()).toStrictEqual(before);
  });

  test('F9: rows that disagree with an earlier row of the file are refused, and name both companies', async () => {
    const rows = '甲,東京都,A-1,5010401067252\n丙,福岡県,A-9,7000012050002\n丁,京都府,B-1,7000012050002\n';
    const id = await by.importText(FILE + rows);
    expect(await by.read(id)).toMatchObject({ review: { added: 2, refused: 3 } });
    expect(await change(`/import/${id}/line/list?kind=refused`)).toMatchObject([
      { row: 4, value: '甲／甲', reason: '外部IDと法人番号が、別々の会社を指しています。' },
      { row: 5, value: 'A-9', reason: 'この会社には、別の外部IDがあります。' },
      { row: 6, value: '乙／甲', reason: '外部IDと法人番号が、別々の会社を指しています。' },
    ]);
  });
});

test('P-Import 4: the 201st person by an import and two calls at once', async () => {
  await byScreen('会社名,氏名\n甲,佐藤\n');
  const company = (await stored()).companies[0]?.id ?? 0;
  await database.pool.query(
    `INSERT INTO person (account_id, prospect_id, name, name_key)
     SELECT $1, $2, '人' || n, '人' || n FROM generate_series(2, 199) AS n`,
    [tenant.accountId, company],
  );
  const id = await by.upload('会社名,氏名\n甲,輸入\n');
  await by.job(`/import/${id}/check`, {});
  const add = async (name: string) =>
    (await by.client.post('/person', { add_info: { prospect_id: company, name } })).status;
  const [first, second] = await Promise.all([add('一'), add('二'), by.job(`/import/${id}/run`, { mode: 'leave_out' })]);
  const { counts } = await by.read(id);
  expect((await stored()).people).toHaveLength(200);
  const added = [first, second].filter((status) => status === 200).length + (counts?.people?.added ?? 0);
  expect(added).toBe(1);
  expect([first, second, counts?.refused]).toContainEqual(expect.toSatisfy((one) => one === 409 || one === 1));
});

describe('an undo', () => {
  test('gives back what was there, and takes people, values and unused fields away', async () => {
    await byScreen(CARDS);
    const before = await stored();
    const next = `会社名,部署,役職,氏名,担当者メール,住所,ランク,外部ID,階数
株式会社東都,購買部,本部長,佐藤 一郎,sato@toto.example,東京都港区1,C,X-1,3
株式会社東都,総務部,,田中 三郎,tanaka@toto.example,東京都港区1,,,
東洋株式会社,,,伊藤 四郎,ito@toyo.example,京都市1,A,,4
`;
    const id = await byScreen(next);
    expect(await by.read(id)).toMatchObject({
      counts: { added: 1, updated: 1, people: { added: 2, updated: 1, unchanged: 0 } },
    });
    expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
    expect(await by.read(id)).toMatchObject({
      undone: { removed: 1, restored: 1, edited: 0, people: { removed: 2, restored: 1 } },
    });
    expect(await stored()).toStrictEqual(before);
    const fields = await database.db.selectFrom('custom_field').select(['label', 'archived_at']).execute();
    expect(fields.filter(({ archived_at }) => archived_at !== null).map(({ label }) => label)).toStrictEqual([
      'ランク',
      '階数',
    ]);
  });

  test('keeps a field that a template names: its mails could not be made', async () => {
    const id = await byScreen('会社名,住所,階数\n株式会社東都,東京都港区1,3\n');
    const { key } = await database.db.selectFrom('custom_field').select('key').executeTakeFirstOrThrow();
    await database.db
      .updateTable('mail_template')
      .set({ text_body: `{{ custom.${key} }}階のご担当者` })
      .execute();
    await by.job(`/import/${id}/undo`);
    expect(await database.db.selectFrom('custom_field').select('archived_at').execute()).toStrictEqual([
      { archived_at: null },
    ]);
  });

  test('leaves a tag into which an added one was merged', async () => {
    await byScreen('会社名,住所,タグ\n株式会社東都,東京都港区1,重要\n');
    const id = await byScreen('会社名,住所,タグ\n株式会社東都,東京都港区1,秋\n');
    const { body: tags } = await by.client.get('/tag/list');
    const major = (tags as { id: number; label: string; version: string }[]).find(({ label }) => label === '重要');
    const { body: added } = await by.client.post('/tag', { add_info: { label: '重点' } });
    const into = (added as { id: number }).id;
    const version = major?.version;
    await by.client.put(`/tag/${major?.id}`, { version, update_info: { merge_into: into } });
    await by.job(`/import/${id}/undo`);
    const { rows } = await database.pool.query<{ members: string }>(
      'SELECT members FROM prospect_own JOIN label_set ON label_set.id = label_set_id',
    );
    expect(rows).toStrictEqual([{ members: `,${into},` }]);
  });
});

test('an option なし is read as that option', async () => {
  await by.client.post('/custom_field', { add_info: { label: '契約', type: 'choice', options: ['あり', 'なし'] } });
  await byScreen('会社名,住所,契約\n株式会社東都,東京都港区1,あり\n');
  await byScreen('会社名,住所,契約\n株式会社東都,東京都港区1,なし\n');
  const { rows } = await database.pool.query<{ label: string }>(
    "SELECT label FROM prospect_own JOIN label_set ON label_set.id = label_set_id JOIN label ON members LIKE '%,' || label.id || ',%'",
  );
  expect(rows).toStrictEqual([{ label: 'なし' }]);
});
