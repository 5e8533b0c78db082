import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../platform/problem.ts';
import { readHeader } from '../table/header.ts';
import { checkRow } from './check-row.ts';

/** Returns the telephone number of a row, and what is reported. */
function phoneOf(row: Readonly<Record<string, string>>) {
  const header = readHeader(['会社名', ...Object.keys(row)]);
  if (header instanceof Problem) throw new Error(header.message);
  const record = { cells: ['株式会社甲', ...Object.values(row)], row: 2, badQuote: false, open: false };
  const checked = checkRow(record, header, { latestYear: 2027 });
  if ('reason' in checked) throw new Error(checked.reason);
  return [checked.values.phone, ...checked.notes.map(({ kind }) => kind)];
}

describe('a telephone number of nine digits', () => {
  test.each([
    {},
    { 住所: '東京都港区1-1' },
    { 住所: '港区赤坂1-1' },
    { 住所: '1-1-1 Marunouchi, Chiyoda-ku, Tokyo' },
    { 国: '日本', 国名: 'JP' },
    { 国: '' },
    { 全国対応: '○', 全国: '○', 四国: '1' },
    { 代表メール: 'info+1@a.example' },
    { 備考2: 'A+1、+α' },
    { 都道府県: '東京都', 住所: '千代田区9' },
  ])('gets its 0 back beside %j', (row) => {
    expect(phoneOf({ 電話番号: '312345678', ...row })).toStrictEqual(['0312345678', 'cut_phone']);
  });

  test.each([
    { 住所: '350 Fifth Avenue, New York, NY 10118' },
    { 住所: '台湾台北市信義区1' },
    { 都道府県: '上海市', 住所: '浦東新区1' },
    { 国: 'アメリカ' },
    { 国番号: '81' },
    { Country: 'US' },
    { 本社所在国: '台湾' },
    { '電話番号(国番号)': '886' },
    { '国/地域': '香港' },
    { BillingCountry: 'Korea' },
    { FAX: '+1 212 555 0100' },
    { FAX: '＋８１ ３ １２３４ ５６７８' },
    { 番号: '+81' },
  ])('stays as it is beside %j', (row) => {
    expect(phoneOf({ 電話番号: '312345678', ...row })).toStrictEqual(['312345678']);
  });

  test.each([
    ['３１２３４５６７８', '0312345678'],
    ['312,345,678', '0312345678'],
    ['312345678.00', '0312345678'],
    ['="312345678"', '0312345678'],
    ['312345678　', '0312345678'],
  ])('that Excel writes as %j gets it back too', (cell, phone) => {
    expect(phoneOf({ 電話番号: cell })).toStrictEqual([phone, 'cut_phone']);
  });

  test.each(['0312345678', '3-1234-5678', '312345678 内線12', '312345678、612345678', '12345678', '31234567890'])(
    'is not in %j',
    (cell) => {
      expect(phoneOf({ 電話番号: cell })).toStrictEqual([cell]);
    },
  );
});
