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
