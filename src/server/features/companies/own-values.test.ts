import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_COMPANY_TAGS } from '#domain/limits.ts';
import type { OwnField } from '#server/features/own-fields/own-fields.queries.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addOwnFields, addTags, setOwn } from '#test/own-fields.ts';
import { addProspects } from '#test/prospects.ts';
import { type SenderScene, senderScene } from '#test/senders.ts';

let database: TestDatabase;
let scene: SenderScene;
let accountId: number;
let fields: OwnField[];
let tags: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
  ({ accountId } = scene.tenant);
  fields = await addOwnFields(database.db, accountId, [
    { label: '展示会名', type: 'text', key: 'event' },
    { label: 'ランク', type: 'choice', key: 'rank', options: ['A', 'B'] },
    { label: '予算', type: 'number', key: 'budget' },
    { label: '訪問日', type: 'date', key: 'visited' },
    { label: '既存', type: 'flag', key: 'known' },
  ]);
  tags = await addTags(database.db, accountId, ['重点', '秋']);
});

interface Detail extends Record<string, unknown> {
  readonly version: string;
  readonly custom: object;
}
const get = async (id: number) => (await scene.client.get(`/prospect/${id}`)).body as Detail;
const post = (info: object) => scene.client.post('/prospect', { add_info: { company_name: '株式会社甲', ...info } });
const added = async (info: object) => ((await post(info)).body as { id: number }).id;
const put = async (id: number, update_info: object, version?: string) =>
  scene.client.put(`/prospect/${id}`, { version: version ?? (await get(id)).version, update_info });
const timeline = async (id: number) =>
  (await scene.client.get(`/prospect/${id}/timeline`)).body as { kind: string; changes: object[] }[];
const archive = (key: string) =>
  database.pool.query('UPDATE custom_field SET archived_at = now() WHERE key = $1', [key]);

const ALL = { event: '東京産業展', rank: 'ａ', budget: '1.2億', visited: 'R8.10.15', known: '○' };

describe('values of one company', () => {
  test('are added with it, read as cells are, and shown', async () => {
    const id = await added({ custom: ALL, tag_ids: tags, external_id: ' 001A ' });
    expect(await get(id)).toMatchObject({
      custom: { event: '東京産業展', rank: 'A', budget: 120_000_000, visited: '2026-10-15', known: 1 },
      tags: [
        { id: tags[0], label: '重点', colour: 0 },
        { id: tags[1], label: '秋', colour: 0 },
      ].toSorted((a, b) => (a.label < b.label ? -1 : 1)),
      external_id: '001A',
    });
  });

  test('are merged key by key: null and blanks take a value away, others stay', async () => {
    const id = await added({ custom: ALL, tag_ids: tags });
    expect(await put(id, { custom: { budget: null, rank: 'B', known: '' } })).toMatchObject({ status: 200 });
    expect(await get(id)).toMatchObject({
      custom: { event: '東京産業展', rank: 'B', visited: '2026-10-15' },
      tags: [{}, {}],
    });
    expect((await get(id)).custom).not.toHaveProperty('budget');
    await put(id, { tag_ids: [tags[1]] });
    expect(await get(id)).toMatchObject({ tags: [{ id: tags[1] }], custom: { event: '東京産業展' } });
  });

  test('of an archived field are kept, not shown, and not written', async () => {
    const id = await added({ custom: ALL });
    await archive('event');
    expect((await get(id)).custom).not.toHaveProperty('event');
    expect(await put(id, { custom: { event: 'x' } })).toMatchObject({ status: 400 });
    await put(id, { custom: { rank: 'B' } });
    await database.pool.query('UPDATE custom_field SET archived_at = NULL');
    expect(await get(id)).toMatchObject({ custom: { event: '東京産業展', rank: 'B' } });
  });

  test('change the version and the time of the last change, and the company stays as it is', async () => {
    const id = await added({});
    const before = await get(id);
    const { body } = await put(id, { custom: { event: 'x' } }, before.version);
    const after = await get(id);
    expect(after.version).not.toBe(before.version);
    expect(body).toMatchObject({ version: after.version });
    expect(await put(id, { custom: { event: 'y' } }, before.version)).toMatchObject({
      status: 409,
      body: { code: 'company_changed' },
    });
    // A repeated save succeeds.
    expect(await put(id, { custom: { event: 'x' } }, before.version)).toMatchObject({
      status: 200,
      body: { version: after.version },
    });
    const { rows } = await database.pool.query(
      'SELECT updated_at = created_at AS untouched FROM prospect WHERE id = $1',
      [id],
    );
    expect(rows).toStrictEqual([{ untouched: true }]);
    const changedAt = await database.pool.query('SELECT updated_at FROM prospect_own');
    expect(changedAt.rows).toHaveLength(1);
  });

  test('bad-inputs of own fields: each fault is told at its field', async () => {
    const faults = {
      event: 'あ'.repeat(501),
      rank: 'C',
      budget: '∞',
      visited: '2026-02-30',
      known: 'たぶん',
      none: 'x',
    };
    const pathsOf = async (info: object) => {
      const answer = await post(info);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_company' } });
      return (answer.body as { details: { path: string }[] }).details.map(({ path }) => path);
    };
    const { none: _, ...known } = faults;
    expect(await pathsOf({ custom: known })).toStrictEqual(Object.keys(known).map((key) => `add_info.custom.${key}`));
    const others = { company_email: 'x', custom: { none: 'x' }, tag_ids: [999], external_id: 'x'.repeat(101) };
    expect(await pathsOf(others)).toStrictEqual([
      'add_info.company_email',
      'add_info.custom.none',
      'add_info.tag_ids',
      'add_info.external_id',
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is no field', async (key) => {
    const custom = JSON.parse(`{"${key}": "x"}`) as object;
    expect(await post({ custom })).toMatchObject({ status: 400 });
  });

  test('the 31st tag and the 4,001st character are refused', async () => {
    const many = await addTags(
      database.db,
      accountId,
      Array.from({ length: MAX_COMPANY_TAGS + 1 }, (_, n) => `t${n}`),
    );
    expect(await post({ tag_ids: many })).toMatchObject({ body: { details: [{ path: 'add_info.tag_ids' }] } });
    const texts = Array.from({ length: 9 }, (_, n) => ({ label: `長い${n}`, type: 'text' as const, key: `long${n}` }));
    await addOwnFields(database.db, accountId, texts);
    const custom = Object.fromEntries(texts.map(({ key }) => [key, 'あ'.repeat(445)]));
    expect(await post({ custom })).toMatchObject({ status: 400, body: { details: [{ path: 'add_info.custom' }] } });
    expect(await post({ custom: { ...custom, long0: 'あ'.repeat(440) }, tag_ids: many.slice(1) })).toMatchObject({
      status: 200,
    });
  });
});

describe('F9: an id of another system', () => {
  test('is set once', async () => {
    const id = await added({});
    expect(await put(id, { external_id: 'A-1' })).toMatchObject({ status: 200 });
    expect(await put(id, { external_id: 'A-1', ceo: '花' })).toMatchObject({ status: 200 });
    for (const external_id of ['A-2', null, '']) {
      expect(await put(id, { external_id })).toMatchObject({
        status: 409,
        body: { code: 'external_id_set', details: [{ path: 'update_info.external_id' }] },
      });
    }
    expect(await get(id)).toMatchObject({ external_id: 'A-1' });
  });

  test('of another company names that company, by two at once too', async () => {
    const id = await added({ company_name: '株式会社乙', external_id: 'A-1' });
    const other = await added({});
    const named = {
      status: 409,
      body: {
        code: 'same_company',
        details: [
          { path: 'external_id' },
          { path: 'same_company.id', message: `${id}` },
          { path: 'same_company.company_name', message: '株式会社乙' },
        ],
      },
    };
    expect(await put(other, { external_id: 'A-1' })).toMatchObject(named);
    expect(await post({ company_name: '丙', external_id: 'A-1' })).toMatchObject(named);
    const answers = await Promise.all(['丁', '戊'].map((company_name) => post({ company_name, external_id: 'A-3' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      body: { code: 'same_company', details: [{ path: 'external_id' }, { path: 'same_company.id' }, {}] },
    });
  });

  test('the same name or number names the other company too', async () => {
    const id = await added({ corporate_number: '7000012050002' });
    expect(await post({})).toMatchObject({ body: { details: [{ path: 'company_name' }, { message: `${id}` }, {}] } });
    expect(await post({ company_name: '乙', corporate_number: '7000012050002' })).toMatchObject({
      body: { details: [{ path: 'corporate_number' }, { message: `${id}` }, { message: '株式会社甲' }] },
    });
  });
});

test('the history shows changes by the names of fields, options and tags, in one event a save', async () => {
  const id = await added({ custom: { rank: 'A' }, tag_ids: [tags[1]] });
  await put(id, { ceo: '花', custom: { rank: 'B', visited: '2026/10/15', known: '×', budget: 5 }, tag_ids: tags });
  const [event, ...others] = await timeline(id);
  expect(event).toMatchObject({ kind: 'edited' });
  const byField = (changes: object[] = []) =>
    changes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  expect(byField(event?.changes)).toStrictEqual(
    byField([
      { field: 'ceo', old: null, new: '花' },
      { field: 'custom.rank', label: 'ランク', old: 'A', new: 'B' },
      { field: 'custom.visited', label: '訪問日', old: null, new: '2026/10/15' },
      { field: 'custom.known', label: '既存', old: null, new: 'いいえ' },
      { field: 'custom.budget', label: '予算', old: null, new: 5 },
      { field: 'tags', label: 'タグ', old: '秋', new: '重点、秋' },
    ]),
  );
  expect(others.map(({ kind }) => kind)).toStrictEqual(['added']);
});

describe('the bulk act label', () => {
  let ids: number[];
  beforeEach(async () => {
    ids = await addProspects(
      database.db,
      accountId,
      Array.from({ length: 5 }, (_, n) => ({ company_name: `社${n}` })),
    );
  });
  const optionId = (at: number) => fields[1]?.options[at]?.id ?? 0;
  const bulk = (label: object, more: object = {}) =>
    scene.client.post('/prospect/bulk', {
      act: 'label',
      sender_group_id: scene.tenant.senderGroupId,
      ids,
      label,
      ...more,
    });

  test('adds and removes tags and options, counts what it leaves, and is told in the history', async () => {
    await setOwn(database.db, accountId, [
      { prospectId: ids[0] ?? 0, addLabels: [tags[0] ?? 0, optionId(0)] },
      { prospectId: ids[1] ?? 0, addLabels: [optionId(1), tags[1] ?? 0] },
      { prospectId: ids[2] ?? 0, addLabels: [tags[0] ?? 0, optionId(1)], values: new Map([[fields[0]?.id ?? 0, 'x']]) },
    ]);
    const label = { add: [tags[0], optionId(1)], remove: [tags[1]] };
    const counts = { matched: 5, changed: 4, unchanged: { already: 1, not_found: 0, too_many: 0 } };
    expect(await bulk(label, { dry_run: 1 })).toMatchObject({ status: 200, body: counts });
    expect(await bulk(label)).toMatchObject({ status: 200, body: counts });
    for (const id of ids) expect(await get(id)).toMatchObject({ tags: [{ id: tags[0] }], custom: { rank: 'B' } });
    expect(await get(ids[2] ?? 0)).toMatchObject({ custom: { event: 'x' } });
    expect((await timeline(ids[0] ?? 0))[0]).toMatchObject({
      kind: 'edited',
      changes: [{ field: 'custom.rank', label: 'ランク', old: 'A', new: 'B' }],
    });
    expect(await bulk(label)).toMatchObject({ body: { changed: 0, unchanged: { already: 5 } } });
    const { rows } = await database.pool.query(`SELECT detail FROM audit_event WHERE kind = 'companies_changed'`);
    expect(rows).toMatchObject([{ detail: { act: 'label', companies: 4 } }]);
    // Rows that say nothing are gone.
    await bulk({ remove: [tags[0], optionId(1)] });
    const left = await database.pool.query('SELECT prospect_id FROM prospect_own');
    expect(left.rows).toStrictEqual([{ prospect_id: ids[2] }]);
  });

  test('leaves companies that would have too many tags', async () => {
    const many = await addTags(
      database.db,
      accountId,
      Array.from({ length: MAX_COMPANY_TAGS }, (_, n) => `t${n}`),
    );
    await setOwn(database.db, accountId, [{ prospectId: ids[0] ?? 0, addLabels: many }]);
    expect(await bulk({ add: [tags[0]] })).toMatchObject({
      body: { changed: 4, unchanged: { too_many: 1, already: 0 } },
    });
    expect(await bulk({ add: [tags[1]], remove: [many[0]] }, { ids: [ids[0]] })).toMatchObject({
      body: { changed: 1 },
    });
  });

  test('refuses an unknown or archived label, and no label at all', async () => {
    expect(await bulk({ add: [999] })).toMatchObject({ status: 404 });
    await database.pool.query('UPDATE label SET archived_at = now() WHERE id = $1', [tags[0]]);
    expect(await bulk({ add: [tags[0]] })).toMatchObject({ status: 404 });
    expect(await bulk({ remove: [tags[0]] })).toMatchObject({ status: 200 });
    expect(await bulk({})).toMatchObject({ status: 400 });
    expect(await bulk({ add: [tags[1]] }, { act: 'archive' })).toMatchObject({ status: 400 });
  });
});

test('F8: a disclosure shows own values, and an erasure deletes them', async () => {
  const id = await added({ company_email: 'info@ko.example.jp', custom: ALL, tag_ids: tags, external_id: 'A-1' });
  await put(id, { custom: { event: '大阪展' } });
  await archive('visited');
  const email = 'info@ko.example.jp';
  const { body } = await scene.client.post('/personal_data/view', { email });
  expect(body).toMatchObject({
    companies: [
      {
        external_id: 'A-1',
        custom: [
          { label: '展示会名', value: '大阪展' },
          { label: 'ランク', value: 'A' },
          { label: '予算', value: '120,000,000' },
          { label: '訪問日', value: '2026年10月15日' },
          { label: '既存', value: 'はい' },
        ],
      },
    ],
    changes: [{ field: 'custom.event', label: '展示会名', old: '東京産業展', new: '大阪展' }],
  });
  expect((body as { companies: { tags: string[] }[] }).companies[0]?.tags.toSorted()).toStrictEqual(['秋', '重点']);
  expect(await scene.client.post('/personal_data/erase', { email })).toMatchObject({ status: 200 });
  const left = await database.pool.query(
    `SELECT (SELECT count(*)::int FROM prospect_own) AS own,
      (SELECT count(*)::int FROM prospect_change WHERE changes <> '{}') AS changes,
      (SELECT external_id FROM prospect WHERE id = $1)`,
    [id],
  );
  expect(left.rows).toStrictEqual([{ own: 0, changes: 0, external_id: null }]);
});
