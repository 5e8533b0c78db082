import { unmarkedCell } from '#domain/text/harmless-cell.ts';

export interface RecordCells {
  /** Without the mark of texts that we exported. */
  cells: string[];
  /** Text follows a closing quote within its cell. */
  badQuote: boolean;
  /** No line break ends the record. It is the last one of the file, which may have been cut off. */
  open: boolean;
}

const QUOTE = 34;
const LF = 10;
const CR = 13;

interface ParsedRecord extends RecordCells {
  /** Lines that the record spans. */
  lines: number;
  /** Where the next record starts. */
  end: number;
}

/**
 * Parses the record that starts at `start`.
 * @returns null where the record is not complete; at the end of the file this means an unclosed quote
 */
export function parseRecord(text: string, start: number, separator: number, isEnd: boolean): ParsedRecord | null {
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

const EQUALS = 61;
const TEXT_FORMULA = /="(?:[^"\r\n]|"")*"/y;

/** Finds the end of a cell `="…"`, whose text may hold separators. @returns null where the cell is none */
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
 * @param pos behind the character `code`, which is CR or LF
 * @returns null where the LF of a CRLF may be in the next piece
 */
function endOfLineBreak(text: string, pos: number, code: number, isEnd: boolean): number | null {
  if (code === LF) return pos;
  if (pos === text.length && !isEnd) return null;
  return text.charCodeAt(pos) === LF ? pos + 1 : pos;
}
