import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addFields, addLabels, setOwn } from '#test/own-data.ts';
import { addPrimary, removePrimary } from '#test/people.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

/** The filters and columns of own fields and tags over HTTP, in every call that has filters. */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
/** The ids of labels, by name. */
let labels: Readonly<Record<string, number>>;
let companies: readonly number[];

beforeEach(async () => {
  database = await emptyDatabase();
  const { db } = database;
  tenant = await addTenant(db);
  client = await clientOf(database, tenant.accountId);
  const { accountId } = tenant;
  const fields = await addFields(db, accountId, [
    { key: 'event', label: '展示会名', type: 'text' },
    { key: 'rank', label: 'ランク', type: 'choice' },
    { key: 'seats', label: '席数', type: 'number' },
    { key: 'met', label: '訪問日', type: 'date' },
    { key: 'member', label: '会員', type: 'flag' },
    { key: 'jobs', label: '採用ページ', type: 'url' },
    { key: 'old', label: '旧項目', type: 'text', archived: true },
  ]);
  const fieldOf = (key: string) => fields.get(key) ?? 0;
  const [hot = 0, autumn = 0, gone = 0] = await addLabels(db, accountId, [
    '重点',
    '秋',
    { label: '去年', archived: true },
  ]);
  const [a = 0, b = 0] = await addLabels(db, accountId, ['A', 'B'], fieldOf('rank'));
  labels = { hot, autumn, gone, a, b };
  companies = await addProspects(
    db,
    accountId,
    ['A', 'B', 'C'].map((company_name) => ({ company_name, company_email: `${company_name.toLowerCase()}@x.jp` })),
  );
  const [first = 0, second = 0] = companies;
  const event = fieldOf('event');
  await setOwn(db, accountId, first, {
    labels: [hot, autumn, a],
    vals: {
      [event]: '東京産業展 2026',
      [fieldOf('seats')]: 1.5,
      [fieldOf('met')]: '2026-10-15',
      [fieldOf('member')]: true,
      [fieldOf('jobs')]: 'https://x.jp/jobs',
      [fieldOf('old')]: '昔の値',
    },
    texts: [event, fieldOf('old')],
  });
  await setOwn(db, accountId, second, { labels: [autumn, b], vals: { [fieldOf('member')]: false } });
});

const listed = (query: string) => client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}&${query}`);
const named = async (query: string) => {
  const { status, body } = await listed(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { rows: { company_name: string }[] }).rows.map((row) => row.company_name).join('');
};

describe('GET /prospect/view', () => {
  test('finds by tags, words, options, bounds, answers and pages, as written in a query', async () => {
    const { hot, autumn, a, b } = labels;
    const found = {
      [`tags=${hot}`]: 'A',
      [`tags=${hot},${autumn}`]: 'AB',
      [`tags_all=${hot},${autumn}`]: 'A',
      [`tags_none=${hot}`]: 'BC',
      [`tags_none=${hot},${autumn}`]: 'C',
      'custom[event]=大阪、ｻﾝｷﾞｮｳ,産業': 'A',
      'custom[event]=２０２６': 'A',
      [`custom[rank]=${b}`]: 'B',
      [`custom[rank]=${a},${b}`]: 'AB',
      'custom[seats][from]=1': 'A',
      'custom[seats][from]=1.5': '',
      'custom[seats][from]=-1&custom[seats][to]=1.6': 'A',
      'custom[met][from]=2026-10-14&custom[met][to]=2026-10-16': 'A',
      'custom[met][to]=2026-10-15': '',
      'custom[member]=yes': 'A',
      'custom[member]=no': 'B',
      'custom[jobs]=yes': 'A',
      'custom[jobs]=no': 'BC',
      [`tags=${autumn}&custom[member]=no&company_email=b@`]: 'B',
      // Blank ones are no conditions.
      'tags=&custom[event]=&custom[seats][from]=': 'ABC',
    };
    for (const [query, names] of Object.entries(found)) {
      expect([query, await named(query)]).toStrictEqual([query, names]);
    }
  });

  test('finds by the same conditions among archived companies', async () => {
    await database.db.updateTable('prospect').set({ archived_at: new Date() }).execute();
    expect(await named(`status=archived&tags=${labels.hot}`)).toBe('A');
    expect(await named(`status=archived&tags_none=${labels.hot}`)).toBe('BC');
  });

  test('rows carry the columns that are asked for, and an archived field is left out', async () => {
    const { body } = await listed('own_columns=tags,event,rank,seats,met,member,jobs,old');
    const { hot, autumn } = labels;
    expect(body).toMatchObject({
      rows: [
        {
          company_name: 'A',
          tags: [
            { id: autumn, label: '秋', colour: 1 },
            { id: hot, label: '重点', colour: 0 },
          ].toSorted((one, other) => one.label.localeCompare(other.label, 'ja')),
        },
        { company_name: 'B', tags: [{ id: autumn, label: '秋' }] },
        { company_name: 'C', tags: [] },
      ],
    });
    expect((body as { rows: { custom: object }[] }).rows.map(({ custom }) => custom)).toStrictEqual([
      { event: '東京産業展 2026', rank: 'A', seats: 1.5, met: '2026-10-15', member: 1, jobs: 'https://x.jp/jobs' },
      { rank: 'B', member: 0 },
      {},
    ]);
    const plain = (await listed('own_columns=event')).body as { rows: object[] };
    expect(Object.keys(plain.rows[0] ?? {})).toContain('custom');
    expect(Object.keys(plain.rows[0] ?? {})).not.toContain('tags');
    expect(Object.keys(((await listed('')).body as typeof plain).rows[0] ?? {})).not.toContain('custom');
  });

  test('rows carry the 主担当 where they are asked for', async () => {
    const [first = 0, second = 0] = companies;
    await addPrimary(database.db, tenant, first, { name: '佐藤 一郎', department: '購買部', title: '部長' });
    await addPrimary(database.db, tenant, second, { name: '高橋' });
    await removePrimary(database.db, tenant, second);
    const { body } = await listed('own_columns=primary');
    expect((body as { rows: object[] }).rows.map((row) => Object.entries(row).at(-1))).toStrictEqual([
      ['primary', { name: '佐藤 一郎', department: '購買部', title: '部長' }],
      ['primary', null],
      ['primary', null],
    ]);
  });
});

/** Conditions that the account cannot use, and what the refusal says. */
const refused = () => ({
  'custom[nothing]=a': '項目「nothing」はありません',
  'custom[constructor]=a': '項目「constructor」はありません',
  'custom[old]=a': '項目「旧項目」は使われていません',
  'tags=987654321': 'タグ（id 987654321）はありません',
  'tags_none=9007199254740991': 'タグ（id 9007199254740991）はありません',
  [`tags_all=${labels.gone}`]: 'タグ「去年」は使われていません',
  // An option is no tag.
  [`tags=${labels.a}`]: `タグ（id ${labels.a}）はありません`,
  [`custom[rank]=${labels.hot}`]: `項目「ランク」の選択肢（id ${labels.hot}）はありません`,
  'custom[rank]=A': '項目「ランク」の条件は選択肢のidにしてください',
  'custom[event][from]=1': '項目「展示会名」に下限と上限は指定できません',
  'custom[seats]=1': '項目「席数」の条件は下限か上限にしてください',
  'custom[seats][from]=007': '項目「席数」の下限と上限は、1200 か 1.5 のような数値にしてください',
  'custom[seats][from]=1e400': '項目「席数」の下限と上限は、1200 か 1.5 のような数値にしてください',
  'custom[met][to]=2026-02-30': '項目「訪問日」の下限と上限は、2026-11-20 のような日付にしてください',
  'custom[member]=1': '項目「会員」の条件は yes か no にしてください',
});

test('a condition that the account does not have or no longer uses is refused, and the answer names it', async () => {
  for (const [query, message] of Object.entries(refused())) {
    const { status, body } = await listed(query);
    expect([query, status, (body as { message: string }).message]).toStrictEqual([query, 400, message]);
  }
});

test('bad-inputs: names and forms that no field has are refused by the contract', async () => {
  const eleven = Array.from({ length: 11 }, (_, n) => `custom[k${n}]=a`).join('&');
  for (const query of [
    'custom[__proto__]=a',
    'custom[__proto__][from]=1',
    'custom[Event]=a',
    'custom[]=a',
    'custom=a',
    'custom[event][]=a',
    'custom[seats][from][x]=1',
    'custom[seats][gt]=1',
    'tags=a',
    'tags=1,,2',
    'tags[]=1',
    'own_columns=tags,Event',
    'own_columns=nothing',
    `own_columns=${Array.from({ length: 11 }, (_, n) => `k${n}`).join()}`,
    eleven,
    `custom[event]=${'あ'.repeat(1500)}`,
  ]) {
    expect([query.slice(0, 40), (await listed(query)).status]).toStrictEqual([query.slice(0, 40), 400]);
  }
});

test("another account's tag, option and field are refused like unknown ones", async () => {
  const other = await addTenant(database.db);
  const asOther = await clientOf(database, other.accountId);
  const as = (query: string) => asOther.get(`/prospect/view?sender_group_id=${other.senderGroupId}&${query}`);
  expect((await as('')).status).toBe(200);
  for (const query of [`tags=${labels.hot}`, 'custom[event]=東京', 'own_columns=event']) {
    expect([query, (await as(query)).status]).toStrictEqual([query, 400]);
  }
});

test('an attack list has the companies of the same conditions, and its rows the same columns', async () => {
  const path = `/attack_list/preview?sender_group_id=${tenant.senderGroupId}`;
  const { hot, autumn } = labels;
  const preview = await client.get(`${path}&tags=${autumn}&own_columns=tags,rank`);
  expect(preview.body).toMatchObject({
    matched: 2,
    eligible: 2,
    rows: [
      { company_name: 'A', custom: { rank: 'A' } },
      { company_name: 'B', custom: { rank: 'B' }, tags: [{ id: autumn, label: '秋' }] },
    ],
  });
  await database.db
    .insertInto('active_prospect')
    .values({
      account_id: tenant.accountId,
      sender_group_id: tenant.senderGroupId,
      prospect_id: companies[0] ?? 0,
      active: false,
    })
    .execute();
  const leftOut = `/attack_list/left_out?sender_group_id=${tenant.senderGroupId}&reason=inactive`;
  expect((await client.get(`${leftOut}&tags=${hot}`)).body).toMatchObject({ total: 1, rows: [{ company_name: 'A' }] });
  expect((await client.get(`${leftOut}&tags_none=${hot}`)).body).toMatchObject({ total: 0 });
  expect((await client.get(`${leftOut}&custom[old]=a`)).status).toBe(400);
  expect((await client.get(`${path}&custom[old]=a`)).status).toBe(400);
});

test('a bulk act changes the companies of the same conditions', async () => {
  const act = (condition: object, more: object = {}) =>
    client.post('/prospect/bulk', {
      act: 'archive',
      sender_group_id: tenant.senderGroupId,
      condition,
      ...more,
    });
  const { hot } = labels;
  const range = { custom: { seats: { from: 1, to: '2' } } };
  expect((await act(range, { dry_run: 1 })).body).toMatchObject({ matched: 1 });
  expect((await act({ custom: { nothing: 'a' } })).body).toMatchObject({ message: '項目「nothing」はありません' });
  expect((await act({ tags_none: String(hot) })).body).toMatchObject({ changed: 2 });
  expect(await named('')).toBe('A');
});

test('a saved condition keeps what holds, and shows a condition by an archived field or tag as gone', async () => {
  const { hot, a, b } = labels;
  const where_info = {
    address: '東京',
    tags: String(hot),
    tags_none: String(labels.autumn),
    custom: { event: '産業', rank: `${a},${b}`, seats: { from: 1 } },
  };
  const save = (info: object) => client.post('/saved_condition', { add_info: { name: '条件', where_info: info } });
  expect((await save({ tags: '987654321' })).status).toBe(400);
  expect((await save({ custom: { old: 'a' } })).body).toMatchObject({ code: 'invalid_input' });
  const { id } = (await save(where_info)).body as { id: number };
  const read = async () => ((await client.get('/saved_condition/list')).body as object[])[0];
  const stored = { ...where_info, custom: { ...where_info.custom, seats: { from: '1' } } };
  expect(await read()).toMatchObject({ where_info: stored, gone: [] });
  const counted = async () => {
    const query = `sender_group_id=${tenant.senderGroupId}&ids=${id}`;
    return (await client.get(`/saved_condition/count?${query}`)).body;
  };
  const change = (info: object) => client.put(`/saved_condition/${id}`, { update_info: { where_info: info } });
  expect((await change({ custom: { nothing: 'a' } })).status).toBe(400);
  await change({ tags: String(hot), custom: { rank: String(a) } });
  expect(await counted()).toStrictEqual([{ id, total: 1 }]);

  await change(where_info);
  await database.db.updateTable('custom_field').set({ archived_at: new Date() }).where('key', '<>', 'event').execute();
  await database.db.updateTable('label').set({ archived_at: new Date() }).where('label', '=', '重点').execute();
  expect(await read()).toMatchObject({
    where_info: { address: '東京', tags_none: where_info.tags_none, custom: { event: '産業' } },
    gone: [
      { field: 'tags', value: '重点' },
      { field: 'custom.rank', value: 'A、B' },
      { field: 'custom.seats', value: '{"from":"1"}' },
    ],
  });
  expect(await counted()).toStrictEqual([{ id, total: 0 }]);
});

test('an export takes the same conditions, and refuses the others before its job begins', async () => {
  const start = (info: object) =>
    client.post('/export', {
      add_info: { what: 'prospects', format: 'csv_utf8', sender_group_id: tenant.senderGroupId, ...info },
    });
  expect((await start({ tags: String(labels.hot), own_columns: 'tags,event' })).status).toBe(200);
  expect((await start({ custom: { old: 'a' } })).body).toMatchObject({ message: '項目「旧項目」は使われていません' });
  expect((await start({ own_columns: 'nothing' })).body).toMatchObject({ message: '項目「nothing」はありません' });
  expect((await start({ what: 'people', sender_group_id: 987654321 })).status).toBe(404);
});
