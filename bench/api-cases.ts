import { SORT_COLUMNS } from '#contract/companies/prospects-filter.ts';
import { MAX_CHOSEN_COMPANIES } from '#domain/limits.ts';
import type { ProspectListData } from './prospect-list-data.ts';

/** A request to measure. */
export interface Case {
  readonly name: string;
  /** Parameters of the query string, besides the group. */
  readonly query: Record<string, string | number>;
  /** null: the call takes no group. */
  readonly group?: 'yearGroup' | 'weekGroup' | null;
}

const NOWHERE = '此処には無い';

const PLAIN: Case[] = [
  { name: 'page 1', query: {} },
  { name: 'page 1, 200 rows', query: { pagenate_count: 200 } },
];

const SORTS: Case[] = SORT_COLUMNS.flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => ({ name: `sort ${sort} ${order}`, query: { sort, order } })),
);

const FILTERS: Case[] = [
  { name: 'region, frequent', query: { address: '東京' } },
  { name: 'region, two terms', query: { address: '東京、大阪' } },
  { name: 'region, rare', query: { address: '九段北1-' } },
  { name: 'region, no match', query: { address: NOWHERE } },
  { name: 'mail, frequent', query: { company_email: 'info' } },
  { name: 'mail, rare', query: { company_email: 'sakura-kogyo1' } },
  { name: 'mail, no match', query: { company_email: NOWHERE } },
  { name: 'industry, frequent', query: { major_industry_type: '製造' } },
  { name: 'industry, two terms', query: { major_industry_type: '製造,情報' } },
  { name: 'industry, no match', query: { major_industry_type: NOWHERE } },
  { name: 'inner industry, frequent', query: { included_industry_type: 'ソフト' } },
  { name: 'inner industry, rare', query: { included_industry_type: '組込みソフトウェアの保守' } },
  { name: 'inner industry, no match', query: { included_industry_type: NOWHERE } },
  { name: 'with mail', query: { has_company_email: 'yes' } },
  { name: 'without a site', query: { has_company_url: 'no' } },
  { name: 'site, no form', query: { has_company_url: 'yes', has_contact_url: 'no' } },
  { name: 'range, frequent', query: { amount_of_sales_from: 100_000_000, amount_of_sales_to: 1_000_000_000 } },
  { name: 'range, rare', query: { number_of_employees_from: 590 } },
  { name: 'range, no match', query: { amount_of_sales_from: 9_000_000_000_000 } },
  { name: 'range and another sort', query: { number_of_employees_from: 200, sort: 'amount_of_sales', order: 'asc' } },
  { name: 'region by sales', query: { address: '東京', sort: 'amount_of_sales', order: 'desc' } },
  { name: 'region by address', query: { address: '東京', sort: 'address', order: 'asc' } },
];

const FOUR = { has_company_email: 'yes', number_of_employees_from: 10 };
const COMBINED: Case[] = [
  { name: 'four filters', query: { address: '東京', included_industry_type: 'ソフト', ...FOUR } },
  {
    name: 'four filters by sales',
    query: { address: '東京', included_industry_type: 'ソフト', ...FOUR, sort: 'amount_of_sales' },
  },
  { name: 'four filters, rare', query: { address: '九段北', included_industry_type: '組込み', ...FOUR } },
  { name: 'four filters, no match', query: { address: NOWHERE, included_industry_type: 'ソフト', ...FOUR } },
  {
    name: 'four filters, none together',
    query: { address: '東京', company_email: 'kogyo', major_industry_type: '情報', ...FOUR },
  },
];

const STATUSES: Case[] = (['yearGroup', 'weekGroup'] as const).flatMap((group) => [
  { name: `unsent, ${group}`, group, query: { status: 'unsent' } },
  { name: `sent, ${group}`, group, query: { status: 'sent' } },
  { name: `sent by time, ${group}`, group, query: { status: 'sent', sort: 'sent_at', order: 'desc' } },
  { name: `reserved, ${group}`, group, query: { status: 'reserved' } },
  {
    name: `unsent, region, by sales, ${group}`,
    group,
    query: { status: 'unsent', address: '東京', sort: 'amount_of_sales' },
  },
]);

/** Returns requests for pages far down the list. @param count companies on the list */
const farPages = (count: number): Case[] => [
  { name: 'middle page', query: { pagenate_num: count / 100 } },
  { name: 'last page', query: { pagenate_num: count / 50 } },
  { name: 'row 50,000 by sales', query: { pagenate_num: 1000, sort: 'amount_of_sales', order: 'desc' } },
  { name: 'middle page by sales', query: { pagenate_num: count / 100, sort: 'amount_of_sales', order: 'desc' } },
  { name: 'last page by sales', query: { pagenate_num: count / 50, sort: 'amount_of_sales', order: 'desc' } },
  { name: 'middle page by address', query: { pagenate_num: count / 100, sort: 'address', order: 'asc' } },
  { name: 'last page of a region', query: { pagenate_num: Math.floor(count / 300), address: '東京' } },
];

export const viewCases = (count: number): Case[] => [
  ...PLAIN,
  ...SORTS,
  ...FILTERS,
  ...COMBINED,
  ...STATUSES,
  ...farPages(count),
];

/** The calls behind ▾ beside the filters of industries. */
export const INDUSTRY_CASES: Case[] = (['major_industry_type', 'included_industry_type'] as const).map((column) => ({
  name: `industries, ${column}`,
  group: null,
  query: { column },
}));

/** Ids far from each other, also in the smaller list. */
const CHOSEN = Array.from({ length: MAX_CHOSEN_COMPANIES }, (_, n) => 1 + n * 499).join();

/** The calls of the attack list's preview: 1,000 targets each. */
export const PREVIEW_CASES: Case[] = (['yearGroup', 'weekGroup'] as const).flatMap((group) => [
  { name: `preview, ${group}`, group, query: {} },
  { name: `preview by sales, ${group}`, group, query: { sort: 'amount_of_sales', order: 'desc' } },
  { name: `preview of a region, ${group}`, group, query: { address: '東京' } },
  {
    name: `preview of four filters, ${group}`,
    group,
    query: { address: '東京', included_industry_type: 'ソフト', ...FOUR },
  },
  { name: `preview, 90 days, ${group}`, group, query: { days_from_lastday: 90 } },
  { name: `preview of unsent companies, ${group}`, group, query: { status: 'unsent' } },
  // Nobody can be mailed: they are followed by the look-up of the first release.
  { name: `preview of nobody, ${group}`, group, query: { status: 'sent', days_from_lastday: 3650 } },
  {
    name: `preview of nobody in a rare region, ${group}`,
    group,
    query: { status: 'sent', days_from_lastday: 3650, address: '九段北1-' },
  },
  { name: `preview of 200 chosen companies, ${group}`, group, query: { prospect_ids: CHOSEN } },
]);

export function requestPath(call: string, { query, group = 'weekGroup' }: Case, data: ProspectListData): string {
  const values = { ...(group !== null && { sender_group_id: data[group] }), ...query };
  return `${call}?${new URLSearchParams(Object.entries(values).map(([key, value]): [string, string] => [key, String(value)]))}`;
}
