import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../platform/problem.ts';
import { shownValue } from '../faults.ts';
import { type Header, readHeader } from '../table/header.ts';
import { checkRow } from './check-row.ts';

function headerOf(...headings: string[]): Header {
  const header = readHeader(headings);
  if (header instanceof Problem) throw new Error(header.message);
  return header;
}

const check = (headings: string[], cells: string[]) =>
  checkRow({ cells, row: 2, badQuote: false, open: false }, headerOf(...headings), { latestYear: 2027 });

/** The value of one cell beside a good company name, or the fault. */
function cell(heading: string, text: string) {
  const row = check(['会社名', heading], ['株式会社甲', text]);
  if ('reason' in row) return row;
  const [note] = row.notes;
  return note ?? Object.values(row.values).find((value) => value !== null && value !== '株式会社甲');
}

describe('a good row', () => {
  it('has its values and what is derived from them', () => {
    const headings = [
      '会社名',
      '代表メール',
      '代表者',
      '業種',
      '住所',
      '売上高（百万円）',
      '従業員数',
      '設立年',
      '会社URL',
    ];
    const cells = [
      '㈱髙﨑',
      'Info＠Example.co.jp',
      ' 山田　太郎 ',
      '製造業、IT',
      '東京都千代田区１－１',
      '1,234',
      '50名',
      'H3',
      'takasaki.example',
    ];
    expect(check(headings, cells)).toEqual({
      row: 2,
      notes: [],
      remarks: null,
      identityKey: '株式会社髙﨑\n東京都千代田区1-1',
      addressSearch: '東京都千代田区1-1',
      emailSearch: 'info@example.co.jp',
      values: {
        corporate_number: null,
        company_name: '㈱髙﨑',
        company_email: 'Info@example.co.jp',
        ceo: '山田　太郎',
        major_industry_type: '製造業、IT',
        included_industry_type: null,
        address: '東京都千代田区１－１',
        number_of_employees: 50,
        amount_of_sales: 1_234_000_000,
        ordinary_profit: null,
        capital: null,
        year_of_establishment: 1991,
        company_url: 'https://takasaki.example',
        contact_url: null,
        phone: null,
        published_at_url: null,
        published_seen_on: null,
        publication_notice: null,
      },
    });
  });

  it('bad-inputs 83: shorter than the header ends in blanks, longer by blanks is let through', () => {
    expect(check(['会社名', '住所'], ['甲'])).toMatchObject({ values: { address: null } });
    expect(check(['会社名', '住所'], ['甲', '東京都', '', ' '])).toMatchObject({ values: { address: '東京都' } });
  });
});

describe('cells', () => {
  it.each([
    ['住所', '=HYPERLINK("http://x.example")', '=HYPERLINK("http://x.example")'],
    ['住所', '@SUM(A1)', '@SUM(A1)'],
    ['住所', '＝1+1', '＝1+1'],
    ['代表メール', '<a@x.jp>', 'a@x.jp'],
    ['代表メール', 'mailto:a@x.jp', 'a@x.jp'],
    ['代表メール', 'a@x.jp。', 'a@x.jp'],
    ['代表メール', 'なし', undefined],
    ['売上高', '△500', -500],
    ['売上高', '-', undefined],
    ['売上高', '非公開', undefined],
    ['売上高', '1億2千万', 120_000_000],
    ['従業員数', '１２３４', 1234],
    ['設立年', '1991/4', 1991],
    ['会社URL', '-', undefined],
    ['電話番号', '０３－１２３４－５６７８（代表）', '03-1234-5678(代表)'],
    ['電話番号', '非公開', undefined],
  ])('%s %j is %j', (heading, text, expected) => {
    expect(cell(heading, text)).toBe(expected);
  });

  it.each([
    ['代表者', 'a\u0000b', '使えない文字'],
    ['代表者', 'あ'.repeat(101), '上限100文字'],
    ['代表メール', 'a@x.jp;b@x.jp', '形が正しくありません'],
    ['代表メール', 'info', '@がありません'],
    ['法人番号', '000012050002', '13桁'],
    ['法人番号', '6000012050002', '検査用数字'],
    ['法人番号', '7.00001E+12', '下の桁が失われて'],
    ['電話番号', '0'.repeat(101), '上限100文字'],
    ['備考', 'あ'.repeat(1001), '上限1000文字'],
    ['備考', 'a\u0000b', '使えない文字'],
  ])('bad-inputs 89, 230: %s %j refuses the row', (heading, text, reason) => {
    expect(cell(heading, text)).toEqual({
      kind: 'refused',
      column: heading,
      value: shownValue(text),
      reason: expect.stringContaining(reason),
    });
  });

  it.each([
    ['業種', 'あ'.repeat(801), '上限800文字'],
    ['業種', 'ﷺ'.repeat(45), '上限800文字'],
    ['内部業種', 'あ、'.repeat(501), '上限800文字'],
    ['電話番号', '直通', '電話番号'],
    ['電話番号', '3.12346E+08', '下の桁が失われて'],
    ['売上高', '1e5', '金額'],
    ['売上高', '+1', '金額'],
    ['売上高', '1\u00002', '使えない文字'],
    ['資本金', '100000000000000000000', '金額'],
    ['従業員数', '-5', '人数'],
    ['設立年', '0', '1000年から2027年まで'],
    ['設立年', '3000', '1000年から2027年まで'],
    ['会社URL', 'javascript:alert(1)', 'URL'],
    ['問い合わせURL', '//x', 'URL'],
    ['問い合わせURL', `https://x.jp/${'あ'.repeat(700)}`, 'URL'],
  ])('bad-inputs 231: %s %j is left blank and reported', (heading, text, reason) => {
    expect(cell(heading, text)).toEqual({
      kind: 'blanked',
      column: heading,
      value: shownValue(text),
      reason: expect.stringContaining(reason),
    });
  });

  it('joins the parts of an address', () => {
    expect(check(['会社名', '住所2', '住所1'], ['甲', '5F', '港区1-1'])).toMatchObject({
      identityKey: '甲\n港区1-1 5f',
      values: { address: '港区1-1 5F' },
    });
  });

  it('reads a corporate number of any form', () => {
    expect(cell('法人番号', '７－００００－１２０５－０００２')).toBe('7000012050002');
    expect(cell('法人番号', '-')).toBeUndefined();
  });
});

it.each([
  ['2020-03-31', { kind: 'closed', value: '2020-03-31', reason: '閉鎖された会社の行です。' }],
  ['-', { values: { company_name: '甲' } }],
])('a company that is closed on %j', (day, expected) => {
  expect(check(['会社名', '登記記録の閉鎖等年月日'], ['甲', day])).toMatchObject(expected);
});

describe('remarks', () => {
  it.each([
    ['keep their lines and tabs', '展示会\r\n\t名刺交換\u2028済み', '展示会\n\t名刺交換\n済み'],
    ['may begin as a formula', '-要フォロー', '-要フォロー'],
    ['are blank where they say nothing', '－', null],
  ])('%s', (_, text, remarks) => {
    expect(check(['会社名', '備考'], ['甲', text])).toMatchObject({ remarks });
  });
});

describe('rows refused as a whole', () => {
  it.each([
    [
      'no name',
      ['会社名', '住所'],
      [' ', '東京都'],
      { kind: 'refused', column: '会社名', value: '', reason: '会社名が空です。' },
    ],
    [
      'more cells than headings',
      ['会社名'],
      ['甲', '乙'],
      { kind: 'refused', column: '', value: '乙', reason: expect.stringContaining('見出しの1列より') },
    ],
    [
      'a key that no index holds',
      ['会社名', '住所'],
      ['ﷺ'.repeat(200), '甲'],
      { kind: 'refused', column: '', value: `${'ﷺ'.repeat(60)}…`, reason: '会社名と住所が長すぎます。' },
    ],
  ])('%s', (_, headings, cells, fault) => {
    expect(check(headings, cells)).toEqual(fault);
  });

  it('bad-inputs 93: a last row that the end of the file cuts', () => {
    const record = { cells: ['甲'], row: 2, badQuote: false, open: true };
    expect(checkRow(record, headerOf('会社名', '住所'), { latestYear: 2027 })).toMatchObject({
      reason: expect.stringContaining('途中で切れていないか'),
    });
    expect(checkRow(record, headerOf('会社名'), { latestYear: 2027 })).toMatchObject({
      values: { company_name: '甲' },
    });
  });

  it('text behind a closing quote', () => {
    const record = { cells: ['甲乙'], row: 2, badQuote: true, open: false };
    expect(checkRow(record, headerOf('会社名'), { latestYear: 2027 })).toMatchObject({
      column: '',
    });
  });
});
