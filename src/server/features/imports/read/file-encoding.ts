import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Problem } from '../../../platform/problem.ts';
import { fileFaults } from './faults.ts';

/** CP932 is Microsoft's Shift_JIS: Excel in Japan writes CSV in it. */
export type Encoding = 'utf-8' | 'cp932' | 'utf-16le' | 'utf-16be';

const startsWith = (bytes: Buffer, ...prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

/**
 * Detects the encoding of a file by reading all of it.
 * UTF-16 is known by its mark. A file that is not valid UTF-8 counts as CP932, whose decoder decides later. Refused are
 * JIS, EUC-JP, binary files, and a UTF-8 file that ends within a character, which would be nonsense as CP932.
 */
export async function detectEncoding(path: string): Promise<Encoding | Problem> {
  let carry = Buffer.alloc(0);
  let first = true;
  let hasNonAscii = false;
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    const bytes = carry.length === 0 ? piece : Buffer.concat([carry, piece]);
    if (first) {
      const known = utf16Of(bytes) ?? binaryFault(bytes);
      if (known !== null) return known;
      first = false;
    }
    const end = endOfLastCharacter(bytes);
    const complete = bytes.subarray(0, end);
    if (!isUtf8(complete)) return isEucJp(bytes) ? fileFaults.eucJp : 'cp932';
    if (!hasNonAscii && isJis(bytes)) return fileFaults.jis;
    hasNonAscii ||= complete.some((byte) => byte > 0x7f);
    carry = Buffer.from(bytes.subarray(end));
  }
  if (first) return fileFaults.empty;
  if (carry.length === 0) return 'utf-8';
  return hasNonAscii ? fileFaults.truncated : 'cp932';
}

/** Detects the encoding of a file by its first bytes, which may end within a character. */
export function detectHeadEncoding(head: Buffer): Encoding | Problem {
  const known = utf16Of(head) ?? binaryFault(head);
  if (known !== null) return known;
  if (!isUtf8(head.subarray(0, endOfLastCharacter(head)))) return isEucJp(head) ? fileFaults.eucJp : 'cp932';
  return isJis(head) ? fileFaults.jis : 'utf-8';
}

/** Recognises ISO-2022-JP by the escape sequences that begin its kanji and kana. All its bytes are ASCII. */
const isJis = (bytes: Buffer): boolean =>
  ['\x1b$B', '\x1b$@', '\x1b$(D', '\x1b(I'].some((start) => bytes.includes(start)) &&
  bytes.every((byte) => byte < 0x80);

/**
 * Recognises EUC-JP: its letters are pairs of high bytes, as those of CP932 hardly ever are. Half-width kana of CP932
 * are high bytes too, so that some byte must be above them.
 */
function isEucJp(bytes: Buffer): boolean {
  let isAboveKana = false;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte < 0x80) {
      at += 1;
      continue;
    }
    const length = byte === 0x8f ? 3 : 2;
    const isLetter = (byte >= 0xa1 && byte <= 0xfe) || byte === 0x8e || byte === 0x8f;
    const rest = bytes.subarray(at + 1, at + length);
    if (!isLetter || rest.some((next) => next < 0xa1 || next > 0xfe)) return false;
    isAboveKana ||= byte > 0xdf || rest.some((next) => next > 0xdf);
    at += length;
  }
  return isAboveKana;
}

/** Recognises UTF-16 by its byte order mark, as Excel writes `Unicode テキスト`. */
function utf16Of(bytes: Buffer): Encoding | null {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  return startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : null;
}

/** Refuses a file with NUL in its first line: UTF-16 without a mark, or no text. */
function binaryFault(bytes: Buffer): Problem | null {
  const lineEnd = bytes.indexOf(10);
  const firstLine = lineEnd < 0 ? bytes : bytes.subarray(0, lineEnd);
  return firstLine.includes(0) ? fileFaults.binary : null;
}

/**
 * Finds the end of the last complete UTF-8 character. Invalid bytes count as complete, and fail the check for UTF-8.
 */
function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
