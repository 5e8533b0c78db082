import { Readable } from 'node:stream';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { type TestCell, workbookOf } from '#test/workbook.ts';
import { Problem } from '../../../../platform/problem.ts';
import { importProspects } from '../../merge/import.command.ts';

/* Lists as other programs write them, imported as a whole. */

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await emptyDatabase();
});
beforeEach(async () => {
  tenant = await addTenant(database.db);
});

/** Imports a file of one faultless list. @returns the companies that it added */
async function imported(file: string | Buffer, more = {}) {
  const answer = await importProspects(database, {
    accountId: tenant.accountId,
    file: Readable.from([Buffer.from(file)]),
    now: Date.parse('2026-11-20T00:00:00Z'),
  });
  if (answer instanceof Problem) throw new Error(answer.message);
  expect(answer).toMatchObject({ refused: 0, accepted: true, ...more });
  return database.db
    .selectFrom('prospect')
    .select(['company_name', 'ceo', 'address', 'capital', 'company_email', 'corporate_number'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
}

it('error values of a spreadsheet are read as blanks', async () => {
  const error = (value: string): TestCell => ({ xml: `<c t="e"><v>${value}</v></c>` });
  const rows = [
    ['会社名', '代表者', '住所', '資本金'],
    ['株式会社参照切れ', error('#REF!'), error('#N/A'), error('#DIV/0!')],
    ['株式会社＃ナンバー', '#1 太郎', '東京都港区1', 100],
  ];
  expect(await imported(workbookOf({ sheets: [{ rows }] }))).toMatchObject([
    { company_name: '株式会社参照切れ', ceo: null, address: null, capital: null },
    { company_name: '株式会社＃ナンバー', ceo: '#1 太郎', address: '東京都港区1', capital: 100 },
  ]);
});

it('words for no value are blanks, names that hold them are names', async () => {
  const rows = ['株式会社ナル,NULL,null', '株式会社記載,記載なし,（未登録）', '株式会社ヌル山,ヌル山 太郎,東京都'];
  expect(await imported(`会社名,代表者,住所\n${rows.join('\n')}\n`)).toMatchObject([
    { ceo: null, address: null },
    { ceo: null, address: null },
    { company_name: '株式会社ヌル山', ceo: 'ヌル山 太郎', address: '東京都' },
  ]);
});

it('="…" is its text, in cells and headings, also with a comma', async () => {
  const rows = ['株式会社等号,="5010401067252","=""山田 太郎"""', '="Acme, Ltd.",,=1+1'];
  expect(await imported(`="会社名",="法人番号",代表者\n${rows.join('\n')}\n`)).toMatchObject([
    { company_name: '株式会社等号', corporate_number: '5010401067252', ceo: '山田 太郎' },
    { company_name: 'Acme, Ltd.', corporate_number: null, ceo: '=1+1' },
  ]);
});

it('the foot of a report of Salesforce makes no companies, and is reported', async () => {
  const foot = ['', '', '"取引先レポート"', '"Copyright (c) 2000-2026 salesforce.com, inc. 無断転載禁止"'];
  const more = ['"機密情報 - 配布禁止"', '"作成者: 山田 太郎 2026/11/27 10:00"', '"Salesforce"'];
  const rows = ['"取引先名","メール"', '"株式会社雲","x@a05.example"', ...foot, ...more];
  expect(await imported(rows.join('\r\n'), { rowsRead: 6, closed: 5 })).toMatchObject([{ company_name: '株式会社雲' }]);
});

it('totals are no companies, but names that contain such words are', async () => {
  const lines = [
    '株式会社甲,100,',
    '小計,100,',
    '株式会社合計,5,',
    '合計商事,,',
    '合計,"1,200",△3',
    '総件数：3件,,',
    '全3社,,',
  ];
  const file = `会社名,資本金,従業員数\n${lines.join('\n')}\n`;
  const names = (await imported(file, { closed: 4 })).map(({ company_name }) => company_name);
  expect(names).toEqual(['株式会社甲', '株式会社合計', '合計商事']);
});

it('companies without further values under a blank line stay, in their order', async () => {
  const file = '会社名,代表者\n甲,一\n\n株式会社乙,\n株式会社丙,\n\n丁,二\n\n件数管理株式会社,\n';
  const names = (await imported(file, { closed: 0 })).map(({ company_name }) => company_name);
  expect(names).toEqual(['甲', '株式会社乙', '株式会社丙', '丁', '件数管理株式会社']);
});

it('one address in other dashes is one company', async () => {
  const rows = ['芝1-2-3', '芝1‐2‐3', '芝1ー2ー3', '芝1–2–3'].map((address) => `株式会社横棒,${address}`);
  const file = `会社名,住所\n${rows.join('\n')}\n株式会社スーパー,港区スーパー通り1\n`;
  expect(await imported(file, { duplicates: 3 })).toMatchObject([
    { company_name: '株式会社横棒', address: '芝1-2-3' },
    { company_name: '株式会社スーパー', address: '港区スーパー通り1' },
  ]);
});
