import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from '#domain/limits.ts';
import { tooLongFilter } from '#domain/text/filter-length.ts';
import { formatNumber } from '#domain/text/formats.ts';
import { parseJapaneseNumber } from '#domain/text/japanese-number.ts';
import { hasTooManyTerms, searchWords } from '#domain/text/text-filter.ts';
import {
  BOUND_FIELDS,
  cleanTerms,
  type FILTER_FIELDS,
  given,
  PRESENCE_FIELDS,
  RANGE_FIELDS,
  TAG_FIELDS,
  TERM_FIELDS,
} from '#web/lib/address/params.ts';
import { boundText, readOwnBounds, readTyped, type TypedOwn, writeTyped } from '../own/own-draft.ts';

export type FilterField = (typeof FILTER_FIELDS)[number];
type BoundField = (typeof BOUND_FIELDS)[number];

/** An error of a bound. */
export type RangeFault = 'not_a_number' | 'too_large' | 'nothing_between';
/** An error of a text. It disables the whole filter, because the rest would be a different filter than intended. */
export type TextFault = 'too_many_terms' | 'too_long';

export type Faults = ReadonlyMap<FilterField, RangeFault | TextFault>;

/** The typed text of the filter's fields, valid or not. */
export type FilterDraft = Readonly<Partial<Record<FilterField, string>>>;

const writeBound = (field: BoundField, value: number): string =>
  field.startsWith('year_') ? String(value) : formatNumber(value);

export function draftOf(filter: ProspectFilter): FilterDraft {
  const draft: Partial<Record<FilterField, string>> = {};
  for (const field of ['search' as const, ...TERM_FIELDS, ...PRESENCE_FIELDS, ...TAG_FIELDS])
    draft[field] = filter[field] ?? '';
  draft.custom = writeTyped(typedOwn(filter));
  for (const field of BOUND_FIELDS) {
    const value = filter[field];
    draft[field] = value === undefined ? '' : writeBound(field, value);
  }
  return draft;
}

/** Whether the typed filter is applied, waits to be applied, or is invalid. */
export type TypedState = 'applied' | 'waiting' | 'faulty';

export function typedState(typed: FilterDraft | undefined, filter: ProspectFilter): TypedState {
  // The address may hold the same own conditions in other forms.
  const applied = readDraft(draftOf(filter));
  const read = typed === undefined ? applied : readDraft(typed);
  if (read.faults.size > 0) return 'faulty';
  return JSON.stringify(read.filter) === JSON.stringify(applied.filter) ? 'applied' : 'waiting';
}

const isTextFault = (fault: RangeFault | TextFault): fault is TextFault =>
  fault === 'too_many_terms' || fault === 'too_long';

export const textFault = (faults: Faults, field: FilterField): TextFault | undefined => {
  const fault = faults.get(field);
  return fault !== undefined && isTextFault(fault) ? fault : undefined;
};

export const rangeFault = (faults: Faults, field: FilterField): RangeFault | undefined => {
  const fault = faults.get(field);
  return fault === undefined || isTextFault(fault) ? undefined : fault;
};

type Found = Map<FilterField, RangeFault | TextFault>;

function readSearch(draft: FilterDraft, faults: Found): ProspectFilter {
  const search = cleanTerms(draft.search ?? '').trim();
  if (searchWords(search).length > MAX_SEARCH_WORDS) faults.set('search', 'too_many_terms');
  else if (search.length > MAX_SEARCH_LENGTH) faults.set('search', 'too_long');
  return search === '' ? {} : { search };
}

function readTerms(draft: FilterDraft, faults: Found): ProspectFilter {
  const filter: ProspectFilter = {};
  for (const field of TERM_FIELDS) {
    const terms = cleanTerms(draft[field] ?? '');
    if (hasTooManyTerms(terms)) faults.set(field, 'too_many_terms');
    if (terms.trim() !== '') filter[field] = terms;
  }
  return filter;
}

function readPresences(draft: FilterDraft): ProspectFilter {
  const filter: ProspectFilter = {};
  for (const field of PRESENCE_FIELDS) {
    const wanted = draft[field];
    if (wanted === 'yes' || wanted === 'no') filter[field] = wanted;
  }
  return filter;
}

/** Reads the ids of tags, which are chosen and never typed. */
function readTags(draft: FilterDraft): ProspectFilter {
  const filter: ProspectFilter = {};
  for (const field of TAG_FIELDS) if (draft[field]) filter[field] = draft[field];
  return filter;
}

/** Writes the conditions on own fields as they are typed. */
const typedOwn = ({ custom = {} }: ProspectFilter): TypedOwn =>
  Object.fromEntries(
    Object.entries(custom).map(([key, wanted]) => [
      key,
      typeof wanted === 'string' ? wanted : { from: boundText(wanted.from), to: boundText(wanted.to) },
    ]),
  );

/** Reads the conditions on own fields. A faulty bound does not filter. */
function readOwn(draft: FilterDraft, faults: Found): ProspectFilter {
  const custom: Record<string, string | { from?: string; to?: string }> = {};
  for (const [key, wanted] of Object.entries(readTyped(draft.custom))) {
    if (typeof wanted === 'string') {
      const terms = cleanTerms(wanted);
      if (hasTooManyTerms(terms)) faults.set('custom', 'too_many_terms');
      if (terms.trim() !== '') custom[key] = terms;
    } else {
      const { from, to } = readOwnBounds(wanted);
      const fault = from.fault ?? to.fault;
      if (fault !== undefined) faults.set('custom', faults.get('custom') ?? fault);
      const bounds = given({ from: from.value, to: to.value });
      if (Object.keys(bounds).length > 0) custom[key] = bounds;
    }
  }
  return Object.keys(custom).length === 0 ? {} : { custom };
}

/** Returns the draft's own conditions without one of them. */
export function withoutOwn({ custom }: FilterDraft, key: string): string {
  const { [key]: _dropped, ...others } = readTyped(custom);
  return writeTyped(others);
}

/** Reads the bounds. One that is no number does not filter. An empty range does, and matches nothing. */
function readBounds(draft: FilterDraft, faults: Found): ProspectFilter {
  const filter: ProspectFilter = {};
  for (const field of BOUND_FIELDS) {
    const parsed = parseJapaneseNumber(draft[field] ?? '');
    if (!parsed.ok) faults.set(field, parsed.isTooLarge ? 'too_large' : 'not_a_number');
    else if (parsed.value !== null) filter[field] = parsed.value;
  }
  for (const field of RANGE_FIELDS) {
    const { [`${field}_from` as const]: from, [`${field}_to` as const]: to } = filter;
    if (from !== undefined && to !== undefined && to - from <= 1) faults.set(`${field}_to`, 'nothing_between');
  }
  return filter;
}

/** Reads the filter of a draft, and its errors by field. The filter is null if a text is invalid. */
export function readDraft(draft: FilterDraft): { filter: ProspectFilter | null; faults: Faults } {
  const faults: Found = new Map();
  const texts = { ...readSearch(draft, faults), ...readTerms(draft, faults) };
  const filter = {
    ...texts,
    ...readPresences(draft),
    ...readTags(draft),
    ...readBounds(draft, faults),
    ...readOwn(draft, faults),
  };
  const tooLong = tooLongFilter<FilterField>(filter);
  if (tooLong !== null) faults.set(tooLong, faults.get(tooLong) ?? 'too_long');
  return { filter: [...faults.values()].some(isTextFault) ? null : filter, faults };
}
