import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import type { OwnImportField, PersonImportField } from '#contract/imports/imports-names.ts';
import { MAX_PHONE_LENGTH, MAX_REMARKS_LENGTH } from '#domain/limits.ts';

/** The import columns with their headings, kinds and limits. An index holds up to 800 characters. */

export type ColumnKind =
  | 'text'
  | 'industry'
  | 'email'
  | 'url'
  | 'money'
  | 'count'
  | 'year'
  | 'phone'
  | 'corporate_number'
  | 'day'
  | 'notice'
  | 'remarks';

const words = (text: string): readonly string[] => text.split(' ');

/**
 * `field`: the column of the table `prospect`. `label`: its name in reports, also a heading. `also`: further headings.
 */
export const COLUMNS = [
  {
    field: 'corporate_number',
    label: '法人番号',
    kind: 'corporate_number',
    also: ['corporatenumber', '法人番号(13桁)', '国税庁法人番号'],
  },
  {
    field: 'company_name',
    label: '会社名',
    kind: 'text',
    maxLength: 200,
    also: words(
      '企業名 法人名 社名 商号 会社名称 企業名称 商号又は名称 商号または名称 取引先名 得意先名 会社 ' +
        '会社名/取引先名 会社名/団体名 会社・団体名 法人・団体名 団体名 事業者名 貴社名 御社名 ' +
        '顧客会社名 顧客企業名 商号・名称 company companyname accountname ' +
        'organizationname',
    ),
  },
  {
    field: 'company_email',
    label: '代表メール',
    kind: 'email',
    also: words(
      '代表メールアドレス メール メールアドレス 会社メール email e-mail eメール mail ' +
        '会社メールアドレス 企業メールアドレス 取引先メール 連絡先メールアドレス 電子メール ' +
        '電子メールアドレス mailaddress emailaddress e-mailアドレス ' +
        'emailアドレス e-mailaddress companyemail',
    ),
  },
  {
    field: 'ceo',
    label: '代表者',
    kind: 'text',
    maxLength: 100,
    also: words(
      '代表者名 代表者氏名 法人代表者名 代表 代表取締役 代表名 社長 社長名 代表取締役名 代表者(氏名) ' +
        '代表者の氏名 社長氏名 representative',
    ),
  },
  {
    field: 'major_industry_type',
    label: '業種',
    kind: 'industry',
    maxLength: 800,
    also: words('大業種 主業種 業界 業種大分類 業種(大分類) 業種(主業) 業種名 業界名 industry'),
  },
  {
    field: 'included_industry_type',
    label: '内部業種',
    kind: 'industry',
    maxLength: 800,
    also: ['詳細業種', '業種詳細', '小業種', '業種小分類', '業種(小分類)'],
  },
  {
    field: 'address',
    label: '住所',
    kind: 'text',
    maxLength: 300,
    also: words(
      '所在地 本社所在地 本社住所 会社住所 本店所在地 主たる事務所の所在地 所在地住所 会社所在地 ' +
        '本店住所 住所(請求先) 住所(本社) 所在地(本社) streetaddress',
    ),
  },
  {
    field: 'number_of_employees',
    label: '従業員数',
    kind: 'count',
    also: words('従業員 従業員人数 社員数 従業員数(単体) 従業員規模 正社員数 numberofemployees ' + 'employees'),
  },
  {
    field: 'amount_of_sales',
    label: '売上高',
    kind: 'money',
    also: words('売上 売上額 年商 年間売上高 年間売上 年間収益 売上金額 売上高(単体) 直近売上高 ' + 'annualrevenue'),
  },
  { field: 'ordinary_profit', label: '経常利益', kind: 'money', also: ['経常損益', '経常利益額'] },
  { field: 'capital', label: '資本金', kind: 'money', also: ['資本金額'] },
  {
    field: 'year_of_establishment',
    label: '設立年',
    kind: 'year',
    also: words('設立 設立年度 設立年月 設立年月日 設立日 会社設立日 設立時期 yearfounded ' + 'foundedyear'),
  },
  {
    field: 'company_url',
    label: '会社URL',
    kind: 'url',
    also: words(
      'url 企業url ホームページ 企業ホームページ ホームページurl hp webサイト ウェブサイト ' +
        'サイトurl webサイトurl ウェブサイトurl コーポレートサイト コーポレートサイトurl ' +
        'ホームページアドレス hpurl website websiteurl companywebsite',
    ),
  },
  {
    field: 'contact_url',
    label: '問い合わせURL',
    kind: 'url',
    also: words(
      'お問い合わせurl 問合せurl 問合わせurl お問合せurl 問い合わせ お問い合わせ ' +
        '問い合わせページ 問い合わせフォーム お問い合わせフォーム 問い合わせフォームurl ' +
        'お問い合わせフォームurl',
    ),
  },
  {
    field: 'phone',
    label: '電話番号',
    kind: 'phone',
    maxLength: MAX_PHONE_LENGTH,
    also: words(
      '電話 tel tel番号 phonenumber telephone telephonenumber 代表電話 代表電話番号 代表tel tel会社 会社電話 会社電話番号 ' +
        '会社tel 企業電話番号 本社電話番号 本社電話 連絡先電話番号 お電話番号 電話番号1 電話1 tel1 電話番号(代表) ' +
        '電話(代表) tel(代表) 電話番号(本社) 電話番号(会社)',
    ),
  },
  {
    field: 'published_at_url',
    label: '公開元URL',
    kind: 'url',
    also: words('公開元 公開url 公開ページ 公開ページurl 掲載url 掲載元url 掲載ページ ' + 'メール公開元url'),
  },
  {
    field: 'published_seen_on',
    label: '確認日',
    kind: 'day',
    also: ['公開確認日', '掲載確認日', '公開元確認日', '確認年月日', 'アドレス確認日'],
  },
  {
    field: 'publication_notice',
    label: '営業お断り',
    kind: 'notice',
    also: ['営業お断りの表示', '営業メールお断り', '営業拒否', '営業禁止', '営業不可', 'お断りの表示', 'お断り表示'],
  },
] as const satisfies readonly {
  field: string;
  label: string;
  kind: ColumnKind;
  maxLength?: number;
  also: readonly string[];
}[];

/** The import's sender group's remarks about a company. */
const REMARKS_COLUMN = {
  field: 'remarks',
  label: '備考',
  kind: 'remarks',
  maxLength: MAX_REMARKS_LENGTH,
  also: words(
    '備考欄 備考1 備考・メモ 備考/メモ 備考(メモ) メモ メモ欄 コメント 特記事項 摘要 担当メモ 担当者メモ 営業メモ ' +
      'memo note notes remark comment comments',
  ),
} as const;

/** The fields that a column of a file can have. */
export const FILE_COLUMNS = [...COLUMNS, REMARKS_COLUMN] as const;

export type Field = (typeof COLUMNS)[number]['field'];
export type Column = (typeof FILE_COLUMNS)[number];
export type FileField = Column['field'];

/** The columns of a file that are no company's own: those of its people, own fields, tags, our member, the id. */
export type ExtraField = PersonImportField | OwnImportField;

/** An own field that the import makes, or brings back where it is archived. */
export interface NewField {
  readonly label: string;
  readonly type: OwnFieldType;
  readonly key?: string | undefined;
}
