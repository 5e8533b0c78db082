import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { MB } from '#domain/company/import-limits.ts';
import { WorkbookFault, workbookFaults } from './workbook-faults.ts';

/*
 * The parts of a workbook: the entries of its ZIP. The sizes stated by the ZIP are limited before unpacking, and yauzl
 * fails if an entry unpacks to more than stated.
 */

/** The most unpacked bytes for a workbook's size. Honest ones take 10 to 20 times; small repetitive ones more. */
const maxUnpacked = (packedBytes: number): number => Math.min(100 * MB + 40 * packedBytes, 1024 * MB);
const MAX_PARTS = 10_000;

export interface PackageParts {
  /** In lower case, because part names are case-insensitive. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Unpacks a part piece by piece, and then checks its CRC. */
  read(name: string): AsyncIterable<Buffer>;
  close(): void;
}

/** Opens the parts of a workbook. Throws WorkbookFault if the file is no valid ZIP, or unpacks to too much. */
export async function openParts(path: string): Promise<PackageParts> {
  const { size } = await stat(path);
  const zip = await openZip(path);
  try {
    const entries = await readEntries(zip, maxUnpacked(size));
    return {
      names: [...entries.keys()],
      has: (name) => entries.has(name.toLowerCase()),
      read: (name) => piecesOf(zip, entries.get(name.toLowerCase())),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false });
  } catch (error) {
    throw toBroken(error);
  }
}

async function readEntries(zip: ZipFile, maxBytes: number): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      bytes += entry.uncompressedSize;
      if (bytes > maxBytes) throw new WorkbookFault(workbookFaults.expandsTooFar);
      if (entry.isEncrypted()) throw new WorkbookFault(workbookFaults.encrypted);
      if (entries.has(name) || entries.size >= MAX_PARTS) throw new WorkbookFault(workbookFaults.broken);
      entries.set(name, entry);
    }
  } catch (error) {
    throw toBroken(error);
  }
  return entries;
}

async function* piecesOf(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new WorkbookFault(workbookFaults.broken);
  let crc = 0;
  try {
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    throw toBroken(error);
  }
  if (crc !== entry.crc32) throw new WorkbookFault(workbookFaults.broken);
}

/** yauzl and zlib report a damaged ZIP by plain errors. Disk errors are rethrown unchanged. */
const toBroken = (error: unknown): unknown =>
  error instanceof WorkbookFault || (error instanceof Error && 'syscall' in error)
    ? error
    : new WorkbookFault(workbookFaults.broken);
