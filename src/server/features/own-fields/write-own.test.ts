import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_COMPANY_TAGS } from '#domain/limits.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addOwnFields, addTags, setOwn } from '#test/own-fields.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { deleteUnusedSets } from './label-sets.queries.ts';
import type { OwnField } from './own-fields.queries.ts';
import { readOwn } from './own-rows.queries.ts';

let database: TestDatabase;
let accountId: number;
let ids: number[];
let note: OwnField;
let rank: OwnField;
let tags: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  ({ accountId } = await addTenant(database.db));
  ids = await addProspects(database.db, accountId, [{ company_name: '一' }, { company_name: '二' }]);
  const fields = await addOwnFields(database.db, accountId, [
    { label: 'メモ', type: 'text' },
    { label: 'ランク', type: 'choice', options: ['A', 'B'] },
  ]);
  [note, rank] = fields as [OwnField, OwnField];
  tags = await addTags(database.db, accountId, ['重点', '秋']);
});

const first = () => ids[0] ?? 0;
const rows = () => database.pool.query('SELECT * FROM prospect_own ORDER BY prospect_id').then((result) => result.rows);
const history = () =>
  database.pool
    .query('SELECT prospect_id, kind, changes FROM prospect_change ORDER BY id')
    .then((result) => result.rows);
const sets = () =>
  database.pool
    .query('SELECT members FROM label_set ORDER BY id')
    .then((result) => result.rows.map((row) => row.members));
const option = (at: number) => rank.options[at]?.id ?? 0;

describe('F3: the writer', () => {
  test('stores values, labels and ids, with one row of history a company that changed', async () => {
    const [one = 0, two = 0] = ids;
    await setOwn(database.db, accountId, [
      { prospectId: two, values: new Map([[note.id, 'ＡＢＣ展']]), externalId: '001A' },
      { prospectId: one, addLabels: [tags[1] ?? 0] },
      { prospectId: one, values: new Map([[rank.id, option(0)]]), addLabels: [tags[0] ?? 0] },
    ]);
    expect(await history()).toStrictEqual([
      { prospect_id: one, kind: 'edited', changes: { [`own.${rank.id}`]: [null, option(0)], 'own.tags': [[], tags] } },
      {
        prospect_id: two,
        kind: 'edited',
        changes: { [`own.${note.id}`]: [null, 'ＡＢＣ展'], external_id: [null, '001A'] },
      },
    ]);
    expect(await rows()).toMatchObject([
      { prospect_id: one, vals: {}, text_search: {} },
      { prospect_id: two, vals: { [note.id]: 'ＡＢＣ展' }, text_search: { [note.id]: 'abc展' }, label_set_id: null },
    ]);
    const read = await database.db.transaction().execute((tx) => readOwn(tx, accountId, [note, rank], ids));
    expect(read.get(one)).toMatchObject({ values: new Map([[rank.id, option(0)]]), tags });
  });

  test('the same again changes nothing, and one set serves all companies with the same labels', async () => {
    const writes = ids.map((prospectId) => ({ prospectId, addLabels: [...tags], values: new Map([[note.id, 'x']]) }));
    await setOwn(database.db, accountId, writes);
    const before = [await rows(), await history()];
    await setOwn(database.db, accountId, writes);
    expect([await rows(), await history()]).toStrictEqual(before);
    expect(await sets()).toStrictEqual([`,${tags.join(',')},`]);
  });

  test('an option replaces the other of its field, and a row that says nothing is deleted', async () => {
    await setOwn(database.db, accountId, [{ prospectId: first(), addLabels: [option(0), ...tags] }]);
    await setOwn(database.db, accountId, [
      { prospectId: first(), addLabels: [option(1)], removeLabels: [tags[0] ?? 0] },
    ]);
    expect((await history()).at(-1)?.changes).toStrictEqual({
      [`own.${rank.id}`]: [option(0), option(1)],
      'own.tags': [tags, [tags[1]]],
    });
    await setOwn(database.db, accountId, [{ prospectId: first(), removeLabels: [option(1)], setLabels: [] }]);
    expect(await rows()).toStrictEqual([]);
  });

  test('an id of another system is set once', async () => {
    await setOwn(database.db, accountId, [{ prospectId: first(), externalId: 'A' }]);
    await setOwn(database.db, accountId, [{ prospectId: first(), externalId: 'B' }]);
    const stored = await database.pool.query('SELECT external_id FROM prospect ORDER BY id');
    expect(stored.rows).toStrictEqual([{ external_id: 'A' }, { external_id: null }]);
    expect(await history()).toHaveLength(1);
  });

  test('the 31st tag and the 4,001st character stay away, and the rest is written', async () => {
    const many = await addTags(
      database.db,
      accountId,
      Array.from({ length: MAX_COMPANY_TAGS + 1 }, (_, n) => `t${n}`),
    );
    const texts = await addOwnFields(
      database.db,
      accountId,
      Array.from({ length: 9 }, (_, n) => ({ label: `長い${n}`, type: 'text' as const })),
    );
    const long = new Map(texts.map(({ id }) => [id, 'あ'.repeat(445)]));
    expect(
      await setOwn(database.db, accountId, [{ prospectId: first(), addLabels: many, values: long }]),
    ).toMatchObject({
      tooManyTags: [first()],
      tooLong: [first()],
    });
    expect(await rows()).toStrictEqual([]);
    long.delete(texts[0]?.id ?? 0);
    const given = { prospectId: first(), addLabels: many.slice(1), values: long };
    expect(await setOwn(database.db, accountId, [given])).toMatchObject({ tooManyTags: [], tooLong: [] });
  });

  test("another account's companies are passed over", async () => {
    const theirs = await addTenant(database.db);
    const [foreign = 0] = await addProspects(database.db, theirs.accountId, [{ company_name: '他' }]);
    await setOwn(database.db, accountId, [{ prospectId: foreign, values: new Map([[note.id, 'x']]) }]);
    expect([await rows(), await history()]).toStrictEqual([[], []]);
  });
});

describe('F1: sets that no company has', () => {
  test('are deleted, and the others stay', async () => {
    const [one = 0, two = 0] = tags;
    await setOwn(database.db, accountId, [{ prospectId: first(), addLabels: [one] }]);
    await setOwn(database.db, accountId, [{ prospectId: first(), addLabels: [two] }]);
    expect(await sets()).toHaveLength(2);
    await deleteUnusedSets(database.service.db);
    expect(await sets()).toStrictEqual([`,${one},${two},`]);
  });

  test('are not deleted under a writer that needs one', async () => {
    const [one = 0] = tags;
    await setOwn(database.db, accountId, [{ prospectId: first(), addLabels: [one] }]);
    await setOwn(database.db, accountId, [{ prospectId: first(), removeLabels: [one] }]);
    const writer = await database.pool.connect();
    try {
      await writer.query('BEGIN');
      await writer.query('SELECT FROM label_set WHERE account_id = $1 FOR KEY SHARE', [accountId]);
      await deleteUnusedSets(database.service.db);
    } finally {
      await writer.query('COMMIT');
      writer.release();
    }
    expect(await sets()).toStrictEqual([`,${one},`]);
    // A writer that waited for the deletion finds none, and makes a new one.
    await Promise.all([
      deleteUnusedSets(database.service.db),
      setOwn(database.db, accountId, [{ prospectId: first(), addLabels: [one] }]),
    ]);
    const used = await sql<{ members: string }>`
      SELECT members FROM prospect_own JOIN label_set ON label_set.id = label_set_id`.execute(database.db);
    expect(used.rows).toStrictEqual([{ members: `,${one},` }]);
  });
});
