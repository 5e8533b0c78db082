import { formulaText } from '#domain/text/harmless-cell.ts';

/** Characters that `cleanCell` replaces, removes or refuses; most cells have none. */
const UNUSUAL = /[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff]|\u3099|\u309a/u;
/** Control characters, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Cleans a cell.
 * Unwraps `="…"`, by which programs keep Excel from reading digits as a number. Removes invisible characters, trims,
 * joins lines (names go into mail headers), and composes kana and dakuten. (Mac files have the two apart. NFC of the
 * whole text would replace kanji of names, such as 神 U+FA19.)
 * @param keepsLines keeps line breaks, as \n, and tabs
 * @returns null if it holds NUL or another forbidden character
 */
export function cleanCell(cell: string, keepsLines = false): string | null {
  const written = formulaText(cell.trim());
  if (!UNUSUAL.test(written)) return written.trim();
  const text = (
    keepsLines ? written.replace(/\r\n|[\r\u2028\u2029]/g, '\n') : written.replace(/[\r\n\t\u2028\u2029]+/g, ' ')
  )
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .replace(/[\u3041-\u30ff][\u3099-\u309a]/g, (kana) => kana.normalize('NFC'))
    .trim();
  return FORBIDDEN.test(keepsLines ? text.replace(/[\n\t]/g, '') : text) ? null : text;
}

/**
 * Copies a text into its own memory.
 * V8 stores a slice as a pointer into the original text: a cached slice would keep its whole piece of the file in
 * memory.
 */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
