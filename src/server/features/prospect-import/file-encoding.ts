import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Refusal } from '../../platform/refusal.ts';
import { fileFaults } from './faults.ts';

/** cp932: what Excel in Japan calls Shift_JIS. */
export type Encoding = 'utf-8' | 'cp932';

const startsWith = (bytes: Buffer, ...prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

/**
 * Reads a file once, in pieces. UTF-8 when all of it is valid UTF-8, else taken for CP932 (whose decoder has the last word).
 * UTF-16, workbooks and ZIPs are refused, and a UTF-8 file that ends within a character: taken for CP932 it would turn into
 * nonsense.
 */
export async function detectEncoding(path: string): Promise<Encoding | Refusal> {
  let carry = Buffer.alloc(0);
  let first = true;
  let beyondAscii = false;
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    const bytes = carry.length === 0 ? piece : Buffer.concat([carry, piece]);
    if (first) {
      const fault = otherKind(bytes);
      if (fault !== null) return fault;
      first = false;
    }
    const end = wholeCharacters(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) return 'cp932';
    beyondAscii ||= whole.some((byte) => byte > 0x7f);
    carry = Buffer.from(bytes.subarray(end));
  }
  if (first) return fileFaults.empty;
  if (carry.length === 0) return 'utf-8';
  return beyondAscii ? fileFaults.truncated : 'cp932';
}

/** What the first bytes tell of a file that is no CSV. NUL in the first line: UTF-16 without its mark, or no text at all. */
function otherKind(bytes: Buffer): Refusal | null {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) return fileFaults.utf16;
  // ZIP (xlsx) and the compound file of xls.
  if (startsWith(bytes, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return fileFaults.workbook;
  const lineEnd = bytes.indexOf(10);
  const firstLine = lineEnd < 0 ? bytes : bytes.subarray(0, lineEnd);
  return firstLine.includes(0) ? fileFaults.binary : null;
}

/** Where the last UTF-8 character that is whole ends; bytes that cannot start one are left to the check. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
