/** The first characters of a cell that spreadsheets may read as a formula or command. */
const FORMULA_START = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Returns a text as a CSV cell that no spreadsheet runs as a formula: a leading apostrophe marks it as text.
 * Only for texts: a negative number is no formula.
 */
export const harmlessCell = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);

/** Returns the text of a cell without the apostrophe of `harmlessCell`, so that an exported list can be imported. */
export const unmarkedCell = (cell: string): string =>
  cell.startsWith("'") && FORMULA_START.test(cell.slice(1)) ? cell.slice(1) : cell;
