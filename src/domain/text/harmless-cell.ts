/**
 * The first characters by which spreadsheets may read a cell as a formula or command. Some skip spaces before them.
 * The minus sign U+2212 becomes a full-width one in Shift_JIS.
 */
const FORMULA_START = '(?:[\\t\\r\\n]|[\\s\\u200b\\u2060]*[=+\\-@＝＋－−＠])';
const FORMULA = new RegExp(`^'*${FORMULA_START}`);
const MARKED = new RegExp(`^'+${FORMULA_START}`);
const MARK = "'";

/**
 * Returns a text as a CSV cell that no spreadsheet runs as a formula: a leading apostrophe marks it as text.
 * A text that already looks marked gets another one, so that `unmarkedCell` restores every text. Only for texts: a
 * negative number is no formula.
 */
export const harmlessCell = (text: string): string => (FORMULA.test(text) ? MARK + text : text);

/** Returns a text for a cell of type text, as in a workbook, which needs the mark only if it looks marked. */
export const typedCell = (text: string): string => (MARKED.test(text) ? MARK + text : text);

/** Returns the text of a cell without the mark of `harmlessCell`, so that an exported list can be imported. */
export const unmarkedCell = (cell: string): string => (MARKED.test(cell) ? cell.slice(MARK.length) : cell);

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** Returns the text in `="…"`, a formula that is only a text; any other text unchanged. */
export function formulaText(text: string): string {
  if (!text.startsWith('="')) return text;
  return TEXT_FORMULA.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}

const NEEDS_QUOTES = /[",\r\n]/;

/** Returns a text as a cell of a CSV file (RFC 4180), in quotes if necessary. */
export const csvCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
