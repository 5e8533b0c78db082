import type { VIEW_STATUSES } from '#contract/prospects.ts';
import type { ProspectFilter, ProspectSort, SortColumn, UNSORTED_COLUMNS } from '#contract/prospects-filter.ts';
import { COMMON_MESSAGES } from './words.ts';

/** The parameters of the lists in the address: filters, order, status, tab, reservation and page. */

export const TERM_FIELDS = ['major_industry_type', 'included_industry_type', 'address', 'company_email'] as const;
export const PRESENCE_FIELDS = ['has_company_url', 'has_contact_url', 'has_company_email'] as const;
export const RANGE_FIELDS = [
  'amount_of_sales',
  'ordinary_profit',
  'number_of_employees',
  'year_of_establishment',
] as const;
export type RangeField = (typeof RANGE_FIELDS)[number];
export const BOUND_FIELDS = RANGE_FIELDS.flatMap((field) => [`${field}_from`, `${field}_to`] as const);
export const FILTER_FIELDS = ['search' as const, ...TERM_FIELDS, ...PRESENCE_FIELDS, ...BOUND_FIELDS];

export type ListStatus = (typeof VIEW_STATUSES)[number];
export const TABS = ['prospects', 'reservations', 'attack-list'] as const;
export type Tab = (typeof TABS)[number];

export interface ListParams {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly status: ListStatus | undefined;
  readonly tab: Tab;
  /** The id of the chosen reservation; undefined: all. */
  readonly reservation: number | undefined;
  /** The page of the open tab. */
  readonly page: number;
}

const UNSORTED: Readonly<Record<(typeof UNSORTED_COLUMNS)[number], true>> = {
  phone: true,
  published_at_url: true,
  published_seen_on: true,
  publication_notice: true,
};
/** Whether the list can be sorted by a column. */
export const isSortColumn = (text: string): text is SortColumn =>
  Object.hasOwn(COMMON_MESSAGES.prospects.columns, text) && !Object.hasOwn(UNSORTED, text);
export const readId = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;

/** Reads the page from an address: 1 to 999,999, the server's limit, or else 1. */
export function readPage(search: URLSearchParams): number {
  const text = search.get('page') ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** The contract's own list would bring zod into the browser. */
const STATUSES: Readonly<Record<ListStatus, true>> = {
  unsent: true,
  sent: true,
  reserved: true,
  replied: true,
  archived: true,
};
const isStatus = (text: string | null): text is ListStatus => text !== null && Object.hasOwn(STATUSES, text);

/** Removes characters that the server refuses: NUL and lone surrogates. */
export const cleanTerms = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

export function readFilter(search: URLSearchParams): ProspectFilter {
  const filter: ProspectFilter = {};
  const words = cleanTerms(search.get('search') ?? '').trim();
  if (words !== '') filter.search = words;
  for (const field of TERM_FIELDS) {
    const terms = cleanTerms(search.get(field) ?? '');
    if (terms.trim() !== '') filter[field] = terms;
  }
  for (const field of PRESENCE_FIELDS) {
    const wanted = search.get(field);
    if (wanted === 'yes' || wanted === 'no') filter[field] = wanted;
  }
  for (const field of BOUND_FIELDS) {
    const bound = search.get(field) ?? '';
    if (/^-?\d+$/.test(bound) && Number.isSafeInteger(Number(bound))) filter[field] = Number(bound);
  }
  return filter;
}

/** Whether any filter is set. */
export const isFiltered = (filter: Readonly<Partial<Record<keyof ProspectFilter, unknown>>>): boolean =>
  FILTER_FIELDS.some((field) => filter[field] !== undefined);

function readSort(search: URLSearchParams): ProspectSort {
  const sort = search.get('sort') ?? '';
  return isSortColumn(sort) ? { sort, order: search.get('order') === 'desc' ? 'desc' : 'asc' } : {};
}

/** Reads the parameters of an address, and ignores invalid ones. */
export function readListParams(search: URLSearchParams): ListParams {
  const status = search.get('status');
  return {
    filter: readFilter(search),
    sort: readSort(search),
    status: isStatus(status) ? status : undefined,
    tab: TABS.find((tab) => tab === search.get('tab')) ?? 'prospects',
    reservation: readId(search.get('reservation')),
    page: readPage(search),
  };
}

/** Returns the change that replaces the whole filter. */
export const filterChange = (filter: ProspectFilter): Record<string, string | number | undefined> =>
  Object.fromEntries(FILTER_FIELDS.map((field) => [field, filter[field]]));
