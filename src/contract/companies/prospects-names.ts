import type { ProspectColumn } from './prospects-filter.ts';

/** The user's words for a list's columns, in files and on screens. */
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
