import type { VIEW_STATUSES } from '#contract/companies/prospects.ts';
import type {
  ProspectFilter,
  ProspectSort,
  SortColumn,
  UNSORTED_COLUMNS,
} from '#contract/companies/prospects-filter.ts';
import type { RESERVATION_FILTER_STATES, ReservationSort } from '#contract/sending/reservations-names.ts';
import { SUPPRESSION_CLASSES, SUPPRESSION_SOURCES } from '#domain/law/suppression.ts';
import { RUN_STATES, SHOWN_STATES, type ShownState } from '#domain/sending/delivery-state.ts';
import { isDay } from '#domain/time/calendar.ts';
import type { PeriodName } from '#domain/time/report-presets.ts';
import { DATA_MESSAGES } from '../data/words.ts';
import { ownConditions, writtenOwn } from './own-conditions.ts';
import { PATHS, reservationPath } from './paths.ts';

/* The parameters in the addresses of all screens. Mails, bookmarks and members' notes contain them. */

/** Reads a parameter; null: the address lacks it. An invalid value counts as missing. */
type Reader = (text: string | null) => string | number | undefined;
export type Params = Readonly<Record<string, Reader>>;
export type Values<P extends Params> = { readonly [Name in keyof P]: ReturnType<P[Name]> };
export type Changes<P extends Params> = { readonly [Name in keyof P]?: string | number | undefined };

/** Reads the parameters of a query. */
export function readQuery<P extends Params>(params: P, search: string): Values<P> {
  const query = new URLSearchParams(search);
  return Object.fromEntries(Object.entries(params).map(([name, read]) => [name, read(query.get(name))])) as Values<P>;
}

/** Returns a query with changed parameters, or ''. Default values (the first page) are left out. */
export function changedQuery<P extends Params>(params: P, search: string, changes: Changes<P>): string {
  const query = new URLSearchParams(search);
  for (const [name, value = ''] of Object.entries(changes)) {
    const text = String(value);
    if (params[name]?.(text) === params[name]?.(null)) query.delete(name);
    else query.set(name, text);
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the address of a screen with parameters. */
const addressWith = <P extends Params>(path: string, params: P, values: Changes<P>): string =>
  path + changedQuery(params, '', values);

/** Removes characters that the server refuses: NUL and lone surrogates. */
export const cleanTerms = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

export const readId = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d*$/.test(text ?? '') && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;

const asWritten = (text: string | null): string | undefined => text || undefined;
const words = (text: string | null): string | undefined => cleanTerms(text ?? '').trim() || undefined;
const terms = (text: string | null): string | undefined =>
  words(text) === undefined ? undefined : cleanTerms(text ?? '');
const ids = (text: string | null): string | undefined =>
  /^[1-9]\d*(,[1-9]\d*)*$/.test(text ?? '') ? (text ?? undefined) : undefined;
const day = (text: string | null): string | undefined => (isDay(text ?? '') ? (text ?? undefined) : undefined);
const integer = (text: string | null): number | undefined =>
  /^-?\d+$/.test(text ?? '') && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
/** Reads a page number from 1 to 999,999, the server's limit; otherwise 1. */
const page = (text: string | null): number => (/^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : 1);

/** Returns a reader of one of these values, or the fallback. */
const oneOf =
  <const T extends string, F extends T | undefined = undefined>(values: readonly T[], fallback?: F) =>
  (text: string | null): T | F =>
    values.find((value) => value === text) ?? (fallback as F);

/** Returns a reader of a key of these, or the fallback. A list from domain or contract would add code to the bundle. */
const keyOf = <const K extends string, F extends K | undefined = undefined>(
  keys: Readonly<Record<K, true>>,
  fallback?: F,
) => oneOf(Object.keys(keys) as K[], fallback);

const each = <N extends string, R extends Reader>(names: readonly N[], reader: R) =>
  Object.fromEntries(names.map((name) => [name, reader])) as Record<N, R>;

export const TERM_FIELDS = ['major_industry_type', 'included_industry_type', 'address', 'company_email'] as const;
export const PRESENCE_FIELDS = [
  'has_company_url',
  'has_contact_url',
  'has_company_email',
  'has_primary_email',
] as const;
/** Ids of tags: one of them, all of them, none of them. */
export const TAG_FIELDS = ['tags', 'tags_all', 'tags_none'] as const;
export type TagField = (typeof TAG_FIELDS)[number];
export const RANGE_FIELDS = [
  'amount_of_sales',
  'ordinary_profit',
  'number_of_employees',
  'year_of_establishment',
] as const;
export type RangeField = (typeof RANGE_FIELDS)[number];
export const BOUND_FIELDS = RANGE_FIELDS.flatMap((field) => [`${field}_from`, `${field}_to`] as const);

const FILTER = {
  search: words,
  ...each(TERM_FIELDS, terms),
  ...each(PRESENCE_FIELDS, oneOf(['yes', 'no'])),
  ...each(TAG_FIELDS, ids),
  custom: ownConditions,
  ...each(BOUND_FIELDS, integer),
} satisfies Partial<Record<keyof ProspectFilter, Reader>>;
type FilterField = keyof typeof FILTER;
export const FILTER_FIELDS = Object.keys(FILTER) as FilterField[];

const STATUSES: Readonly<Record<ListStatus, true>> = {
  unsent: true,
  sent: true,
  reserved: true,
  replied: true,
  archived: true,
};
export type ListStatus = (typeof VIEW_STATUSES)[number];
export const STEPS = ['file', 'columns', 'check', 'run'] as const;
export type Step = (typeof STEPS)[number];
const TABS = ['prospects', 'reservations', 'attack-list'] as const;
export type Tab = (typeof TABS)[number];

const UNSORTED: Readonly<Record<(typeof UNSORTED_COLUMNS)[number], true>> = {
  phone: true,
  published_at_url: true,
  published_seen_on: true,
  publication_notice: true,
};
/** Whether the list can be sorted by a column. */
export const isSortColumn = (text: string): text is SortColumn =>
  Object.hasOwn(DATA_MESSAGES.prospects.columns, text) && !Object.hasOwn(UNSORTED, text);
const sortColumn = (text: string | null): SortColumn | undefined =>
  text !== null && isSortColumn(text) ? text : undefined;

/** The parameters of the list of companies, including the company whose drawer is open. */
export const LIST = {
  ...FILTER,
  sort: sortColumn,
  order: oneOf(['asc', 'desc']),
  status: keyOf(STATUSES),
  tab: oneOf(TABS, 'prospects'),
  /** undefined: all reservations. */
  reservation: readId,
  page,
  company: readId,
};
/** The periods that the history offers. `custom` has its own days. */
export const RUN_PERIODS = ['today', 'week', 'month', 'last_month', 'custom'] as const;
/** Real runs are shown unless the address asks for tests, or for both. */
export const RUN_MODES = ['real', 'test', 'all'] as const;
/** The parameters of the history of runs. */
export const RUNS = {
  period: oneOf(RUN_PERIODS),
  from: day,
  to: day,
  state: oneOf(RUN_STATES),
  group: readId,
  template: readId,
  mode: oneOf(RUN_MODES, 'real'),
  search: words,
  page,
};
const RESERVATION_STATES: Readonly<Record<(typeof RESERVATION_FILTER_STATES)[number], true>> = {
  pending: true,
  held: true,
  missed: true,
  refused: true,
  waiting: true,
  sent: true,
  cancelled: true,
  all: true,
};
const RESERVATION_ORDERS: Readonly<Record<ReservationSort, true>> = {
  send_at: true,
  subject: true,
  group_name: true,
  targets: true,
  candidates: true,
  member_name: true,
  state: true,
};
/** The parameters of all reservations: by default the real ones that are not sent. */
export const RESERVATIONS = {
  group: readId,
  mode: oneOf(RUN_MODES, 'real'),
  state: keyOf(RESERVATION_STATES),
  search: words,
  sort: keyOf(RESERVATION_ORDERS),
  order: oneOf(['asc', 'desc']),
  page,
  /** Only those of one day. */
  day,
  view: oneOf(['list', 'calendar'], 'list'),
  /** The span of the calendar; undefined: what fits the screen. */
  span: oneOf(['month', 'week']),
  /** A day in the calendar's month or week; undefined: today. */
  date: day,
};
/** The parameters of a run's mails. */
export const RUN_MAILS = { state: oneOf(SHOWN_STATES), search: words, page };
const REPORT_PERIODS: Readonly<Record<PeriodName | 'custom', true>> = {
  this_week: true,
  this_month: true,
  last_month: true,
  last_90_days: true,
  this_year: true,
  custom: true,
};
/** The parameters of the report; the days of a custom period as typed. */
export const REPORT = {
  period: keyOf(REPORT_PERIODS, 'this_month'),
  from: asWritten,
  to: asWritten,
  group: readId,
  template: readId,
};
export const SUPPRESSIONS = {
  search: words,
  class: oneOf(SUPPRESSION_CLASSES),
  source: oneOf(SUPPRESSION_SOURCES),
  page,
};
export const TEMPLATES = {
  folder: (text: string | null) => (text === 'none' || text === 'archived' ? text : (readId(text) ?? 'all')),
  search: asWritten,
};
/** The periods that the audit offers; without one, the last 30 days. `custom` has its own days. */
export const AUDIT_PERIODS = ['today', 'month', 'last_month', 'year', 'custom'] as const;
/** The parameters of the audit. The screen reads its kind, whose names load with it. */
export const AUDIT = { member: readId, kind: asWritten, period: oneOf(AUDIT_PERIODS), from: day, to: day, page };
/** The parameters of the history of imports. */
export const IMPORTS = { page };
/** The parameters of one import and its step; undefined: its current step. */
export const NEW_IMPORT = { import: readId, step: oneOf(STEPS) };
/** The sender group whose mail footer is shown. */
export const LEGAL = { group: readId };
/** The mailbox that is connected again, or whose owner has just consented at its provider. */
export const MAILBOXES = { reconnect: readId, connected: readId };
/** The sender group whose sending rules are shown. */
export const SENDING = { group: readId };

/** Returns the values that are not undefined. */
export const given = <T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** The own conditions are last: filters are compared as texts. */
const readFilter = ({ custom, ...filter }: Values<typeof FILTER>): ProspectFilter =>
  given({ ...filter, custom: custom === undefined ? undefined : JSON.parse(custom) });

/** The parameters in the address of the list. */
export interface ListParams extends Omit<Values<typeof LIST>, FilterField | 'sort' | 'order'> {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
}

export function listOf(values: Values<typeof LIST>): ListParams {
  const { sort, order = 'asc', status, tab, reservation, page, company, ...filter } = values;
  const shown = { status, tab, reservation, page, company };
  return { ...shown, filter: readFilter(filter), sort: sort === undefined ? {} : { sort, order } };
}

export const readList = (search: string): ListParams => listOf(readQuery(LIST, search));

/** Whether any filter is set. */
export const isFiltered = (filter: Readonly<Partial<Record<FilterField, unknown>>>): boolean =>
  FILTER_FIELDS.some((field) => filter[field] !== undefined);

/** Returns a filter as the address holds it. */
export const filterOf = (filter: ProspectFilter): ProspectFilter =>
  readFilter(readQuery(FILTER, changedQuery(FILTER, '', filterChange(filter))));

/** Returns the change of parameters that replaces the whole filter. */
export const filterChange = (filter: ProspectFilter): Changes<typeof FILTER> =>
  Object.fromEntries(FILTER_FIELDS.map((field) => [field, field === 'custom' ? writtenOwn(filter) : filter[field]]));

/** Returns the path of one run, with all mails or those in a state. */
export const sendPath = (id: number, state?: ShownState): string =>
  addressWith(`${PATHS.sends}/${id}`, RUN_MAILS, { state });
export const importPath = (id: number | undefined, step?: Step): string =>
  addressWith(PATHS.newImport, NEW_IMPORT, { import: id, step });
export const listPath = (values: Changes<typeof LIST>): string => addressWith(PATHS.attackList, LIST, values);
/** Returns the path of all reservations, or of one of them above the list. */
export const reservationsPath = (values: Changes<typeof RESERVATIONS>, id?: number): string =>
  addressWith(id === undefined ? PATHS.reservations : reservationPath(id), RESERVATIONS, values);
/** Returns the path of the suppressions of an address. */
export const suppressionPath = (search: string | undefined): string =>
  addressWith(PATHS.suppressions, SUPPRESSIONS, { search });
export const folderPath = (folder: number): string => addressWith(PATHS.templates, TEMPLATES, { folder });
export const legalPath = (group: number | undefined): string => addressWith(PATHS.settingsLegal, LEGAL, { group });
/** Returns the path of the mailboxes, with the dialog that connects one of them again. */
export const reconnectPath = (reconnect: number): string =>
  addressWith(PATHS.settingsMailboxes, MAILBOXES, { reconnect });
/** Returns the path of the mailboxes, with the check of one whose owner has just consented at its provider. */
export const connectedPath = (connected: number): string =>
  addressWith(PATHS.settingsMailboxes, MAILBOXES, { connected });
