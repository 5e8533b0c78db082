import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Problem } from '../../../platform/problem.ts';
import { workbookFaults } from './workbook/workbook-faults.ts';

/** `zip`: a workbook of today (xlsx), if any. `compound`: one of before 2007 (xls), or an encrypted one. */
export type FileKind = 'text' | 'zip' | 'compound' | 'pdf';

const SIGNATURES: readonly (readonly [FileKind, Buffer])[] = [
  ['zip', Buffer.from([0x50, 0x4b, 0x03, 0x04])],
  ['compound', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
  ['pdf', Buffer.from('%PDF-')],
];
const SIGNATURE_BYTES = 8;

/** Recognises a file by its first bytes. */
export const kindOfHead = (head: Buffer): FileKind =>
  SIGNATURES.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes))?.[0] ?? 'text';

export async function kindOfFile(path: string): Promise<FileKind> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return kindOfHead(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Names of streams in a compound file: of an encrypted workbook, and of an old one. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');
const WORKBOOK_STREAM = Buffer.from('Workbook', 'utf16le');

/** Returns why a compound file is refused. The names of its streams may be anywhere in it. */
export async function refusalOfCompound(path: string): Promise<Problem> {
  let fault: Problem = workbookFaults.notATable;
  let carry = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([carry, piece]);
    if (bytes.includes(ENCRYPTED_STREAM)) return workbookFaults.encrypted;
    if (bytes.includes(WORKBOOK_STREAM)) fault = workbookFaults.oldExcel;
    carry = Buffer.from(bytes.subarray(-ENCRYPTED_STREAM.length));
  }
  return fault;
}
