import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { Problem } from '../../../platform/problem.ts';
import { importProspects } from './import.command.ts';

/** The identity of companies with and without corporate numbers, over several imports and batches. */

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await emptyDatabase();
});
beforeEach(async () => {
  tenant = await addTenant(database.db);
});

const [N1, N2, N3] = ['7000012050002', '8000012010038', '1180301018771'] as const;

/** Imports rows of `number,name,address,ceo`. */
async function importRows(...rows: string[]) {
  const file = Readable.from(['法人番号,会社名,住所,代表者\n', ...rows.map((row) => `${row}\n`)]);
  const answer = await importProspects(database, { accountId: tenant.accountId, file });
  if (answer instanceof Problem) throw new Error(answer.message);
  return answer;
}

/** The companies as `number,name,address,ceo`, by id. */
async function companies(): Promise<string[]> {
  const rows = await database.db
    .selectFrom('prospect')
    .select(['corporate_number', 'company_name', 'address', 'ceo'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  return rows.map((row) => [row.corporate_number, row.company_name, row.address, row.ceo].join());
}

describe('a row with a number', () => {
  it('is the company with that number, which it renames and moves', async () => {
    await importRows(`${N1},甲,東京,山田`);
    expect(await importRows(`${N1},新甲,大阪,`)).toMatchObject({ added: 0, updated: 1 });
    expect(await companies()).toStrictEqual([`${N1},新甲,大阪,山田`]);
    expect(await importRows(',新甲,大阪,鈴木', ',甲,東京,佐藤')).toMatchObject({ added: 1, updated: 1 });
    expect(await companies()).toStrictEqual([`${N1},新甲,大阪,鈴木`, ',甲,東京,佐藤']);
  });

  it('gives its number to the company of that name and address that has none', async () => {
    await importRows(',株式会社甲,東京,山田');
    expect(await importRows(`${N1},(株)甲,東京,`)).toMatchObject({ added: 0, updated: 1 });
    expect(await companies()).toStrictEqual([`${N1},(株)甲,東京,山田`]);
    expect(await importRows(`${N1},(株)甲,東京,`)).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  });

  it('is another company than the one of that name and address with another number', async () => {
    await importRows(`${N1},甲,東京,`);
    expect(await importRows(`${N2},甲,東京,`, `${N3},甲,東京,`)).toMatchObject({ added: 2, updated: 0 });
    expect(await importRows(`${N3},甲,東京,`, `${N1},甲,東京,`)).toMatchObject({ added: 0, unchanged: 2 });
    expect(await importRows(',甲,東京,山田')).toMatchObject({ added: 0, updated: 1 });
    expect(new Set(await companies())).toStrictEqual(
      new Set([`${N1},甲,東京,山田`, `${N2},甲,東京,`, `${N3},甲,東京,`]),
    );
  });

  it('renames a company to what another one is called', async () => {
    await importRows(`${N1},甲,東京,`, `${N2},乙,東京,`, ',丙,東京,');
    expect(await importRows(`${N1},乙,東京,`, `${N2},丙,東京,`)).toMatchObject({ added: 0, updated: 2 });
    expect(await companies()).toStrictEqual([`${N1},乙,東京,`, `${N2},丙,東京,`, ',丙,東京,']);
    expect(await importRows(`${N1},乙,東京,`, `${N2},丙,東京,`)).toMatchObject({ added: 0, unchanged: 2 });
  });

  it('without an address keeps the address that is known', async () => {
    await importRows(`${N1},甲,東京,`);
    expect(await importRows(`${N1},新甲,,`)).toMatchObject({ updated: 1 });
    expect(await importRows(',新甲,東京,山田')).toMatchObject({ added: 0, updated: 1 });
  });
});

describe('in one file', () => {
  it('a number in two rows is one company', async () => {
    const answer = await importRows(`${N1},甲,東京,`, `${N1},乙,大阪,`);
    expect(answer).toMatchObject({ added: 1, duplicates: 1, report: [{ row: 3, firstRow: 2, value: '乙' }] });
    expect(await companies()).toStrictEqual([`${N1},甲,東京,`]);
  });

  it('a later row adds its number to the first', async () => {
    const file = [',甲,東京,山田', `${N1},甲,東京,`, `${N2},甲,東京,`, ',甲,東京,'];
    expect(await importRows(...file)).toMatchObject({ added: 2, duplicates: 2 });
    expect(await companies()).toStrictEqual([`${N1},甲,東京,山田`, `${N2},甲,東京,`]);
    expect(await importRows(...file)).toMatchObject({ added: 0, updated: 0, unchanged: 2, duplicates: 2 });
  });

  it('a number counts before a name: the row without one is another company then', async () => {
    await importRows(`${N1},甲,東京,`);
    const file = [',甲,東京,山田', `${N1},乙,大阪,鈴木`];
    expect(await importRows(...file)).toMatchObject({ added: 1, updated: 1 });
    expect(await companies()).toStrictEqual([`${N1},乙,大阪,鈴木`, ',甲,東京,山田']);
    expect(await importRows(...file)).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
  });

  it('two rows that name one company of the list, by number and by its new name, are one', async () => {
    await importRows(`${N1},甲,東京,`);
    const file = [`${N1},乙,,鈴木`, ',乙,東京,山田'];
    expect(await importRows(...file)).toMatchObject({ added: 0, updated: 1, duplicates: 1 });
    expect(await companies()).toStrictEqual([`${N1},乙,東京,鈴木`]);
  });

  it('rows far apart are compared as neighbours are', async () => {
    const filler = Array.from({ length: 9000 }, (_, at) => `,会社${at},東京,`);
    const file = [',甲,東京,山田', `${N3},丁,東京,`, ...filler, `${N1},甲,東京,鈴木`, `${N3},戊,大阪,`, ',会社5,東京,'];
    const answer = await importRows(...file);
    expect(answer).toMatchObject({ added: 9002, duplicates: 3, updated: 0 });
    expect(answer.report.map(({ row, firstRow }) => [row, firstRow])).toStrictEqual([
      [9004, 2],
      [9005, 3],
      [9006, 9],
    ]);
    expect((await companies()).slice(0, 2)).toStrictEqual([`${N1},甲,東京,山田`, `${N3},丁,東京,`]);
    expect(await importRows(...file)).toMatchObject({ added: 0, updated: 0, unchanged: 9002, duplicates: 3 });
  });
});

it('two imports of one company at once, with a number and without, add it once', async () => {
  const numbered = importRows(`${N1},甲,東京,`);
  const plain = importRows(',甲,東京,');
  const added = (await Promise.all([numbered, plain])).map((answer) => answer.added);
  expect(added.toSorted((a, b) => a - b)).toStrictEqual([0, 1]);
  expect(await companies()).toStrictEqual([`${N1},甲,東京,`]);
});

it('the database refuses a second company with one number, in one account alone', async () => {
  const insert = (accountId: number, key: string, number: string) =>
    database.pool.query(
      'INSERT INTO prospect (account_id, identity_key, company_name, corporate_number) VALUES ($1, $2, $2, $3)',
      [accountId, key, number],
    );
  await insert(tenant.accountId, 'a', N1);
  await insert((await addTenant(database.db)).accountId, 'a', N1);
  await expect(insert(tenant.accountId, 'b', N1)).rejects.toThrow(/prospect_corporate_number_key/);
  await expect(insert(tenant.accountId, 'c', '123')).rejects.toThrow(/check constraint/);
});
