/** Where a company publishes its address. */
export const PUBLICATION_COLUMNS = ['published_at_url', 'published_seen_on', 'publication_notice'] as const;

/** The columns by which lists are sorted, in the order of the screen, 有効 first. */
export const SORT_COLUMNS = [
  'active',
  'sent_at',
  'send_at',
  'company_name',
  'remarks',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** No list is sorted by these: each would take an index, or a long scan. */
export const UNSORTED_COLUMNS = ['phone', ...PUBLICATION_COLUMNS] as const;

/** All columns in the order of the screen. */
export const PROSPECT_COLUMNS = [...SORT_COLUMNS, ...UNSORTED_COLUMNS] as const;
export type ProspectColumn = (typeof PROSPECT_COLUMNS)[number];

/** What people read of the columns of a list, in files and on screens. */
export const PROSPECT_COLUMN_NAMES: Readonly<Record<ProspectColumn, string>> = {
  active: '有効',
  sent_at: '最終送信日時',
  send_at: '予約日時',
  company_name: '会社名',
  remarks: '備考',
  company_email: '代表メール',
  ceo: '代表者',
  major_industry_type: '業種',
  included_industry_type: '内部業種',
  address: '住所',
  number_of_employees: '従業員数',
  amount_of_sales: '売上高',
  ordinary_profit: '経常利益',
  capital: '資本金',
  year_of_establishment: '設立年',
  company_url: '会社URL',
  contact_url: '問い合わせURL',
  phone: '電話番号',
  published_at_url: '公開元URL',
  published_seen_on: '確認日',
  publication_notice: '営業お断り',
};
