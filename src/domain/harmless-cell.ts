/** The first characters of a cell that spreadsheets may read as a formula or command. */
const FORMULA_START = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Returns a text as a CSV cell that no spreadsheet runs as a formula: a leading apostrophe marks it as text.
 * Only for texts: a negative number is no formula.
 */
export const harmlessCell = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);
