import { createReadStream } from 'node:fs';
import type { Refusal } from '../../platform/refusal.ts';
import { type CsvFault, type CsvRecord, createCsvParser } from './csv-parser.ts';
import { fileFaults, recordTooLong, unclosedQuote } from './faults.ts';
import type { Encoding } from './file-encoding.ts';
import { detectSeparator } from './header.ts';

/** A piece is parsed and checked in one go (some ms), so it bounds how long the event loop waits. */
const PIECE_BYTES = 32 * 1024;
/** A heading line is looked for in so much text at most. */
const MAX_HEAD_LENGTH = 64 * 1024;

/** Handed the records of a piece in the file's order; a fault ends the reading. */
type OnRecords = (records: CsvRecord[]) => Promise<Refusal | null>;

/**
 * Reads a CSV file piece by piece and never holds more than a piece and a record. Records without any text are left out.
 * The separator (comma, tab, semicolon) is the one under which the first record makes sense.
 * @returns why the reading stopped early, or null at the end of the file
 */
export async function readRecords(path: string, encoding: Encoding, onRecords: OnRecords): Promise<Refusal | null> {
  let records: CsvRecord[] = [];
  let head = '';
  let parser: ReturnType<typeof createCsvParser> | undefined;

  for await (const text of decodedPieces(path, encoding)) {
    if (typeof text !== 'string') return text;
    let piece = text;
    if (parser === undefined) {
      head += text;
      if (!hasWholeLine(head) && head.length < MAX_HEAD_LENGTH) continue;
      piece = head;
      parser = createCsvParser(detectSeparator(head), (record) => records.push(record));
    }
    const fault = parser.write(piece);
    if (fault !== null) return toRefusal(fault);
    const stop = await hand(records, onRecords);
    if (stop !== null) return stop;
    records = [];
  }

  if (parser === undefined) {
    if (head.trim() === '') return fileFaults.empty;
    parser = createCsvParser(detectSeparator(head), (record) => records.push(record));
    const fault = parser.write(head);
    if (fault !== null) return toRefusal(fault);
  }
  const fault = parser.end();
  return fault === null ? hand(records, onRecords) : toRefusal(fault);
}

async function hand(records: CsvRecord[], onRecords: OnRecords): Promise<Refusal | null> {
  const filled = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return filled.length === 0 ? null : onRecords(filled);
}

/** Whether some text and then a line break outside quotes are there. */
function hasWholeLine(head: string): boolean {
  let quoted = false;
  for (let pos = head.search(/\S/); pos >= 0 && pos < head.length; pos += 1) {
    const char = head[pos];
    if (char === '"') quoted = !quoted;
    if (!quoted && (char === '\n' || char === '\r')) return true;
  }
  return false;
}

/** The text of a file; at last a fault where its bytes are not of the encoding. */
async function* decodedPieces(path: string, encoding: Encoding): AsyncGenerator<string | Refusal> {
  // The WHATWG name shift_jis means CP932.
  const decoder = new TextDecoder(encoding === 'cp932' ? 'shift_jis' : 'utf-8', { fatal: true });
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    const text = decodeOrNull(() => decoder.decode(piece, { stream: true }));
    yield text ?? fileFaults.unknownEncoding;
    if (text === null) return;
  }
  yield decodeOrNull(() => decoder.decode()) ?? fileFaults.truncated;
}

function decodeOrNull(decode: () => string): string | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const toRefusal = ({ code, line }: CsvFault): Refusal =>
  code === 'unclosed_quote' ? unclosedQuote(line) : recordTooLong(line);
