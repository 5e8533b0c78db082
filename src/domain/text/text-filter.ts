import { MAX_FILTER_TERMS } from '../limits.ts';

/* The text filters of the prospect list, and the form in which texts are compared. */

/**
 * Normalises a text to NFKC and lower case: `ＩＴ` = `it`, half-width kana = full-width. *_search columns store this
 * form.
 */
export const normalizeText = (text: string): string => text.normalize('NFKC').toLowerCase();

const SEPARATORS = /[,、\t\r\n]/;

/**
 * Splits a text at `,`, `、` (of any width), tabs and line breaks (cells of a spreadsheet) into normalised terms:
 * trimmed, without blanks and duplicates. A filter searches for these terms. A term holds no separator, so a value
 * contains it exactly if one of the value's items does.
 */
export const splitTerms = (text: string): string[] => [
  ...new Set(
    normalizeText(text)
      .split(SEPARATORS)
      .map((term) => term.trim())
      .filter((term) => term !== ''),
  ),
];

/** Returns the terms of splitTerms, each with its first spelling: in the letter case of the text. */
export function spelledTerms(text: string): ReadonlyMap<string, string> {
  const terms = new Map<string, string>();
  for (const part of text.normalize('NFKC').split(SEPARATORS)) {
    const [spelled, term] = [part.trim(), part.toLowerCase().trim()];
    if (term !== '' && !terms.has(term)) terms.set(term, spelled);
  }
  return terms;
}

/**
 * Splits a search text at white space (of any width) into words. A company matches if its name or its address contains
 * each.
 */
export const searchWords = (text: string): string[] => [...new Set(text.split(/\s+/).filter((word) => word !== ''))];

/** Returns an industry value in the form of the industry dictionary, whatever its separators; '' if it has no item. */
export const industryText = (value: string): string => splitTerms(value).join('、');

export const hasTooManyTerms = (text: string): boolean => splitTerms(text).length > MAX_FILTER_TERMS;

/** Returns the LIKE pattern of values that contain the term, with % and _ of the term escaped. */
export const containing = (term: string): string => `%${term.replace(/[\\%_]/g, '\\$&')}%`;
