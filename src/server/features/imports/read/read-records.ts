/*
 * Reads CSV as spreadsheets and people write it, piece by piece. Not by the package udsv: it is no faster here, expects
 * one kind of line break in a file, counts no lines and does not report an unclosed quote.
 */
import { createReadStream } from 'node:fs';
import { unmarkedCell } from '#domain/text/harmless-cell.ts';
import type { Refusal } from '../../../platform/problem.ts';
import { fileFaults, recordTooLong, unclosedQuote } from './faults.ts';

/** CP932 is Microsoft's Shift_JIS: Excel in Japan writes CSV in it. */
export type Encoding = 'utf-8' | 'cp932' | 'utf-16le' | 'utf-16be';

interface RecordCells {
  /** Without the apostrophe that marks exported texts. */
  cells: string[];
  /** Text follows a closing quote within its cell. */
  badQuote: boolean;
  /** No line break ends the record: it is the file's last, and may be cut off. */
  open: boolean;
}

export interface CsvRecord extends RecordCells {
  /** The row as a spreadsheet counts, from 1: a record is one row, however many lines it spans. */
  row: number;
}

/** Bounds how long the event loop is blocked: a piece is parsed and checked in one go. */
const PIECE_BYTES = 32 * 1024;
/** The most characters in which the header line is searched. */
const MAX_HEAD_LENGTH = 64 * 1024;

/** Takes the records of one piece, in the file's order. A Problem stops the reading. */
type OnRecords = (records: CsvRecord[]) => Promise<Refusal | null>;

/**
 * Reads a CSV file piece by piece, so that memory holds one piece and one record at most. Records without text are
 * skipped.
 * @param separatorOf chooses the separator by the beginning of the text
 * @returns why the reading stopped early, or null at the end of the file
 */
export async function readRecords(
  path: string,
  encoding: Encoding,
  separatorOf: (head: string) => string,
  onRecords: OnRecords,
): Promise<Refusal | null> {
  let records: CsvRecord[] = [];
  const parserFor = (text: string) => createCsvParser(separatorOf(text), (record) => records.push(record));
  let parser: ReturnType<typeof createCsvParser> | undefined;
  /** Text collected before the parser exists. */
  let head = '';

  for await (const text of decodedPieces(path, encoding)) {
    if (typeof text !== 'string') return text;
    let piece = text;
    if (parser === undefined) {
      head += text;
      if (!hasCompleteLine(head) && head.length < MAX_HEAD_LENGTH) continue;
      piece = head;
      parser = parserFor(head);
    }
    const fault = parser.write(piece);
    if (fault !== null) return toProblem(fault);
    const problem = await passOn(records, onRecords);
    if (problem !== null) return problem;
    records = [];
  }

  if (parser === undefined) {
    if (head.trim() === '') return fileFaults.empty;
    parser = parserFor(head);
    const fault = parser.write(head);
    if (fault !== null) return toProblem(fault);
  }
  const fault = parser.end();
  return fault === null ? passOn(records, onRecords) : toProblem(fault);
}

async function passOn(records: CsvRecord[], onRecords: OnRecords): Promise<Refusal | null> {
  const filled = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return filled.length === 0 ? null : onRecords(filled);
}

/** Checks for some text followed by a line break outside quotes. */
function hasCompleteLine(head: string): boolean {
  let quoted = false;
  for (let pos = head.search(/\S/); pos >= 0 && pos < head.length; pos += 1) {
    const char = head[pos];
    if (char === '"') quoted = !quoted;
    if (!quoted && (char === '\n' || char === '\r')) return true;
  }
  return false;
}

/** Yields the decoded text of a file. The last item is a Problem if the bytes are invalid in the encoding. */
async function* decodedPieces(path: string, encoding: Encoding): AsyncGenerator<string | Refusal> {
  const decoder = decoderOf(encoding, { fatal: true });
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    const text = decodeOrNull(() => decoder.decode(piece, { stream: true }));
    yield text ?? fileFaults.unknownEncoding;
    if (text === null) return;
  }
  yield decodeOrNull(() => decoder.decode()) ?? fileFaults.truncated;
}

/** In the WHATWG standard shift_jis means CP932. */
export const decoderOf = (encoding: Encoding, { fatal }: { fatal: boolean }) =>
  new TextDecoder(encoding === 'cp932' ? 'shift_jis' : encoding, { fatal });

/** Decodes, or returns null for bytes that a fatal decoder refuses. */
export function decodeOrNull(decode: () => string): string | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const toProblem = ({ code, line }: CsvFault): Refusal =>
  code === 'unclosed_quote' ? unclosedQuote(line) : recordTooLong(line);

type CsvFault = { code: 'unclosed_quote' | 'record_too_long'; line: number };

/** The most characters of one record. After an unclosed quote the rest of the file is one: this bounds its memory. */
export const MAX_RECORD_LENGTH = 200_000;

/**
 * Creates a parser that calls `onRecord` for each complete record.
 * `write` and `end` return a fault if the text cannot be parsed. Line breaks may be mixed (CRLF, LF, CR). Empty lines
 * count as rows, but are skipped. Only the first character of a cell can be its opening quote. Faults name the line of
 * the file, because an editor shows where a quote is missing.
 */
export function createCsvParser(separator: string, onRecord: (record: CsvRecord) => void) {
  const separatorCode = separator.charCodeAt(0);
  let rest = '';
  let line = 1;
  let row = 0;

  /** Parses the complete records of `text` and keeps the rest. @param isEnd no text follows */
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

const QUOTE = 34;
const LF = 10;
const CR = 13;

interface ParsedRecord extends RecordCells {
  /** The number of lines that the record spans. */
  lines: number;
  /** Where the next record starts. */
  end: number;
}

/**
 * Parses the record that starts at `start`.
 * @returns null if the record is incomplete; at the end of the file that is an unclosed quote
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
      cells.push(unmarkedCell(quoted.cell));
      badQuote ||= quoted.badQuote;
      lines += quoted.lineBreaks;
      pos = quoted.end;
    } else {
      const end = endOfFormula(text, pos, separator) ?? endOfCell(text, pos, separator);
      cells.push(unmarkedCell(text.slice(pos, end)));
      pos = end;
    }
    if (pos >= text.length) return isEnd ? { cells, badQuote, lines, open: true, end: pos } : null;
    const code = text.charCodeAt(pos);
    pos += 1;
    if (code !== separator) {
      const end = endOfLineBreak(text, pos, code, isEnd);
      return end === null ? null : { cells, badQuote, lines, open: false, end };
    }
    // The separator is the file's last character: an empty cell follows.
    if (isEnd && pos === text.length) return { cells: [...cells, ''], badQuote, lines, open: true, end: pos };
  }
}

/** Parses the cell whose opening quote is at `start`. @returns null if the text lacks the closing quote */
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

/** Finds the quote that is not one of a pair. @returns -1 if the text has none */
function closingQuote(text: string, from: number): number {
  for (let pos = text.indexOf('"', from); pos >= 0; pos = text.indexOf('"', pos + 2)) {
    if (text.charCodeAt(pos + 1) !== QUOTE) return pos;
  }
  return -1;
}

const EQUALS = 61;
const TEXT_FORMULA = /="(?:[^"\r\n]|"")*"/y;

/** Finds the end of a cell `="…"`, whose text may hold separators. @returns null if the cell has another form */
function endOfFormula(text: string, start: number, separator: number): number | null {
  if (text.charCodeAt(start) !== EQUALS) return null;
  TEXT_FORMULA.lastIndex = start;
  if (!TEXT_FORMULA.test(text)) return null;
  const end = TEXT_FORMULA.lastIndex;
  return endOfCell(text, end, separator) === end ? end : null;
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
 * @param pos after the character `code`, which is CR or LF
 * @returns null if the LF of a CRLF may be in the next piece
 */
function endOfLineBreak(text: string, pos: number, code: number, isEnd: boolean): number | null {
  if (code === LF) return pos;
  if (pos === text.length && !isEnd) return null;
  return text.charCodeAt(pos) === LF ? pos + 1 : pos;
}
