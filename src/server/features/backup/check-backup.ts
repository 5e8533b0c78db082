import type { Db } from '../../platform/database/db.ts';
import { isBeginning, knownMigrations, refuseOtherFiles } from '../../platform/database/migrate.ts';
import { freeBytesOfServer } from '../../platform/disk.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { readLine } from '../delivery/guard/receipt-lines.ts';
import { type Head, isBroken, isNewer, type Manifest, readArchive } from './archive.ts';
import type { Backup } from './backup.command.ts';

/**
 * Reads a whole file, and checks that it is complete and loadable by this program.
 * @param ofAnyVersion whether the database may have a schema that this program does not know
 * @returns also the bytes of its rows
 * @throws StartupError
 */
export async function checkBackup(
  path: string,
  { ofAnyVersion = false } = {},
): Promise<Backup & { readonly bytes: number }> {
  const found: { head?: Head; manifest?: Manifest } = {};
  let [bytes, receipts] = [0, 0];
  for await (const part of readArchive(path)) {
    if (part.kind === 'head') {
      found.head = part;
      if (!ofAnyVersion) await refuseUnknown(path, part);
    } else if (part.kind === 'manifest') found.manifest = part;
    else if (part.kind === 'table') for await (const rows of part.rows) bytes += rows.length;
    else
      for await (const lines of wholeLines(part.rows, path)) {
        bytes += lines.length;
        receipts += countReceipts(lines, path);
      }
  }
  const { head, manifest } = found;
  if (!head || manifest?.receipts !== receipts) throw isBroken(path);
  return { head, manifest, bytes };
}

/** Refuses a schema that this program's migrations do not reach. @throws StartupError */
async function refuseUnknown(path: string, { migrations }: Head): Promise<void> {
  const known = await knownMigrations();
  refuseOtherFiles(path, migrations, known);
  if (!isBeginning(migrations, known)) throw isNewer(path);
}

/** Counts the receipts of whole lines. @throws StartupError for a line that is no receipt */
function countReceipts(lines: Buffer, path: string): number {
  const texts = lines.toString().split('\n').slice(0, -1);
  const onFault = () => {
    throw isBroken(path);
  };
  for (const text of texts) readLine(text, 0, onFault);
  return texts.length;
}

/** The size of a restored receipt file, as a worker writes them. */
const RECEIPT_FILE_BYTES = 256 * 1024;

/** Yields receipts in chunks of whole lines. @param rows whole lines in all @throws StartupError for a longer line */
export async function* wholeLines(rows: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of rows) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length > RECEIPT_FILE_BYTES) {
      const end = rest.lastIndexOf('\n', RECEIPT_FILE_BYTES) + 1;
      // No receipt is that long.
      if (end === 0) throw isBroken(path);
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) yield rest;
}

/** The disk bytes for each byte of the file's text: 258 MB become a database of 760 MB (docs/benchmarks.md). */
const DISK_BYTES_OF_A_BYTE = 3;

/** Refuses rows that exceed the free disk of the database. @param bytes of their text @throws StartupError */
export async function refuseFullDisk(db: Db, bytes: number): Promise<void> {
  const free = await freeBytesOfServer(db);
  const needed = bytes * DISK_BYTES_OF_A_BYTE;
  if (free === null || needed <= free) return;
  throw new StartupError(
    `データベースのディスクの空き（${megabytes(free)} MB）が足りません。復元には約 ${megabytes(needed)} MB が必要です。` +
      '空きを増やしてから、もう一度実行してください。',
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000).toLocaleString('en-US');
