import type { ProspectFilter } from '#contract/prospect.ts';
import { formatNumber } from '#domain/formats.ts';
import { parseJapaneseNumber } from '#domain/japanese-number.ts';
import {
  BOUND_FIELDS,
  cleanTerms,
  type FILTER_FIELDS,
  PRESENCE_FIELDS,
  RANGE_FIELDS,
  TERM_FIELDS,
} from '#web/lib/list-params.ts';

export type FilterField = (typeof FILTER_FIELDS)[number];
type BoundField = (typeof BOUND_FIELDS)[number];

/** Why a field does not filter. */
export type FilterFault = 'not_a_number' | 'nothing_between';

/** The filter as it stands in its fields, right or wrong. */
export type FilterDraft = Readonly<Partial<Record<FilterField, string>>>;

const writeBound = (field: BoundField, value: number): string =>
  field.startsWith('year_') ? String(value) : formatNumber(value);

export function draftOf(filter: ProspectFilter): FilterDraft {
  const draft: Partial<Record<FilterField, string>> = {};
  for (const field of [...TERM_FIELDS, ...PRESENCE_FIELDS]) draft[field] = filter[field] ?? '';
  for (const field of BOUND_FIELDS) {
    const value = filter[field];
    draft[field] = value === undefined ? '' : writeBound(field, value);
  }
  return draft;
}

/** How what is typed stands to the filter of the lists: it is that, is about to be, or cannot be read. */
export type TypedState = 'applied' | 'waiting' | 'faulty';

export function typedState(typed: FilterDraft | undefined, filter: ProspectFilter): TypedState {
  if (typed === undefined) return 'applied';
  const read = readDraft(typed);
  if (read.faults.size > 0) return 'faulty';
  return JSON.stringify(read.filter) === JSON.stringify(filter) ? 'applied' : 'waiting';
}

/**
 * What filters of a draft, and the fields that do not. A range without a number between its bounds lets nothing through, and is a slip or half typed:
 * its upper bound does not filter.
 */
export function readDraft(draft: FilterDraft): {
  filter: ProspectFilter;
  faults: ReadonlyMap<FilterField, FilterFault>;
} {
  const filter: ProspectFilter = {};
  const faults = new Map<FilterField, FilterFault>();
  for (const field of TERM_FIELDS) {
    const terms = cleanTerms(draft[field] ?? '');
    if (terms.trim() !== '') filter[field] = terms;
  }
  for (const field of PRESENCE_FIELDS) {
    const wanted = draft[field];
    if (wanted === 'yes' || wanted === 'no') filter[field] = wanted;
  }
  for (const field of BOUND_FIELDS) {
    const parsed = parseJapaneseNumber(draft[field] ?? '');
    if (!parsed.ok) faults.set(field, 'not_a_number');
    else if (parsed.value !== null) filter[field] = parsed.value;
  }
  for (const field of RANGE_FIELDS) {
    const { [`${field}_from` as const]: from, [`${field}_to` as const]: to } = filter;
    if (from === undefined || to === undefined || to - from > 1) continue;
    delete filter[`${field}_to`];
    faults.set(`${field}_to`, 'nothing_between');
  }
  return { filter, faults };
}
