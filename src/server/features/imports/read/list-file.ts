import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MAX_WORKBOOK_BYTES } from '#domain/company/import-limits.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import { fileFaults, tooLarge } from './faults.ts';
import type { Encoding } from './read-records.ts';
import { readWorkbook } from './workbook/read-workbook.ts';
import { workbookFaults } from './workbook/workbook-faults.ts';
import type { ReadSheet } from './workbook/workbook-to-csv.ts';

/** A list as a text file, so that the import reads only one kind. */
export interface ListFile {
  readonly path: string;
  readonly encoding: Encoding;
  /** The sheet that was read, if the list is a workbook. The text is CSV then. */
  readonly workbook: ReadSheet | null;
}

/** The person's choices; the rest is detected. */
export interface ListChoice {
  readonly encoding?: Encoding | undefined;
  /** The position or the name of a sheet. */
  readonly sheet?: number | string | undefined;
  readonly maxBytes?: number | undefined;
  /** For a workbook: reads only this many rows with a value. */
  readonly headRows?: number | undefined;
  /** Ends the reading of a workbook, or the wait for it. */
  readonly signal?: AbortSignal | undefined;
}

/** The file's format for people: its encoding, or `xlsx`. */
export const formatOf = ({ encoding, workbook }: ListFile): Encoding | 'xlsx' =>
  workbook === null ? encoding : 'xlsx';

const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Runs `work` with a list as a text file, which it can read more than once. A stream is stored in a temporary file, and
 * a workbook becomes one of CSV; both are removed when `work` ends.
 * @param accountId the account in whose turn a workbook is read
 * @returns a Problem if the file is no list, or larger than `maxBytes`
 */
export const withListFile = <T>(
  accountId: number,
  source: string | Readable,
  choice: ListChoice,
  work: (list: ListFile) => Promise<T>,
): Promise<T | Refusal> =>
  withStoredFile(source, choice.maxBytes ?? MAX_FILE_BYTES, (path) => withTextFile(accountId, path, choice, work));

/** Stores a stream in a private temporary folder, because detecting the encoding needs a full first reading. */
async function withStoredFile<T>(
  source: string | Readable,
  maxBytes: number,
  work: (path: string) => Promise<T>,
): Promise<T | Refusal> {
  if (typeof source === 'string') {
    const { size } = await stat(source);
    return size > maxBytes ? tooLarge(maxBytes) : work(source);
  }
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-import-'));
  try {
    const path = join(folder, 'list.csv');
    const fault = await storeStream(source, path, maxBytes);
    return fault ?? (await work(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function storeStream(source: Readable, path: string, maxBytes: number): Promise<Refusal | undefined> {
  let bytes = 0;
  let fault: Refusal | undefined;
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) fault = tooLarge(maxBytes);
      done(fault === undefined ? null : new Error(fault.message), piece);
    },
  });
  try {
    await pipeline(source, limit, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    if (fault === undefined) throw error;
  }
  return fault;
}

async function withTextFile<T>(
  accountId: number,
  path: string,
  choice: ListChoice,
  work: (list: ListFile) => Promise<T>,
): Promise<T | Refusal> {
  const kind = await kindOfFile(path);
  switch (kind) {
    case 'zip':
      return withWorkbook(accountId, path, choice, work);
    case 'compound':
      return refusalOfCompound(path);
    case 'text': {
      const encoding = await encodingOf(path, choice.encoding);
      return encoding instanceof Problem ? encoding : work({ path, encoding, workbook: null });
    }
    default:
      return REFUSALS[kind];
  }
}

/** Returns the chosen encoding, or the detected one. Some detection faults do not apply to a chosen encoding. */
async function encodingOf(path: string, chosen: Encoding | undefined): Promise<Encoding | Refusal> {
  const detected = await detectEncoding(path);
  // A file that ends within a UTF-8 character may be complete in another encoding.
  const isReadable = !(detected instanceof Problem) || detected.code === 'truncated';
  return chosen !== undefined && isReadable ? chosen : detected;
}

async function withWorkbook<T>(
  accountId: number,
  path: string,
  { sheet, headRows, signal }: ListChoice,
  work: (list: ListFile) => Promise<T>,
): Promise<T | Refusal> {
  const { size } = await stat(path);
  if (size > MAX_WORKBOOK_BYTES) return workbookFaults.tooLarge;
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-sheet-'));
  try {
    const csvPath = join(folder, 'sheet.csv');
    const options = { path, csvPath, sheet: sheet ?? null, headRows: headRows ?? null };
    const read = await readWorkbook(options, accountId, signal);
    if (read instanceof Problem) return read;
    return await work({ path: csvPath, encoding: 'utf-8', workbook: read });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** These file types are no lists, whatever their names. Some programs name an HTML table `.xls`. */
export const REFUSALS = {
  pdf: workbookFaults.notATable,
  html: workbookFaults.html,
  xmlSpreadsheet: workbookFaults.xmlSpreadsheet,
  webArchive: workbookFaults.webArchive,
};

/** `zip`: possibly a current workbook (xlsx). `compound`: one from before 2007 (xls), or an encrypted one. */
type FileKind = 'text' | 'zip' | 'compound' | keyof typeof REFUSALS;

const SIGNATURES: readonly (readonly [FileKind, Buffer])[] = [
  ['zip', Buffer.from([0x50, 0x4b, 0x03, 0x04])],
  ['compound', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
  ['pdf', Buffer.from('%PDF-')],
];
/** A file that starts with one of these is no CSV: other text formats, in any encoding, without NUL. */
const TEXT_SIGNATURES: readonly (readonly [FileKind, RegExp])[] = [
  ['xmlSpreadsheet', /^<\?xml[\s\S]*(?:progid="Excel\.Sheet"|<Workbook[\s>])/],
  ['html', /^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|meta|style|body|div|table)\b/i],
  ['webArchive', /^MIME-Version:[\s\S]*Content-Type:\s*multipart\/related/i],
];
const SIGNATURE_BYTES = 1024;

/** Recognises a file by its first bytes. */
export function kindOfHead(bytes: Buffer): FileKind {
  const head = bytes.subarray(0, SIGNATURE_BYTES);
  const known = SIGNATURES.find(([, signature]) => head.subarray(0, signature.length).equals(signature));
  if (known !== undefined) return known[0];
  const text = head
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*/, '');
  return TEXT_SIGNATURES.find(([, signature]) => signature.test(text))?.[0] ?? 'text';
}

async function kindOfFile(path: string): Promise<FileKind> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return kindOfHead(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Stream names in a compound file: of an encrypted workbook and of an old one. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');
const WORKBOOK_STREAM = Buffer.from('Workbook', 'utf16le');

/** Returns why a compound file is refused. Its stream names may be anywhere in the file. */
async function refusalOfCompound(path: string): Promise<Refusal> {
  let fault: Refusal = workbookFaults.notATable;
  let carry = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([carry, piece]);
    if (bytes.includes(ENCRYPTED_STREAM)) return workbookFaults.encrypted;
    if (bytes.includes(WORKBOOK_STREAM)) fault = workbookFaults.oldExcel;
    carry = Buffer.from(bytes.subarray(-ENCRYPTED_STREAM.length));
  }
  return fault;
}

const startsWith = (bytes: Buffer, ...prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

/**
 * Detects the encoding of a file by reading all of it.
 * UTF-16 is recognised by its byte order mark. Invalid UTF-8 counts as CP932, and its decoder checks it later. Refuses
 * JIS, EUC-JP, binary files, and a UTF-8 file that ends within a character, which would be nonsense as CP932.
 */
export async function detectEncoding(path: string): Promise<Encoding | Refusal> {
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
export function detectHeadEncoding(head: Buffer): Encoding | Refusal {
  const known = utf16Of(head) ?? binaryFault(head);
  if (known !== null) return known;
  if (!isUtf8(head.subarray(0, endOfLastCharacter(head)))) return isEucJp(head) ? fileFaults.eucJp : 'cp932';
  return isJis(head) ? fileFaults.jis : 'utf-8';
}

/** Recognises ISO-2022-JP by the escape sequences before kanji and kana. All its bytes are ASCII. */
const isJis = (bytes: Buffer): boolean =>
  ['\x1b$B', '\x1b$@', '\x1b$(D', '\x1b(I'].some((start) => bytes.includes(start)) &&
  bytes.every((byte) => byte < 0x80);

/**
 * Recognises EUC-JP by its pairs of high bytes, which CP932 hardly ever has. CP932's half-width kana are high bytes
 * too, so at least one byte must be above them.
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

/** Refuses a file with NUL in its first line: UTF-16 without a byte order mark, or no text. */
function binaryFault(bytes: Buffer): Refusal | null {
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
