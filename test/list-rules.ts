import { searchedName, searchTerms } from '#domain/company/prospect-search.ts';
import { normalizeText } from '#domain/text/text-filter.ts';

/*
 * The filters and the order of the prospect list as pure functions. The program has them only in SQL;
 * rules-agree.test.ts compares the two.
 */

/** Whether a search text matches a company. */
export const matchesSearch = (company: { company_name: string; company_email: string | null }, text: string): boolean =>
  searchTerms(text).every(
    ({ inName, inEmail }) =>
      searchedName(company.company_name).includes(inName) ||
      normalizeText(company.company_email ?? '').includes(inEmail),
  );

/**
 * Whether the value contains any term (splitTerms). Without terms every value matches; with terms a missing value does
 * not.
 */
export function matchesTerms(value: string | null, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  if (value === null) return false;
  const normalized = normalizeText(value);
  return terms.some((term) => normalized.includes(term));
}

/** A numeric range of the prospect list; a missing bound is open. */
interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Whether a value lies in a range. Both bounds are exclusive. If a bound is given, a missing value does not. */
export function inRange(value: number | null, { from = -Infinity, to = Infinity }: Range): boolean {
  if (value === null) return from === -Infinity && to === Infinity;
  return value > from && value < to;
}

export type SortValue = string | number | boolean | null;
type SortOrder = 'asc' | 'desc';

const isBlank = (value: SortValue): boolean => value === null || value === '';

/** Compares by code point, as PostgreSQL's collation "C" does. `<` compares UTF-16 units and puts 𠮷 before ﾃ. */
function compareText(a: string, b: string): number {
  const left = Array.from(a, (char) => char.codePointAt(0) ?? 0);
  const right = Array.from(b, (char) => char.codePointAt(0) ?? 0);
  const at = left.findIndex((code, index) => code !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? 0) - (right[at] ?? -1);
}

/**
 * Compares two rows of a sorted list; false comes before true. Ties go by id, in the direction of the order. Blanks
 * (null, '') are last in both directions, by rising id.
 */
export function compareForList(
  a: { id: number; value: SortValue },
  b: { id: number; value: SortValue },
  order: SortOrder,
): number {
  if (isBlank(a.value) || isBlank(b.value)) return Number(isBlank(a.value)) - Number(isBlank(b.value)) || a.id - b.id;
  const ascending =
    typeof a.value === 'string' && typeof b.value === 'string'
      ? compareText(a.value, b.value)
      : Number(a.value) - Number(b.value);
  const rising = ascending || a.id - b.id;
  return order === 'asc' ? rising : -rising;
}
