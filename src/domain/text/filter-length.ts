import { MAX_FILTERS_IN_ADDRESS } from '../limits.ts';

/**
 * Returns the length of a text in a URL. URLSearchParams does not escape `*-._`, letters and digits, and writes a blank
 * as +.
 */
const encodedLength = (text: string): number =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, '%00').length;

/** Returns the length of a parameter with its `=` and `&`. One that holds others is one parameter for each of them. */
function parameterLength(name: string, value: unknown): number {
  if (typeof value !== 'object' || value === null) return encodedLength(name) + encodedLength(String(value)) + 2;
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .reduce((sum, [part, one]) => sum + parameterLength(`${name}[${part}]`, one), 0);
}

/** Returns the name of the longest filter if all together are too long for a URL; otherwise null. */
export function tooLongFilter<Name extends string>(filters: Readonly<Partial<Record<Name, unknown>>>): Name | null {
  const lengths = (Object.keys(filters) as Name[])
    .filter((name) => filters[name] !== undefined)
    .map((name) => ({ name, length: parameterLength(name, filters[name]) }));
  if (lengths.reduce((sum, { length }) => sum + length, 0) <= MAX_FILTERS_IN_ADDRESS) return null;
  return lengths.reduce((longest, one) => (one.length > longest.length ? one : longest)).name;
}
