import { PROSPECT_COLUMN_NAMES } from '#contract/companies/prospects-names.ts';
import { MAX_NAME_LENGTH, MAX_PHONE_LENGTH } from '#domain/limits.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { ExtraField } from './columns.ts';
import { CLOSED_HEADINGS, matchHeading, PART_BY_HEADING } from './headings.ts';

/*
 * The headings of columns that are no company's own: people (相手の人), tags, our member and the company's id elsewhere.
 * Also those that Sansan, Eight, HubSpot, Salesforce and kintone write.
 */

const words = (text: string): readonly string[] => text.split(' ');

/** How a person's columns are named in reports, read and recognised. */
export const PERSON_COLUMNS = [
  {
    field: 'person_name',
    label: '氏名',
    kind: 'text',
    maxLength: MAX_NAME_LENGTH,
    also: words(
      '担当者名 担当者氏名 ご担当者名 ご担当者氏名 お名前 ご氏名 フルネーム 氏名(漢字) 漢字氏名 先方担当者 先方担当者名 ' +
        '相手先担当者 相手先担当者名 窓口担当者 窓口担当者名 顧客担当者 顧客担当者名 取引先責任者 取引先責任者名 ' +
        '取引先責任者氏名 コンタクト名 連絡先名 連絡先氏名 fullname contactname contactfullname',
    ),
  },
  {
    field: 'person_last_name',
    label: '姓',
    kind: 'text',
    maxLength: MAX_NAME_LENGTH,
    also: words('名字 苗字 姓(漢字) 名前(姓) 氏名(姓) 担当者姓 lastname familyname surname'),
  },
  {
    field: 'person_first_name',
    label: '名',
    kind: 'text',
    maxLength: MAX_NAME_LENGTH,
    also: words('名(漢字) 名前(名) 氏名(名) firstname givenname'),
  },
  {
    field: 'person_department',
    label: '部署',
    kind: 'text',
    maxLength: MAX_NAME_LENGTH,
    also: words('部署名 所属 所属部署 所属部署名 所属名 部門 部門名 部課名 部署1 部署名1 担当者部署 department'),
  },
  {
    field: 'person_title',
    label: '役職',
    kind: 'text',
    maxLength: MAX_NAME_LENGTH,
    also: words('役職名 肩書 肩書き 職位 担当者役職 ジョブタイトル title jobtitle'),
  },
  {
    field: 'person_email',
    label: '担当者メール',
    kind: 'email',
    also: words(
      '担当者メールアドレス ご担当者メール ご担当者メールアドレス 担当者email 担当者e-mail 担当メール 担当メールアドレス ' +
        '個人メール 個人メールアドレス 勤務先メール email1 e-mail1 メール1 メールアドレス1 contactemail workemail',
    ),
  },
  {
    field: 'person_phone',
    label: '携帯・直通',
    kind: 'phone',
    maxLength: MAX_PHONE_LENGTH,
    also: words(
      '携帯 携帯電話 携帯番号 携帯電話番号 携帯tel 直通 直通電話 直通電話番号 直通番号 直通tel tel直通 電話(直通) 電話番号(直通) ' +
        '電話(携帯) 担当者電話 担当者電話番号 担当者tel mobile mobilephone mobilephonenumber cellphone',
    ),
  },
  {
    field: 'person_met_on',
    label: '名刺交換日',
    kind: 'day',
    also: words('名刺交換日時 名刺交換年月日 交換日 名刺取得日'),
  },
  { field: 'person_is_primary', label: '主担当', kind: 'notice', also: words('isprimary') },
] as const;

const OWN_HEADINGS: Readonly<Record<'external_id' | 'tags', readonly string[]>> = {
  external_id: words(
    '外部id 外部キー レコードid 取引先id 会社id 企業id 取引先コード 得意先コード 会社コード externalid external_id accountid ' +
      'companyid',
  ),
  tags: words('タグ ラベル tag tags label labels'),
};

/** Ids of rows: of the person where a file lists people. */
const ID_OF_ROW: ReadonlySet<string> = new Set(['レコードid', 'recordid']);

/** Headings of a member of ours, which may also be the person's name: the cells decide. */
const MEMBER_OR_PERSON: ReadonlySet<string> = new Set(words('担当者 担当 営業担当 担当営業'));
/** Headings of a member of ours. */
const MEMBER: ReadonlySet<string> = new Set(
  words(
    '営業担当者 担当営業者 自社担当 自社担当者 社内担当 社内担当者 当社担当 当社担当者 弊社担当 弊社担当者 名刺所有者 所有者 ' +
      '取引先所有者 取引先責任者所有者 コンタクト担当者 会社担当者 contactowner companyowner accountowner owner',
  ),
);
export const memberHeading = (heading: string): 'ours' | 'either' | null => {
  const folded = foldHeading(heading).replace(/[.:_]/g, '');
  if (MEMBER.has(folded)) return 'ours';
  return MEMBER_OR_PERSON.has(folded) ? 'either' : null;
};

const BY_HEADING: ReadonlyMap<string, ExtraField> = new Map<string, ExtraField>([
  ...PERSON_COLUMNS.flatMap(({ field, label, also }) =>
    [field, label, ...also].map((heading) => [foldHeading(heading), field] as const),
  ),
  ...Object.entries(OWN_HEADINGS).flatMap(([field, headings]) =>
    headings.map((heading) => [foldHeading(heading), field as ExtraField] as const),
  ),
]);

/** Headings that make a file list people. */
const OF_PEOPLE: ReadonlySet<ExtraField> = new Set<ExtraField>([
  'person_name',
  'person_last_name',
  'person_department',
  'person_title',
  'person_email',
]);
/** Headings that name a person. */
export const NAMES: ReadonlySet<ExtraField> = new Set<ExtraField>(['person_name', 'person_last_name']);

/** Headings of an address that is surely the company's. */
const OF_COMPANY = /代表|会社|企業|取引先|company/;

/** Of several columns with a person's telephone number the mobile one counts. */
const MOBILE = /携帯|mobile|cell/;

/** A heading's own meaning. @returns null for one of a company, or an unknown one */
export const matchExtra = (heading: string): ExtraField | null => BY_HEADING.get(foldHeading(heading)) ?? null;

/** Headings of our own exports, also of columns that no import reads. */
const EXPORTED: ReadonlySet<string> = new Set(Object.values(PROSPECT_COLUMN_NAMES).map(foldHeading));

/** Checks whether a heading has a meaning by itself, so that no own field can have it as its name. */
export const isKnownHeading = (heading: string): boolean =>
  matchHeading(heading) !== null ||
  matchExtra(heading) !== null ||
  memberHeading(heading) === 'ours' ||
  EXPORTED.has(foldHeading(heading)) ||
  PART_BY_HEADING.has(foldHeading(heading)) ||
  CLOSED_HEADINGS.has(foldHeading(heading));

/** A column that is no company's own. */
export interface ClaimedColumn {
  readonly index: number;
  readonly field: ExtraField;
}

/**
 * Finds the columns of people, tags and the company's id by their headings.
 * The file lists people where a column names a person, a department, a title or a person's address. An address that is
 * not surely the company's is then the person's, unless a column says so of another one.
 */
export function claimColumns(heading: readonly string[], isFree: (index: number) => boolean): ClaimedColumn[] {
  const claimed = new Map<ExtraField, number>();
  const matched = heading.map((text, index) => (isFree(index) ? matchExtra(text) : null));
  const hasName = matched.some((field) => field !== null && NAMES.has(field));
  // Without a name, `title` is more often that of a page.
  const fields = matched.map((field, at) => (!hasName && foldHeading(heading[at] ?? '') === 'title' ? null : field));
  const listsPeople = fields.some((field) => field !== null && OF_PEOPLE.has(field));
  for (const [index, field] of fields.entries()) {
    if (field === null || field === 'tags') continue;
    if (field.startsWith('person_') && !listsPeople) continue;
    const folded = foldHeading(heading[index] ?? '');
    if (listsPeople && ID_OF_ROW.has(folded)) continue;
    if (claimed.has(field) && !(field === 'person_phone' && isFirstMobile(heading, claimed.get(field), folded)))
      continue;
    claimed.set(field, index);
  }
  const tags = [...fields.entries()].flatMap(([index, field]) => (field === 'tags' ? [{ index, field }] : []));
  const asksForAddress = !claimed.has('person_email') && [...NAMES].some((field) => claimed.has(field));
  const email = asksForAddress ? personalAddressAt(heading, isFree) : -1;
  return [
    ...[...claimed].map(([field, index]) => ({ index, field })),
    ...(email < 0 ? [] : [{ index: email, field: 'person_email' as const }]),
    ...tags,
  ];
}

const isFirstMobile = (heading: readonly string[], taken: number | undefined, folded: string): boolean =>
  MOBILE.test(folded) && !MOBILE.test(foldHeading(heading[taken ?? -1] ?? ''));

/** Finds the column of an address that is not surely the company's. @returns -1 if there is none */
export const personalAddressAt = (heading: readonly string[], isFree: (index: number) => boolean): number =>
  heading.findIndex(
    (text, index) =>
      isFree(index) && matchHeading(text)?.column.field === 'company_email' && !OF_COMPANY.test(foldHeading(text)),
  );
