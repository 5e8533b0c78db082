import { describe, expect, it } from 'vitest';
import { parseCount } from '../../../cells/list-number.ts';
import { proposeColumns } from './chosen-header.ts';
import { claimColumns, memberHeading } from './extra-headings.ts';
import { matchHeading } from './headings.ts';
import { guessType, isUnwanted, offerField } from './own-offer.ts';

const fieldsOf = (heading: string): Record<string, string> =>
  Object.fromEntries(
    proposeColumns(heading.split(',')).map(({ index, field }) => [heading.split(',')[index] ?? '', field]),
  );

describe('heading rows of other programs are mapped without a touch', () => {
  it.each([
    [
      'Eight',
      "会社名,部署名,役職,姓,名,e-mail,郵便番号,住所,TEL会社,TEL部門,TEL直通,Fax,携帯電話,URL,名刺交換日,Eightでつながっている人,再データ化中の名刺,'?'を含んだデータ",
      {
        会社名: 'company_name',
        部署名: 'person_department',
        役職: 'person_title',
        姓: 'person_last_name',
        名: 'person_first_name',
        'e-mail': 'person_email',
        住所: 'address',
        TEL会社: 'phone',
        携帯電話: 'person_phone',
        URL: 'company_url',
        名刺交換日: 'person_met_on',
      },
    ],
    [
      'Sansan',
      '名刺交換日,名刺所有者,会社名,部署,役職,姓,名,姓カナ,名カナ,TEL1,携帯番号,FAX,email1,URL,郵便番号,住所,タグ,メモ,名刺ID',
      {
        名刺交換日: 'person_met_on',
        会社名: 'company_name',
        部署: 'person_department',
        役職: 'person_title',
        姓: 'person_last_name',
        名: 'person_first_name',
        TEL1: 'phone',
        携帯番号: 'person_phone',
        email1: 'person_email',
        URL: 'company_url',
        住所: 'address',
        タグ: 'tags',
        メモ: 'remarks',
      },
    ],
    [
      'HubSpot, in English',
      'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Company name,Job Title',
      {
        'First Name': 'person_first_name',
        'Last Name': 'person_last_name',
        Email: 'person_email',
        'Phone Number': 'phone',
        'Mobile Phone Number': 'person_phone',
        'Company name': 'company_name',
        'Job Title': 'person_title',
      },
    ],
    [
      'HubSpot, in Japanese',
      'レコードID,名,姓,Eメール,電話番号,コンタクト担当者,会社名,役職',
      {
        名: 'person_first_name',
        姓: 'person_last_name',
        Eメール: 'person_email',
        電話番号: 'phone',
        会社名: 'company_name',
        役職: 'person_title',
      },
    ],
    [
      'a contact report of Salesforce',
      '姓,名,役職,取引先名,電話,携帯,メール,部署,取引先 所有者',
      {
        姓: 'person_last_name',
        名: 'person_first_name',
        役職: 'person_title',
        取引先名: 'company_name',
        電話: 'phone',
        携帯: 'person_phone',
        メール: 'person_email',
        部署: 'person_department',
      },
    ],
    [
      'Salesforce by its names',
      'AccountId,Account Name,LastName,FirstName,Title,Department,Email,MobilePhone',
      {
        AccountId: 'external_id',
        'Account Name': 'company_name',
        LastName: 'person_last_name',
        FirstName: 'person_first_name',
        Title: 'person_title',
        Department: 'person_department',
        Email: 'person_email',
        MobilePhone: 'person_phone',
      },
    ],
    [
      'kintone, its customer list',
      'レコード番号,会社名,部署名,担当者名,郵便番号,TEL,FAX,住所,メールアドレス,備考,更新者,更新日時',
      {
        会社名: 'company_name',
        部署名: 'person_department',
        担当者名: 'person_name',
        TEL: 'phone',
        住所: 'address',
        メールアドレス: 'person_email',
        備考: 'remarks',
      },
    ],
  ])('%s', (_, heading, fields) => {
    expect(fieldsOf(heading)).toStrictEqual(fields);
  });

  it.each([
    [
      '会社名,代表メール,氏名,メールアドレス',
      { 代表メール: 'company_email', 氏名: 'person_name', メールアドレス: 'person_email' },
    ],
    [
      '会社名,氏名,担当者メール,メールアドレス',
      { 氏名: 'person_name', 担当者メール: 'person_email', メールアドレス: 'company_email' },
    ],
    ['会社名,部署,メールアドレス', { 部署: 'person_department', メールアドレス: 'company_email' }],
    ['会社名,携帯,名刺交換日,メールアドレス', { メールアドレス: 'company_email' }],
    ['会社名,Title,Email', { Email: 'company_email' }],
    ['会社名,レコードID', { レコードID: 'external_id' }],
  ])('of %s', (heading, fields) => {
    expect(fieldsOf(heading)).toStrictEqual({ 会社名: 'company_name', ...fields });
  });

  it.each(['外部ID', '外部キー', 'external_id', 'accountid'])('%s names the company elsewhere', (heading) => {
    expect(fieldsOf(`会社名,${heading}`)).toStrictEqual({ 会社名: 'company_name', [heading]: 'external_id' });
  });

  it('several columns of tags', () => {
    expect(claimColumns(['タグ', 'ラベル'], () => true)).toStrictEqual([
      { index: 0, field: 'tags' },
      { index: 1, field: 'tags' },
    ]);
  });

  it.each([
    ['担当者', 'either'],
    ['名刺所有者', 'ours'],
    ['取引先 所有者', 'ours'],
    ['担当者名', null],
  ])('%s names our member: %s', (heading, kind) => {
    expect(memberHeading(heading)).toBe(kind);
  });
});

describe('a new field is guessed from the values of its column', () => {
  it.each([
    [['2026/10/15', 'R8.10.16', '2026年10月17日'], 'date'],
    [['20261015', '20261016'], 'date'],
    [['46310', '46311'], 'number'],
    [['1,200', '1.2億', '△5'], 'number'],
    [['012', '034'], 'text'],
    [['○', '×', '○'], 'flag'],
    [['はい', 'いいえ', 'はい'], 'flag'],
    [['TRUE', 'FALSE'], 'flag'],
    [['https://a.example/', 'www.b.example/x'], 'url'],
    [['A', 'B', 'A', 'B'], 'choice'],
    [['A', 'B', 'A'], 'text'],
    [['甲、乙', '甲、乙'], 'text'],
    [['2026/10/15', '未定です'], 'text'],
    [[], 'text'],
  ] as const)('%j: %s', (values, type) => {
    expect(guessType(values, 2027)).toBe(type);
  });

  it('with a key for usual names, and none for one of ours', () => {
    expect(offerField('展示会名', [], 2027)).toStrictEqual({ label: '展示会名', type: 'text', key: 'event' });
    expect(offerField('size', [], 2027)).toStrictEqual({ label: 'size', type: 'text' });
    for (const heading of ['有効', '最終送信日時', '予約日時', '自社担当'])
      expect(offerField(heading, [], 2027)).toBeNull();
    expect(offerField(' grade ', [], 2027)).toMatchObject({ label: 'grade', key: 'grade' });
    expect(offerField('導入、状況', [], 2027)).toStrictEqual({ label: '導入・状況', type: 'text' });
    // What is offered is taken: a heading that no name can be would end in a refused check.
    expect(offerField('\u200eランク\u200f', [], 2027)).toMatchObject({ label: 'ランク' });
    for (const heading of ['会社名', '氏名', '都道府県', 'タグ', '', 'a'.repeat(101), '{{x', '\u2800', '\u0301等級']) {
      expect(offerField(heading, [], 2027), heading).toBeNull();
    }
  });

  it.each([
    ['FAX', true],
    ['郵便番号', true],
    ['会社名フリガナ', true],
    ['更新日時', true],
    ['名刺ID', true],
    ['ランク', false],
    ['展示会名', false],
    ['契約日', false],
  ])('%s is chosen by nobody: %s', (heading, is) => {
    expect(isUnwanted(heading)).toBe(is);
  });
});

/** As long as a row may be. Before the patterns were bounded, each took half a minute or more. */
const LONG = 200_000;

it.each([
  ['headings of brackets', () => matchHeading('('.repeat(LONG))],
  ['headings of unclosed notes', () => matchHeading('(必須'.repeat(LONG / 3))],
  ['cells of unclosed notes', () => guessType(['(必須'.repeat(LONG / 3)], 2027)],
  ['numbers with unclosed notes', () => parseCount(`1${'(年'.repeat(LONG / 2)}`)],
  ['cells like a page with a space', () => guessType([`www.${'a.'.repeat(LONG / 2)} x`], 2027)],
])('bad-inputs 118: %s do not block the program', (_, read) => {
  const begin = performance.now();
  read();
  expect(performance.now() - begin).toBeLessThan(5000);
});
