import { createReadStream } from 'node:fs';
import type { Problem } from '../../../platform/problem.ts';
import { type CsvFault, type CsvRecord, createCsvParser } from './csv-parser.ts';
import { fileFaults, recordTooLong, unclosedQuote } from './faults.ts';
import type { Encoding } from './file-encoding.ts';

/** The size of a piece bounds how long the event loop is blocked: a piece is parsed and checked without a pause. */
const PIECE_BYTES = 32 * 1024;
/** The header line is looked for in at most so many characters. */
const MAX_HEAD_LENGTH = 64 * 1024;

/** Takes the records of one piece, in the file's order. A Problem stops the reading. */
type OnRecords = (records: CsvRecord[]) => Promise<Problem | null>;

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
): Promise<Problem | null> {
  let records: CsvRecord[] = [];
  const parserFor = (text: string) => createCsvParser(separatorOf(text), (record) => records.push(record));
  let parser: ReturnType<typeof createCsvParser> | undefined;
  /** Text before there is a parser. */
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

async function passOn(records: CsvRecord[], onRecords: OnRecords): Promise<Problem | null> {
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

/** Yields the decoded text of a file. The last item is a Problem where the bytes are not of the encoding. */
async function* decodedPieces(path: string, encoding: Encoding): AsyncGenerator<string | Problem> {
  const decoder = decoderOf(encoding, { fatal: true });
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    const text = decodeOrNull(() => decoder.decode(piece, { stream: true }));
    yield text ?? fileFaults.unknownEncoding;
    if (text === null) return;
  }
  yield decodeOrNull(() => decoder.decode()) ?? fileFaults.truncated;
}

/** The WHATWG name shift_jis stands for CP932. */
export const decoderOf = (encoding: Encoding, { fatal }: { fatal: boolean }) =>
  new TextDecoder(encoding === 'cp932' ? 'shift_jis' : encoding, { fatal });

function decodeOrNull(decode: () => string): string | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const toProblem = ({ code, line }: CsvFault): Problem =>
  code === 'unclosed_quote' ? unclosedQuote(line) : recordTooLong(line);
