import { MAX_FILTER_TERMS, MAX_FILTERS_IN_ADDRESS } from './limits.ts';

/** The text filters of the prospect list, and the form in which texts are compared. */

/** NFKC and lower case: `ＩＴ` = `it`, half-width kana = full-width. *_search columns hold texts in this form. */
export const normalizeText = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * Normalised items of a text separated by `,` or `、` (of any width): trimmed, blanks dropped, each once. This is what a
 * filter looks for. A term holds no separator, so it is contained in a value exactly where it is contained in one of
 * the value's items.
 */
export const splitTerms = (text: string): string[] => [
  ...new Set(
    normalizeText(text)
      .split(/[,、]/)
      .map((term) => term.trim())
      .filter((term) => term !== ''),
  ),
];

/**
 * What the industry dictionary holds of an industry value, however its items were separated; empty where it has none.
 */
export const industryText = (value: string): string => splitTerms(value).join('、');

/**
 * Whether any term (as splitTerms gives them) is contained. No terms: no filter. No value: only no filter lets it
 * through.
 */
export function matchesTerms(value: string | null, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  if (value === null) return false;
  const normalized = normalizeText(value);
  return terms.some((term) => normalized.includes(term));
}

export const hasTooManyTerms = (text: string): boolean => splitTerms(text).length > MAX_FILTER_TERMS;

/**
 * Length of a text in an address: as URLSearchParams encodes it, which leaves `*-._`, letters and digits, and writes a
 * blank as +.
 */
const encodedLength = (text: string): number =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, '%00').length;

/** The name of the longest filter where all together are too long for an address; null where they fit. */
export function tooLongFilter<Name extends string>(filters: Readonly<Partial<Record<Name, unknown>>>): Name | null {
  const lengths = (Object.keys(filters) as Name[])
    .filter((name) => filters[name] !== undefined)
    .map((name) => ({ name, length: name.length + encodedLength(String(filters[name])) + 2 }));
  if (lengths.reduce((sum, { length }) => sum + length, 0) <= MAX_FILTERS_IN_ADDRESS) return null;
  return lengths.reduce((longest, one) => (one.length > longest.length ? one : longest)).name;
}
