/**
 * CSV as spreadsheets and people write it, in pieces. Not udsv, which is no faster here and holds a file to one kind of line
 * break, knows no line numbers and does not tell of an unclosed quote.
 */

/**
 * `line`: where the record starts in the file, from 1. `badQuote`: text stands behind a closing quote. `open`: no line break ends
 * it, as with the last record of some files and of every file that was cut.
 */
export interface CsvRecord {
  cells: string[];
  line: number;
  badQuote: boolean;
  open: boolean;
}

export type CsvFault = { code: 'unclosed_quote' | 'record_too_long'; line: number };

/** What one record may hold. An unclosed quote takes in all that follows: this bounds the memory it costs. */
export const MAX_RECORD_LENGTH = 200_000;

const QUOTE = 34;
const LF = 10;
const CR = 13;

/**
 * `write` and `end` call `onRecord` for each record that is whole and give a fault when the text cannot go on. Line breaks may be
 * mixed (CRLF, LF, CR). Empty lines are no records. A quote counts at the start of a cell only.
 */
export function createCsvParser(separator: string, onRecord: (record: CsvRecord) => void) {
  const sep = separator.charCodeAt(0);
  let rest = '';
  let line = 1;

  /** Takes whole records off the start of `text`. `final`: nothing follows. */
  function parse(text: string, final: boolean): CsvFault | null {
    let start = 0;
    while (start < text.length) {
      const taken = takeRecord(text, start, sep, final);
      if (taken === null) break;
      const { cells, badQuote, open } = taken;
      if (cells.length > 1 || cells[0] !== '') onRecord({ cells, line, badQuote, open });
      line += taken.lines;
      start = taken.end;
    }
    rest = text.slice(start);
    if (final && rest !== '') return { code: 'unclosed_quote', line };
    return rest.length > MAX_RECORD_LENGTH ? { code: 'record_too_long', line } : null;
  }

  return {
    write: (text: string): CsvFault | null => parse(rest + text, false),
    end: (): CsvFault | null => parse(rest, true),
  };
}

interface Taken extends Omit<CsvRecord, 'line'> {
  lines: number;
  end: number;
}

/** null: the record goes on behind the text at hand. With `final` that is an unclosed quote. */
function takeRecord(text: string, start: number, sep: number, final: boolean): Taken | null {
  const cells: string[] = [];
  let badQuote = false;
  let lines = 1;
  let pos = start;
  for (;;) {
    let cell = '';
    if (text.charCodeAt(pos) === QUOTE) {
      const close = closingQuote(text, pos + 1);
      if (close < 0 || (close === text.length - 1 && !final)) return null;
      cell = text.slice(pos + 1, close);
      if (cell.includes('"')) cell = cell.replaceAll('""', '"');
      lines += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
      pos = close + 1;
    }
    const from = pos;
    let code = text.charCodeAt(pos);
    while (pos < text.length && code !== sep && code !== LF && code !== CR) code = text.charCodeAt(++pos);
    if (from < pos) {
      const plain = text.slice(from, pos);
      const quoted = from > start && text.charCodeAt(from - 1) === QUOTE;
      if (!quoted) cell = plain;
      else if (plain.trim() !== '') {
        cell += plain;
        badQuote = true;
      }
    }
    cells.push(cell);
    if (pos >= text.length) return final ? { cells, badQuote, lines, open: true, end: pos } : null;
    pos += 1;
    if (code === sep) {
      // A separator as the last character of the file: one more, empty cell follows.
      if (pos === text.length && final) return { cells: [...cells, ''], badQuote, lines, open: true, end: pos };
      continue;
    }
    if (code === LF) return { cells, badQuote, lines, open: false, end: pos };
    // The LF of a CRLF may be in the next piece.
    if (pos === text.length && !final) return null;
    return { cells, badQuote, lines, open: false, end: text.charCodeAt(pos) === LF ? pos + 1 : pos };
  }
}

/** The quote that is not one of a pair; -1: not in the text at hand. */
function closingQuote(text: string, from: number): number {
  for (let pos = text.indexOf('"', from); pos >= 0; pos = text.indexOf('"', pos + 2)) {
    if (text.charCodeAt(pos + 1) !== QUOTE) return pos;
  }
  return -1;
}
