import { Readable } from 'node:stream';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { type TestCell, workbookOf } from '#test/workbook.ts';
import { Refusal } from '../../platform/refusal.ts';
import { importProspects } from './import.command.ts';

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
async function imported(file: string | Buffer) {
  const answer = await importProspects(database, {
    accountId: tenant.accountId,
    file: Readable.from([Buffer.from(file)]),
    now: Date.parse('2026-11-20T00:00:00Z'),
  });
  if (answer instanceof Refusal) throw new Error(answer.message);
  expect(answer).toMatchObject({ refused: 0, accepted: true });
  return database.db
    .selectFrom('prospect')
    .select(['company_name', 'ceo', 'address', 'capital', 'company_email', 'corporate_number'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
}

it('errors of a spreadsheet are blanks', async () => {
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
