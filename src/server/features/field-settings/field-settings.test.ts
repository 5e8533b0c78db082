import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_FIELD_OPTIONS, MAX_OWN_FIELDS, MAX_TAGS } from '#domain/limits.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addOwnFields, addTags, setOwn } from '#test/own-fields.ts';
import { addProspects } from '#test/prospects.ts';
import { type SenderScene, senderScene } from '#test/senders.ts';

let database: TestDatabase;
let scene: SenderScene;
let accountId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
  ({ accountId } = scene.tenant);
});

const addField = (info: object) =>
  scene.client.post('/custom_field', { add_info: { label: '展示会名', type: 'text', ...info } });
const idOf = (answer: { body: unknown }) => (answer.body as { id: number }).id;
const putField = (id: number, update_info: object, version?: string) =>
  scene.client.put(`/custom_field/${id}`, { update_info, ...(version !== undefined && { version }) });
const addTag = (label: string, colour?: number) => scene.client.post('/tag', { add_info: { label, colour } });
const putTag = (id: number, update_info: object, version?: string) =>
  scene.client.put(`/tag/${id}`, { update_info, ...(version !== undefined && { version }) });
type Option = { id: number; archived: 0 | 1; label: string };
type Listed = Record<string, unknown> & { id: number; version: string; label: string; options: Option[] };
const fields = async (counts = 0) => (await scene.client.get(`/custom_field/list?counts=${counts}`)).body as Listed[];
const tags = async (counts = 0) => (await scene.client.get(`/tag/list?counts=${counts}`)).body as Listed[];
const labels = async () => (await fields()).map(({ label }) => label);
const refused = (status: number, code: string, path?: string) => ({
  status,
  body: { code, ...(path !== undefined && { details: [{ path }] }) },
});

describe('fields', () => {
  test('are added with the next free key, listed in order, renamed, moved, archived and brought back', async () => {
    expect(await addField({})).toMatchObject({ status: 200, body: { status: 'added', key: 'field_1' } });
    expect(await addField({ label: '予算', type: 'number', key: 'field_2' })).toMatchObject({
      body: { key: 'field_2' },
    });
    const id = idOf(await addField({ label: 'ランク', type: 'choice', options: ['A', 'B'] }));
    expect(await fields()).toMatchObject([
      { key: 'field_1', label: '展示会名', type: 'text', position: 1, archived: 0, options: [], companies: null },
      { key: 'field_2', position: 2 },
      { id, key: 'field_3', position: 3, options: [{ label: 'A', archived: 0 }, { label: 'B' }], templates: null },
    ]);
    expect(await putField(id, { position: 1, label: '格付け' })).toMatchObject({ status: 200 });
    expect(await labels()).toStrictEqual(['格付け', '展示会名', '予算']);
    expect(await putField(id, { position: 50, archived: 1 })).toMatchObject({ status: 200 });
    expect((await fields()).at(-1)).toMatchObject({ id, archived: 1, position: 3 });
    await putField(id, { archived: 0 });
    expect((await fields()).at(-1)).toMatchObject({ id, archived: 0 });
    const { rows } = await database.pool.query(
      `SELECT kind, detail FROM audit_event WHERE kind LIKE 'custom%' ORDER BY id`,
    );
    expect(rows.slice(2)).toStrictEqual([
      { kind: 'custom_field_added', detail: { custom_field_id: id, field_label: 'ランク' } },
      {
        kind: 'custom_field_changed',
        detail: { custom_field_id: id, field_label: '格付け', fields: ['label', 'position'] },
      },
      {
        kind: 'custom_field_changed',
        detail: { custom_field_id: id, field_label: '格付け', fields: ['position', 'archived'] },
      },
      { kind: 'custom_field_changed', detail: { custom_field_id: id, field_label: '格付け', fields: ['archived'] } },
    ]);
  });

  test.each([
    ['展示会名 ', 'another field'],
    ['展 示 会 名', 'another field, with spaces'],
    ['会社名', 'a column of companies'],
    ['売上高（百万円）', 'a column with a unit'],
    ['ホームページ', 'a heading of imports'],
    ['都道府県', 'a part of the address'],
    ['備考', 'the remarks'],
    ['※', 'nothing, as a heading'],
  ])('the label %j of %s is taken', async (label) => {
    await addField({});
    expect(await addField({ label })).toMatchObject(refused(409, 'label_taken', 'add_info.label'));
    const id = idOf(await addField({ label: '別' }));
    expect(await putField(id, { label })).toMatchObject(refused(409, 'label_taken', 'update_info.label'));
    expect(await labels()).toStrictEqual(['展示会名', '別']);
  });

  test('an archived field keeps its name and key', async () => {
    await putField(idOf(await addField({ key: 'event' })), { archived: 1 });
    expect(await addField({})).toMatchObject(refused(409, 'label_taken', 'add_info.label'));
    expect(await addField({ label: '別', key: 'event' })).toMatchObject(refused(409, 'label_taken', 'add_info.key'));
  });

  test.each([
    ['', 'a blank'],
    ['あ'.repeat(101), '101 characters'],
    ['東京、大阪', 'a 、'],
    ['東京，大阪', 'a comma'],
    ['東京\n大阪', 'a line break'],
    ['｛{ x', 'braces'],
  ])('the label %j, %s, is refused, of fields, options and tags', async (label) => {
    expect(await addField({ label })).toMatchObject(refused(400, 'invalid_input', 'add_info.label'));
    expect(await addField({ type: 'choice', options: [label] })).toMatchObject(refused(400, 'invalid_input'));
    expect(await addTag(label)).toMatchObject(refused(400, 'invalid_input', 'add_info.label'));
  });

  test.each(['Event', '1st', 'a'.repeat(31), 'イベント', '__proto__', ''])('the key %j is refused', async (key) => {
    expect(await addField({ key })).toMatchObject(refused(400, 'invalid_input', 'add_info.key'));
  });

  test.each(['if', 'tags', 'constructor', 'size'])('the key %j means something else', async (key) => {
    expect(await addField({ key })).toMatchObject(refused(409, 'label_taken', 'add_info.key'));
  });

  test('type and key are fixed, and only a choice has options', async () => {
    const id = idOf(await addField({}));
    expect(await putField(id, { type: 'number' })).toMatchObject(refused(400, 'invalid_input'));
    expect(await putField(id, { key: 'other' })).toMatchObject(refused(400, 'invalid_input'));
    expect(await putField(id, { options: [{ label: 'A' }] })).toMatchObject(
      refused(400, 'invalid_input', 'update_info.options'),
    );
    expect(await addField({ label: '別', options: ['A'] })).toMatchObject(
      refused(400, 'invalid_input', 'add_info.options'),
    );
  });

  test('options are renamed, ordered, added, archived and brought back by their name', async () => {
    const id = idOf(await addField({ type: 'choice', options: ['A', 'B', 'C'] }));
    const [a, b, c] = (await optionsOf()).map((option) => option.id);
    expect(
      await putField(id, { options: [{ label: 'D' }, { id: c, label: 'Ｃ級' }, { id: a, label: 'A' }] }),
    ).toMatchObject({
      status: 200,
    });
    expect(await optionsOf()).toMatchObject([
      { label: 'D', archived: 0 },
      { id: c, label: 'Ｃ級', archived: 0 },
      { id: a, label: 'A', archived: 0 },
      { id: b, label: 'B', archived: 1 },
    ]);
    await putField(id, { options: [{ label: 'ｂ' }] });
    expect(await optionsOf()).toMatchObject([
      { id: b, label: 'ｂ', archived: 0 },
      { archived: 1 },
      { archived: 1 },
      { archived: 1 },
    ]);
  });

  test('two options change their names', async () => {
    const id = idOf(await addField({ type: 'choice', options: ['A', 'B'] }));
    const [a, b] = (await optionsOf()).map((option) => option.id);
    const options = [
      { id: a, label: 'B' },
      { id: b, label: 'A' },
    ];
    expect(await putField(id, { options })).toMatchObject({ status: 200 });
    expect(await optionsOf()).toMatchObject(options);
  });

  test('an option twice is refused, and one of another field', async () => {
    const id = idOf(await addField({ type: 'choice', options: ['A'] }));
    await addField({ label: '別', type: 'choice', options: ['B'] });
    const [, other] = await fields();
    const foreign = other?.options[0]?.id;
    expect(await addField({ label: '三', type: 'choice', options: ['A', 'ａ'] })).toMatchObject(
      refused(409, 'label_taken', 'add_info.options.1'),
    );
    expect(await putField(id, { options: [{ label: 'X' }, { label: 'x ' }] })).toMatchObject(
      refused(409, 'label_taken', 'update_info.options.1'),
    );
    expect(await putField(id, { options: [{ id: foreign, label: 'X' }] })).toMatchObject(
      refused(400, 'invalid_input', 'update_info.options.0.id'),
    );
  });

  test('a change names the version that it has seen', async () => {
    const id = idOf(await addField({}));
    const [{ version } = { version: '' }] = await fields();
    const { body } = await putField(id, { label: '催事' }, version);
    expect(await putField(id, { label: '展示' }, version)).toMatchObject(refused(409, 'field_changed'));
    expect(await putField(id, { label: '催事' }, version)).toMatchObject({ status: 200, body });
    expect(await putField(id, { label: '展示' }, (body as { version: string }).version)).toMatchObject({ status: 200 });
  });

  test('a field that templates name is not archived, and the templates are named', async () => {
    const id = idOf(await addField({ key: 'event' }));
    await database.db
      .updateTable('mail_template')
      .set({ name: '再度のご案内', text_body: '先日の{{ custom.event }}では' })
      .where('account_id', '=', accountId)
      .execute();
    expect(await fields(1)).toMatchObject([{ templates: 1, companies: 0 }]);
    expect(await putField(id, { archived: 1 })).toStrictEqual({
      status: 409,
      body: {
        code: 'field_in_use',
        message: 'テンプレート「再度のご案内」で使っているため、項目の使用をやめられません。',
        details: [{ path: 'templates', message: '再度のご案内' }],
      },
    });
    expect(await fields()).toMatchObject([{ archived: 0 }]);
  });

  test('the 51st field and the 51st option are refused, archived ones counted', async () => {
    const all = Array.from({ length: MAX_OWN_FIELDS - 1 }, (_, n) => ({ label: `項目${n}`, type: 'text' as const }));
    await addOwnFields(database.db, accountId, all);
    const options = Array.from({ length: MAX_FIELD_OPTIONS }, (_, n) => `選${n}`);
    const id = idOf(await addField({ type: 'choice', options }));
    expect(await addField({ label: '別' })).toMatchObject(refused(409, 'too_many_fields'));
    expect(await putField(id, { options: [{ label: '新しい選択肢' }] })).toMatchObject(refused(409, 'too_many_fields'));
    await putField(id, { archived: 1 });
    expect(await addField({ label: '別' })).toMatchObject(refused(409, 'too_many_fields'));
    expect((await optionsOf()).every((option) => option.archived === 0)).toBe(true);
  });

  const optionsOf = async () => (await fields()).at(-1)?.options ?? [];
});

describe('tags', () => {
  test('are added once, by two at once too', async () => {
    const answers = await Promise.all([addTag('重点'), addTag('重点 '), addTag('重点')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409, 409]);
    expect(await tags()).toMatchObject([{ label: '重点', colour: 0, archived: 0, companies: null }]);
  });

  test('an archived one comes back by its name', async () => {
    const id = idOf(await addTag('重点', 3));
    await putTag(id, { archived: 1 });
    expect(await addTag('重点')).toMatchObject({ status: 200, body: { id } });
    expect(await tags()).toMatchObject([{ id, archived: 0, colour: 3 }]);
  });

  test('are renamed and coloured, with the version that was seen', async () => {
    const id = idOf(await addTag('重点'));
    await addTag('秋');
    const version = (await tags()).find((tag) => tag.id === id)?.version;
    expect(await putTag(id, { label: '秋' })).toMatchObject(refused(409, 'label_taken', 'update_info.label'));
    expect(await putTag(id, { label: '🎯重要', colour: 7 }, version)).toMatchObject({ status: 200 });
    expect(await putTag(id, { colour: 6 }, version)).toMatchObject(refused(409, 'field_changed'));
    expect(await putTag(id, { colour: 8 })).toMatchObject(refused(400, 'invalid_input', 'update_info.colour'));
    expect((await tags()).map(({ label, colour }) => [label, colour])).toStrictEqual([
      ['秋', 0],
      ['🎯重要', 7],
    ]);
  });

  test('the 501st is refused', async () => {
    await addTags(
      database.db,
      accountId,
      Array.from({ length: MAX_TAGS }, (_, n) => `タグ${n}`),
    );
    expect(await addTag('新しいタグ')).toMatchObject(refused(409, 'too_many_tags'));
    expect(await tags()).toHaveLength(MAX_TAGS);
  });

  test('the companies of tags, options and values are counted', async () => {
    const ids = await addProspects(
      database.db,
      accountId,
      Array.from({ length: 4 }, (_, n) => ({ company_name: `社${n}` })),
    );
    const [rank, note] = await addOwnFields(database.db, accountId, [
      { label: 'ランク', type: 'choice', options: ['A', 'B'] },
      { label: 'メモ', type: 'text' },
    ]);
    const [first = 0, second = 0] = await addTags(database.db, accountId, ['重点', '秋']);
    const [a = 0] = rank?.options.map(({ id }) => id) ?? [];
    await setOwn(database.db, accountId, [
      ...ids.slice(0, 3).map((prospectId) => ({ prospectId, addLabels: [first] })),
      { prospectId: ids[0] ?? 0, addLabels: [second, a] },
      { prospectId: ids[3] ?? 0, values: new Map([[note?.id ?? 0, 'あ']]) },
    ]);
    expect((await tags(1)).map(({ label, companies }) => [label, companies])).toStrictEqual([
      ['秋', 1],
      ['重点', 3],
    ]);
    expect(await fields(1)).toMatchObject([
      {
        companies: 1,
        options: [
          { label: 'A', companies: 1 },
          { label: 'B', companies: 0 },
        ],
      },
      { companies: 1 },
    ]);
  });
});

describe('a merge of tags', () => {
  let ids: number[];
  let from: number;
  let into: number;
  let other: number;

  beforeEach(async () => {
    ids = await addProspects(
      database.db,
      accountId,
      Array.from({ length: 3 }, (_, n) => ({ company_name: `社${n}` })),
    );
    // The target's id is between the others': members stay in order.
    [other = 0, into = 0, from = 0] = await addTags(database.db, accountId, ['秋', '重点', '重要']);
    const [one = 0, two = 0, three = 0] = ids;
    await setOwn(database.db, accountId, [
      { prospectId: one, addLabels: [from] },
      { prospectId: two, addLabels: [from, into, other] },
      { prospectId: three, addLabels: [other] },
    ]);
  });

  const tagsOf = async (id: number | undefined) =>
    ((await scene.client.get(`/prospect/${id}`)).body as { tags: { label: string }[] }).tags.map(({ label }) => label);

  test('moves the companies, removes the tag, and writes no company', async () => {
    const before = await database.pool.query('SELECT ctid, xmin, prospect_id FROM prospect_own ORDER BY prospect_id');
    expect(await putTag(from, { merge_into: into })).toMatchObject({ status: 200 });
    expect(await Promise.all(ids.map(tagsOf))).toStrictEqual([['重点'], ['秋', '重点'], ['秋']]);
    expect((await tags(1)).map(({ label, companies }) => [label, companies])).toStrictEqual([
      ['秋', 2],
      ['重点', 2],
    ]);
    const after = await database.pool.query('SELECT ctid, xmin, prospect_id FROM prospect_own ORDER BY prospect_id');
    expect(after.rows).toStrictEqual(before.rows);
    const sets = await database.pool.query<{ members: string }>('SELECT members FROM label_set ORDER BY members');
    expect(sets.rows.map(({ members }) => members).toSorted()).toStrictEqual(
      [`,${into},`, `,${other},`, `,${other},${into},`].toSorted(),
    );
    const { rows } = await database.pool.query(`SELECT detail FROM audit_event WHERE kind = 'tags_merged'`);
    expect(rows).toStrictEqual([{ detail: { tag_id: from, tag_label: '重要', into: '重点', companies: 2 } }]);
  });

  test('into itself, a foreign tag or an option is refused', async () => {
    const [rank] = await addOwnFields(database.db, accountId, [{ label: 'ランク', type: 'choice', options: ['A'] }]);
    expect(await putTag(from, { merge_into: from })).toMatchObject(
      refused(400, 'invalid_input', 'update_info.merge_into'),
    );
    expect(await putTag(from, { merge_into: rank?.options[0]?.id })).toMatchObject(refused(404, 'not_found'));
    expect(await putTag(from, { merge_into: into, colour: 1 })).toMatchObject(refused(400, 'invalid_input'));
    await putTag(into, { archived: 1 });
    expect(await putTag(from, { merge_into: into })).toMatchObject(
      refused(400, 'invalid_input', 'update_info.merge_into'),
    );
    expect(await tags()).toHaveLength(3);
  });

  test('is refused beside an import, as every change of a field or tag is', async () => {
    const importing = await database.pool.connect();
    try {
      await importing.query('BEGIN');
      await importing.query('SELECT pg_advisory_xact_lock(4202614, $1)', [accountId]);
      expect(await putTag(from, { merge_into: into })).toMatchObject(refused(409, 'import_running'));
      for (const change of [
        putTag(from, { colour: 2 }),
        addTag('新しいタグ'),
        addField({ label: '席数', type: 'number' }),
      ])
        expect(await change).toMatchObject(refused(409, 'import_running'));
    } finally {
      await importing.query('ROLLBACK');
      importing.release();
    }
    expect(await putTag(from, { merge_into: into })).toMatchObject({ status: 200 });
  });

  test('beside a bulk act leaves no company with the merged tag', async () => {
    const label = (add: number) =>
      scene.client.post('/prospect/bulk', {
        act: 'label',
        sender_group_id: scene.tenant.senderGroupId,
        ids,
        label: { add: [add] },
      });
    const [act] = await Promise.all([label(from), putTag(from, { merge_into: into })]);
    // Either the act came first, and its companies moved, or the tag was gone.
    expect([200, 404]).toContain(act.status);
    const { rows } = await database.pool.query('SELECT FROM label_set WHERE members LIKE $1', [`%,${from},%`]);
    expect(rows).toStrictEqual([]);
    expect(await Promise.all(ids.map(tagsOf))).toStrictEqual(
      act.status === 200 ? [['重点'], ['秋', '重点'], ['秋', '重点']] : [['重点'], ['秋', '重点'], ['秋']],
    );
  });
});
