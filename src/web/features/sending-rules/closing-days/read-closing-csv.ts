import { readClosingDay } from '#domain/sending/rules/closing-days.ts';
import { CLOSING_DAY_MESSAGES } from './words.ts';

/** A row of a table of closing days, with its line number in the file. */
export interface ClosingRow {
  readonly line: number;
  readonly day: string;
  readonly name: string;
}

/** Decodes a file from Excel or a text editor. Invalid UTF-8 is read as Shift_JIS. */
export function decodeTable(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('shift_jis').decode(bytes);
  }
}

/** Matches a cell and its separator. Within quotes a doubled quote is one quote. */
const CELL = /(?:"((?:[^"]|"")*)"|([^,\t\r\n]*))[^\S\r\n\t]*([,\t]|\r\n|\r|\n|$)/y;

function* linesOf(text: string): Generator<{ line: number; cells: string[] }> {
  CELL.lastIndex = 0;
  let line = 1;
  let cells: string[] = [];
  for (let found = CELL.exec(text); found !== null; found = CELL.exec(text)) {
    const [, quoted, plain = '', end = ''] = found;
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end === ',' || end === '\t') continue;
    yield { line, cells };
    cells = [];
    line += 1 + (quoted?.match(/\n/g)?.length ?? 0);
    if (end === '') return;
  }
}

/** Reads the days and names of a CSV, without blank lines and a heading at the top. */
export function readClosingRows(text: string): ClosingRow[] {
  const rows = [...linesOf(text)].filter(({ cells }) => cells.some((cell) => cell !== ''));
  const table = CLOSING_DAY_MESSAGES.headings.includes(rows[0]?.cells[0]?.toLowerCase() ?? '') ? rows.slice(1) : rows;
  return table.map(({ line, cells: [day = '', name = ''] }) => ({ line, day, name }));
}

/** Returns the errors of a row that need no request. */
export function faultOfRow({ day, name }: ClosingRow): string | null {
  const { rowFaults } = CLOSING_DAY_MESSAGES;
  if (readClosingDay(day) === null) return rowFaults.day(day.slice(0, MAX_SHOWN));
  return name.trim() === '' ? rowFaults.name : null;
}

/** The characters of a cell that an error shows: a cell may be as long as the file. */
const MAX_SHOWN = 20;
