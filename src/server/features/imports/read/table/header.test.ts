import { describe, expect, it } from 'vitest';
import { foldHeading } from '#domain/text/fold-heading.ts';
import { Problem } from '../../../../platform/problem.ts';
import { detectSeparator } from '../find-header.ts';
import { proposeColumns } from './chosen-header.ts';
import { FILE_COLUMNS } from './columns.ts';
import { type Header, readHeader, withoutRemarks } from './header.ts';
import { NO_MAPPING, parseMapping } from './headings.ts';

const fieldsOf = (cells: string[]) => {
  const header = readHeader(cells);
  return header instanceof Problem ? header.code : header.columns.map(({ column, unit }) => column.field + unit);
};

describe('headings', () => {
  it('of every column: label, field name, further names', () => {
    for (const { field, label, also } of FILE_COLUMNS) {
      for (const heading of [label, field, ...also]) {
        const cells = field === 'company_name' ? [heading] : ['会社名', heading];
        expect(fieldsOf(cells), heading).toContain(field);
      }
    }
  });

  it('no heading names two columns', () => {
    const all = FILE_COLUMNS.flatMap(({ field, label, also }) => [field, label, ...also]).map(foldHeading);
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
    [
      'the marks of forms',
      [
        '会社名（必須）',
        '【必須】メールアドレス',
        '*代表者名',
        '住所※',
        '資本金（千円）（任意）',
        '必須：業種',
        '設立年 ※1',
        '従業員数＊',
      ],
      [
        'company_name',
        'company_email',
        'ceo',
        'address',
        'capital千円',
        'major_industry_type',
        'year_of_establishment',
        'number_of_employees',
      ],
    ],
    [
      'HubSpot',
      ['Company name', 'Website URL', 'Number of Employees', 'Annual Revenue', 'Industry', 'Email'],
      ['company_name', 'company_url', 'number_of_employees', 'amount_of_sales', 'major_industry_type', 'company_email'],
    ],
    [
      'Salesforce',
      ['取引先名', '年間売上', '都道府県(請求先)', '市区郡(請求先)', '町名・番地(請求先)', 'Web サイト', '従業員数'],
      ['company_name', 'amount_of_sales', 'company_url', 'number_of_employees', 'address'],
    ],
    ['the field names of the API', ['Company_Name', 'contact_url'], ['company_name', 'contact_url']],
  ])('%s', (_, cells, expected) => {
    expect(fieldsOf(cells)).toEqual(expected);
  });

  it('unknown ones and unknown units are noted and ignored', () => {
    expect(readHeader(['会社名', 'FAX', '', '売上高(千ドル)'])).toMatchObject({
      ignored: ['FAX', '売上高(千ドル)'],
      width: 4,
    });
  });
});

describe('telephone numbers and remarks', () => {
  it('may have several columns, of which the first counts', () => {
    const header = readHeader(['会社名', '代表電話（必須）', 'TEL', 'メモ', 'コメント']) as Header;
    expect(header.columns.map(({ column, index }) => [column.field, index])).toEqual([
      ['company_name', 0],
      ['phone', 1],
      ['remarks', 3],
    ]);
    expect(header.ignored).toEqual(['TEL', 'コメント']);
  });

  it.each([
    [['担当メモ'], 0],
    [['営業メモ', '担当メモ'], 0],
    [['担当メモ', '備考'], 1],
    [['備考', '担当メモ'], 0],
    [['メモ', '営業メモ', '【任意】備考 1', '備考'], 2],
    [['担当メモ', 'Memo', ' 備 考 '], 2],
    [['担当者', '担当', '営業'], -1],
  ])('of the columns %j number %i becomes the remarks, in a proposal and in an import', (headings, at) => {
    const heading = ['会社名', ...headings];
    const isRemarks = (one: { index: number }) => one.index === at + 1;
    const read = (readHeader(heading) as Header).columns.filter(({ column }) => column.field === 'remarks');
    const proposed = proposeColumns(heading).filter(({ field }) => field === 'remarks');
    for (const found of [read, proposed]) expect(found.map(isRemarks)).toEqual(at < 0 ? [] : [true]);
    expect((readHeader(heading) as Header).ignored).toHaveLength(headings.length - (at < 0 ? 0 : 1));
  });

  it('a column that a person mapped to another field is no column of remarks', () => {
    const header = readHeader(['備考', '担当メモ'], new Map([['company_name', ['備考']]])) as Header;
    expect(header.columns.map(({ column, index }) => [column.field, index])).toEqual([
      ['company_name', 0],
      ['remarks', 1],
    ]);
  });

  it('remarks that no group gets are an ignored column', () => {
    const header = withoutRemarks(readHeader(['会社名', 'TEL', '備考']) as Header);
    expect(header.columns.map(({ column }) => column.field)).toEqual(['company_name', 'phone']);
    expect(header.ignored).toEqual(['備考']);
  });
});

describe('real lists', () => {
  it('gBizINFO: the headings of its basic information', () => {
    const cells =
      '法人番号,法人名,法人名ふりがな,法人名英語,郵便番号,本社所在地,ステータス,登記記録の閉鎖等年月日,登記記録の閉鎖等の事由,' +
      '法人代表者名,法人代表者役職,資本金,従業員数,企業規模詳細(男性),企業規模詳細(女性),営業品目リスト,事業概要,企業ホームページ,' +
      '設立年月日,創業年,最終更新日,資格等級';
    expect(fieldsOf(cells.split(','))).toEqual([
      'corporate_number',
      'company_name',
      'address',
      'ceo',
      'capital',
      'number_of_employees',
      'company_url',
      'year_of_establishment',
    ]);
    expect(readHeader(cells.split(','))).toMatchObject({ closedAt: 7 });
  });

  it.each([
    [
      ['会社名', '住所1', '住所2', '住所3'],
      ['address', 'rest', 'rest'],
      [1, 2, 3],
    ],
    [
      ['都道府県', '市区町村', '番地', '建物名', '会社名'],
      ['prefecture', 'city', 'rest', 'building'],
      [0, 1, 2, 3],
    ],
    [
      ['会社名', '都道府県', '住所'],
      ['address', 'prefecture'],
      [2, 1],
    ],
    [['会社名', '都道府県'], ['prefecture'], [1]],
  ])('bad-inputs 229: the address of %j', (cells, parts, indexes) => {
    const header = readHeader(cells);
    const address = header instanceof Problem ? undefined : header.columns.find(({ parts: joined }) => joined);
    expect(address?.parts).toEqual(parts.map((part, at) => ({ part, index: indexes[at] })));
  });
});

describe('a mapping', () => {
  const read = (cells: string[], ...pairs: string[]) => {
    const mapping = parseMapping(pairs);
    const header = mapping instanceof Problem ? mapping : readHeader(cells, mapping);
    if (header instanceof Problem) return header.message;
    return header.columns.map(({ column, index, unit }) => `${column.field} ${index}${unit}`);
  };

  it('takes the heading that it names, and no other for that field', () => {
    expect(read(['企業', '会社名', '住所'], '会社名=企業')).toEqual(['company_name 0', 'address 2']);
    expect(read(['名', 'うりあげ(百万円)'], '会社名=名', '売上高=うりあげ（百万円）')).toEqual([
      'company_name 0',
      'amount_of_sales 1百万円',
    ]);
    expect(read(['名', 'a=b'], 'company_name=名', '代表者=a=b')).toEqual(['company_name 0', 'ceo 1']);
  });

  it('bad-inputs 227: chooses between two columns for one field', () => {
    expect(read(['会社名', '住所', '本社住所'])).toContain('2つあります');
    expect(read(['会社名', '住所', '本社住所'], '住所=本社住所')).toEqual(['address 2', 'company_name 0']);
  });

  it('joins several headings of the address in the order given', () => {
    const mapping = parseMapping(['住所=県', '住所=その他']);
    const header = mapping instanceof Problem ? mapping : readHeader(['会社名', 'その他', '県'], mapping);
    expect(header).toMatchObject({ columns: [{ parts: [{ index: 2 }, { index: 1 }] }, { index: 0 }] });
    expect(read(['会社名', '長', '長2'], '代表者=長', '代表者=長2')).toContain('「代表者」にあたる列が2つあります');
  });

  it('bad-inputs 228: names the field or the heading that is not there', () => {
    expect(read(['名'], '名前=名')).toBe('「名前」という項目はありません。');
    expect(read(['名'], '会社名=社')).toBe('対応させた見出し「社」がファイルにありません。');
    expect(read(['名', '会社名'], '会社名=')).toBe('対応させた見出し「」がファイルにありません。');
  });
});

describe('refused', () => {
  it('bad-inputs 77, 228: no company name', () => {
    expect(fieldsOf(['住所', '業種'])).toBe('no_company_name_column');
  });

  it('bad-inputs 79, 227: two columns of one meaning, with their places', () => {
    expect(readHeader(['会社名', '住所', '企業名'])).toMatchObject({
      code: 'duplicate_column',
      message: '「会社名」にあたる列が2つあります（1列目と3列目）。1つにしてください。',
    });
    expect(fieldsOf(['会社名', '住所', '住所'])).toBe('duplicate_column');
    expect(fieldsOf(['会社名', '住所', '住所1'])).toBe('duplicate_column');
    expect(fieldsOf(['会社名', '都道府県', '県名'])).toBe('duplicate_column');
  });
});

it.each([
  ['会社名,住所\n', ','],
  ['会社名\t住所\n', '\t'],
  ['会社名;住所\n', ';'],
  ['"会社名";"売上高,今期";住所\n', ';'],
  ['会社名', ','],
  ['a;b;c', ','],
  ['会社リスト;2026年\n\n会社名;住所\n', ';'],
  ['氏名\t都道府県\t番地\n', '\t'],
])('bad-inputs 76: the separator of %j', (head, expected) => {
  expect(detectSeparator(head, NO_MAPPING)).toBe(expected);
});
