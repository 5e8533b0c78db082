/*
 * A parser of CSV as spreadsheets and people write it, which takes the text piece by piece. Not the package udsv: it is
 * no faster here, expects one kind of line break in a file, counts no lines and does not report an unclosed quote.
 */
import { parseRecord, type RecordCells } from './csv-record.ts';

export interface CsvRecord extends RecordCells {
  /** The row as a spreadsheet counts it, from 1: a record is one row, however many lines it spans. */
  row: number;
}

export type CsvFault = { code: 'unclosed_quote' | 'record_too_long'; line: number };

/**
 * Characters of one record. After an unclosed quote the whole rest of the file is one record: this bounds its memory.
 */
export const MAX_RECORD_LENGTH = 200_000;

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
