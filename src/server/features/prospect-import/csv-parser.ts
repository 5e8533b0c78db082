/*
 * A parser of CSV as spreadsheets and people write it, which takes the text piece by piece. Not the package udsv: it is
 * no faster here, expects one kind of line break in a file, counts no lines and does not report an unclosed quote.
 */

export interface CsvRecord {
  cells: string[];
  /** The row as a spreadsheet counts it, from 1: a record is one row, however many lines it spans. */
  row: number;
  /** Text follows a closing quote within its cell. */
  badQuote: boolean;
  /** No line break ends the record. It is the last one of the file, which may have been cut off. */
  open: boolean;
}

export type CsvFault = { code: 'unclosed_quote' | 'record_too_long'; line: number };

/**
 * Characters of one record. After an unclosed quote the whole rest of the file is one record: this bounds its memory.
 */
export const MAX_RECORD_LENGTH = 200_000;

const QUOTE = 34;
const LF = 10;
const CR = 13;

/**
 * Creates a parser that calls `onRecord` for each complete record.
 * `write` and `end` return a fault where the text cannot be parsed. Line breaks may be mixed (CRLF, LF, CR). Empty
 * lines are counted as rows and skipped. A quote opens a quoted cell only as the first character of the cell. Faults
 * name the line of the file, because an editor shows where a quote is missing.
 */
export function createCsvParser(separator: string, onRecord: (record: CsvRecord) => void) {
  const separatorCode = separator.charCodeAt(0);
  let rest = '';
  let line = 1;
  let row = 0;

  /** Parses the complete records of `text` and keeps what follows them. @param isEnd no text follows */
  function parse(text: string, isEnd: boolean): CsvFault | null {
    let start = 0;
    while (start < text.length) {
      const record = parseRecord(text, start, separatorCode, isEnd);
      if (record === null) break;
      const { cells, badQuote, open } = record;
      row += 1;
      if (cells.length > 1 || cells[0] !== '') onRecord({ cells, row, badQuote, open });
      line += record.lines;
      start = record.end;
    }
    rest = text.slice(start);
    if (isEnd && rest !== '') return { code: 'unclosed_quote', line };
    return rest.length > MAX_RECORD_LENGTH ? { code: 'record_too_long', line } : null;
  }

  return {
    write: (text: string): CsvFault | null => parse(rest + text, false),
    end: (): CsvFault | null => parse(rest, true),
  };
}

interface ParsedRecord extends Omit<CsvRecord, 'row'> {
  /** Lines that the record spans. */
  lines: number;
  /** Where the next record starts. */
  end: number;
}

/**
 * Parses the record that starts at `start`.
 * @returns null where the record is not complete; at the end of the file this means an unclosed quote
 */
function parseRecord(text: string, start: number, separator: number, isEnd: boolean): ParsedRecord | null {
  const cells: string[] = [];
  let badQuote = false;
  let lines = 1;
  let pos = start;
  for (;;) {
    if (text.charCodeAt(pos) === QUOTE) {
      const quoted = parseQuotedCell(text, pos, separator, isEnd);
      if (quoted === null) return null;
      cells.push(quoted.cell);
      badQuote ||= quoted.badQuote;
      lines += quoted.lineBreaks;
      pos = quoted.end;
    } else {
      const end = endOfCell(text, pos, separator);
      cells.push(text.slice(pos, end));
      pos = end;
    }
    if (pos >= text.length) return isEnd ? { cells, badQuote, lines, open: true, end: pos } : null;
    const code = text.charCodeAt(pos);
    pos += 1;
    if (code !== separator) {
      const end = endOfLineBreak(text, pos, code, isEnd);
      return end === null ? null : { cells, badQuote, lines, open: false, end };
    }
    // The separator is the last character of the file: an empty cell follows it.
    if (isEnd && pos === text.length) return { cells: [...cells, ''], badQuote, lines, open: true, end: pos };
  }
}

/** Parses the cell whose opening quote is at `start`. @returns null where the closing quote is not in the text */
function parseQuotedCell(text: string, start: number, separator: number, isEnd: boolean) {
  const close = closingQuote(text, start + 1);
  // The next piece may begin with the second quote of a pair.
  if (close < 0 || (close === text.length - 1 && !isEnd)) return null;
  const quoted = text.slice(start + 1, close);
  const content = quoted.includes('"') ? quoted.replaceAll('""', '"') : quoted;
  const end = endOfCell(text, close + 1, separator);
  const behind = text.slice(close + 1, end);
  const badQuote = behind.trim() !== '';
  const lineBreaks = content.match(/\r\n|\r|\n/g)?.length ?? 0;
  return { cell: badQuote ? content + behind : content, badQuote, lineBreaks, end };
}

/** Finds the quote that is not one of a pair. @returns -1 where it is not in the text */
function closingQuote(text: string, from: number): number {
  for (let pos = text.indexOf('"', from); pos >= 0; pos = text.indexOf('"', pos + 2)) {
    if (text.charCodeAt(pos + 1) !== QUOTE) return pos;
  }
  return -1;
}

/** Finds the separator or line break that ends a cell, or the end of the text. */
function endOfCell(text: string, from: number, separator: number): number {
  let pos = from;
  while (pos < text.length) {
    const code = text.charCodeAt(pos);
    if (code === separator || code === LF || code === CR) return pos;
    pos += 1;
  }
  return pos;
}

/**
 * @param pos behind the character `code`, which is CR or LF
 * @returns null where the LF of a CRLF may be in the next piece
 */
function endOfLineBreak(text: string, pos: number, code: number, isEnd: boolean): number | null {
  if (code === LF) return pos;
  if (pos === text.length && !isEnd) return null;
  return text.charCodeAt(pos) === LF ? pos + 1 : pos;
}
