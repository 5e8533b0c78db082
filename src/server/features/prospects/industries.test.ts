import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_INDUSTRY_VALUES, MAX_OFFERED_INDUSTRIES } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

type Column = 'major_industry_type' | 'included_industry_type';
type Industries = readonly { readonly term: string; readonly companies: number }[];

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

async function start(): Promise<void> {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
}

const add = (values: readonly (string | null)[], column: Column = 'major_industry_type') =>
  addProspects(
    database.db,
    tenant.accountId,
    values.map((value) => ({ [column]: value })),
  );

async function industries(column: Column = 'major_industry_type', as = client): Promise<Industries> {
  const { body } = await as.get(`/prospect/industries?column=${column}`);
  expect(body).toMatchObject({ too_many: 0 });
  return (body as { industries: Industries }).industries;
}

/** Counts the companies that the list finds by a filter. */
async function found(column: Column, term: string): Promise<number> {
  const query = new URLSearchParams({ sender_group_id: String(tenant.senderGroupId), [column]: term });
  return ((await client.get(`/prospect/view?${query}`)).body as { total: number }).total;
}

const named = (list: Industries) => Object.fromEntries(list.map(({ term, companies }) => [term, companies]));

describe('the industries of a list', () => {
  beforeEach(start);

  test('a term has the companies of all values that contain it, each once, the largest first', async () => {
    await add(['製造業', '製造業', '製造', '製造業、精密製造業', '小売', null]);
    expect(await industries()).toStrictEqual([
      { term: '製造', companies: 4 },
      { term: '製造業', companies: 3 },
      { term: '小売', companies: 1 },
      { term: '精密製造業', companies: 1 },
    ]);
    expect(await industries('included_industry_type')).toStrictEqual([]);
  });

  test('archived companies, and those of other accounts, are not counted', async () => {
    const [, archived] = await add(['製造業', '製造業', '小売']);
    await database.db
      .updateTable('prospect')
      .set({ archived_at: new Date() })
      .where('id', '=', archived ?? 0)
      .execute();
    const stranger = await addTenant(database.db);
    await addProspects(database.db, stranger.accountId, [{ major_industry_type: '他人の業種' }]);
    expect(named(await industries())).toStrictEqual({ 製造業: 1, 小売: 1 });
    const asStranger = await clientOf(database, stranger.accountId);
    expect(named(await industries('major_industry_type', asStranger))).toStrictEqual({ 他人の業種: 1 });
  });

  test('a term is spelled as the companies write it most often, in characters of one width', async () => {
    for (const [value, ceo] of [
      ['ＩＴ、ｿﾌﾄ', 'a'],
      ['IT、ソフト', 'b'],
      ['it', 'c'],
      ['it', 'd'],
      ['it', 'e'],
    ] as const) {
      const { status } = await client.post('/prospect', {
        add_info: { company_name: `会社${ceo}`, major_industry_type: value },
      });
      expect(status).toBe(200);
    }
    expect(await industries()).toStrictEqual([
      { term: 'it', companies: 5 },
      { term: 'ソフト', companies: 2 },
    ]);
  });

  test('bad-inputs: separators of all kinds, blanks and empty parts make no term', async () => {
    await add(['、、', '', ' ', '製造 、 小売', '、建設、', '運輸,倉庫', '飲食，宿泊', '医療､福祉', '、 ,，､']);
    const terms = ['製造', '小売', '建設', '運輸', '倉庫', '飲食', '宿泊', '医療', '福祉'];
    expect(named(await industries())).toStrictEqual(Object.fromEntries(terms.map((term) => [term, 1])));
  });

  test('bad-inputs: an industry of 200 characters is one term, and found by it', async () => {
    const long = '長い業種の名前'.repeat(29).slice(0, 200);
    await add([long, `${long}と別の業種`, `${long}、小売`]);
    expect(await industries()).toContainEqual({ term: long, companies: 3 });
    expect(await found('major_industry_type', long)).toBe(3);
  });

  test('characters with a meaning in patterns are plain', async () => {
    await add(['100%', '100', 'a_b', 'axb', 'a\\b', '%']);
    const list = await industries();
    expect(named(list)).toStrictEqual({ '100': 2, '%': 2, '100%': 1, a_b: 1, axb: 1, 'a\\b': 1 });
    for (const { term, companies } of list) expect(await found('major_industry_type', term)).toBe(companies);
  });

  test(`at most ${MAX_OFFERED_INDUSTRIES} are offered: the largest`, async () => {
    const values = Array.from({ length: MAX_OFFERED_INDUSTRIES + 20 }, (_, n) => `業種${1000 + n}`);
    await add([...values, ...values.slice(20)]);
    const list = await industries();
    expect(list.map(({ term }) => term)).toStrictEqual(values.slice(20));
    expect(new Set(list.map(({ companies }) => companies))).toStrictEqual(new Set([2]));
  });

  test(`bad-inputs: ${MAX_INDUSTRY_VALUES + 1} values are too many, one fewer is not`, async () => {
    await add(Array.from({ length: MAX_INDUSTRY_VALUES }, (_, n) => `業種、番号${n}`));
    expect((await industries())[0]).toStrictEqual({ term: '業種', companies: MAX_INDUSTRY_VALUES });
    await add(['もう一つの業種']);
    expect((await client.get('/prospect/industries?column=major_industry_type')).body).toStrictEqual({
      too_many: 1,
      industries: [],
    });
  });

  test('bad-inputs: long texts of many lengths are too many too, without being compared', async () => {
    await add(Array.from({ length: 600 }, (_, n) => `${n}${'あ'.repeat(n + 100)}`));
    expect((await client.get('/prospect/industries?column=major_industry_type')).body).toMatchObject({ too_many: 1 });
  });

  test.each([
    '',
    '?column=address',
    '?column=',
    '?column=major_industry_type&column=address',
    '?column=major_industry_type&a=1',
  ])('a query of 「%s」 is refused', async (query) =>
    expect((await client.get(`/prospect/industries${query}`)).status).toBe(400),
  );
});

const part = fc.string({
  unit: fc.constantFrom('業', '製', '造', 'A', 'ａ', 'ｶ', 'ガ', '%', '_', '\\', ' '),
  maxLength: 4,
});
const value = fc
  .array(part, { maxLength: 3 })
  .chain((parts) => fc.constantFrom('、', ',', '，', ' 、 ', '、、', '\t').map((separator) => parts.join(separator)));

describe('every number of the list', () => {
  beforeAll(start);

  test('is what the filter finds by the term', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(value), { minLength: 1, maxLength: 12 }), async (values) => {
        await sql`DELETE FROM prospect`.execute(database.db);
        for (const column of ['major_industry_type', 'included_industry_type'] as const) {
          await add(values, column);
          const list = await industries(column);
          expect(list.length > 0).toBe(values.some((text) => (text ?? '').replaceAll(/[、,，\s]/g, '') !== ''));
          for (const { term, companies } of list)
            expect([term, await found(column, term)]).toStrictEqual([term, companies]);
        }
      }),
      { numRuns: 30 },
    );
  });
});
