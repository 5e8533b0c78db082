import { describe, expect, it } from 'vitest';
import { Refusal } from '../../platform/refusal.ts';
import { COLUMNS } from './columns.ts';
import { detectSeparator, readHeader } from './header.ts';

const fieldsOf = (cells: string[]) => {
  const header = readHeader(cells);
  return header instanceof Refusal ? header.code : header.columns.map(({ column, unit }) => column.field + unit);
};

describe('headings', () => {
  it('of every column: label, field name, further names', () => {
    for (const { field, label, also } of COLUMNS) {
      for (const heading of [label, field, ...also]) {
        const cells = field === 'company_name' ? [heading] : ['会社名', heading];
        expect(fieldsOf(cells), heading).toContain(field);
      }
    }
  });

  it('no heading names two columns', () => {
    const all = COLUMNS.flatMap(({ field, label, also }) => [field, label.toLowerCase(), ...also]);
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    ['bad-inputs 80: spaces and full width', [' 会 社 名 ', '　会社ＵＲＬ'], ['company_name', 'company_url']],
    [
      'units',
      ['会社名', '売上高（百万円）', '資本金［単位：千円］', '経常利益_億円', '従業員数（人）', '設立年(西暦)'],
      [
        'company_name',
        'amount_of_sales百万円',
        'capital千円',
        'ordinary_profit億円',
        'number_of_employees',
        'year_of_establishment',
      ],
    ],
    ['the field names of the API', ['Company_Name', 'contact_url'], ['company_name', 'contact_url']],
  ])('%s', (_, cells, expected) => {
    expect(fieldsOf(cells)).toEqual(expected);
  });

  it('unknown ones and unknown units are noted and ignored', () => {
    expect(readHeader(['会社名', 'メモ', '', '売上高(千ドル)'])).toMatchObject({
      ignored: ['メモ', '売上高(千ドル)'],
      width: 4,
    });
  });
});

describe('refused', () => {
  it('bad-inputs 77: no company name', () => {
    expect(fieldsOf(['住所', '業種'])).toBe('no_company_name_column');
  });

  it('bad-inputs 79: two columns of one meaning, with their places', () => {
    expect(readHeader(['会社名', '住所', '企業名'])).toMatchObject({
      code: 'duplicate_column',
      message: '「会社名」にあたる列が2つあります（1列目と3列目）。1つにしてください。',
    });
    expect(fieldsOf(['会社名', '住所', '住所'])).toBe('duplicate_column');
  });
});

it.each([
  ['会社名,住所\n', ','],
  ['会社名\t住所\n', '\t'],
  ['会社名;住所\n', ';'],
  ['"会社名";"売上高,今期";住所\n', ';'],
  ['会社名', ','],
  ['a;b;c', ','],
])('bad-inputs 76: the separator of %j', (head, expected) => {
  expect(detectSeparator(head)).toBe(expected);
});
