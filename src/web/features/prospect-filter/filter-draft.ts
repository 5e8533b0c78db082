import type { ProspectFilter } from '#contract/prospect.ts';
import { formatNumber } from '#domain/formats.ts';
import { parseJapaneseNumber } from '#domain/japanese-number.ts';
import { BOUND_FIELDS, cleanTerms, type FILTER_FIELDS, PRESENCE_FIELDS, TERM_FIELDS } from '#web/lib/list-params.ts';

export type FilterField = (typeof FILTER_FIELDS)[number];
type BoundField = (typeof BOUND_FIELDS)[number];

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

/** What can be read of a draft, and the fields that cannot: those do not filter. */
export function readDraft(draft: FilterDraft): { filter: ProspectFilter; faults: ReadonlySet<FilterField> } {
  const filter: ProspectFilter = {};
  const faults = new Set<FilterField>();
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
    if (!parsed.ok) faults.add(field);
    else if (parsed.value !== null) filter[field] = parsed.value;
  }
  return { filter, faults };
}
