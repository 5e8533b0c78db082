import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, lstatSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { StartupError } from '../../platform/startup-error.ts';

/*
 * The backup file: gzipped text. Each part begins with a line of JSON, and a line `\.` ends its rows, as in pg_dump's
 * files: no COPY row or receipt equals it. The last line is the seal: a hash of everything before.
 */

/** The version of the file format. A program refuses a higher one than its own. */
export const FORMAT = 1;

const mark = z.object({ kaitaku: z.literal('backup'), format: z.int().min(1) });

/** A program version. The pattern excludes terminal escape sequences, because versions are printed. */
const version = z.string().regex(/^[\w.+-]{1,64}$/);

const head = mark.extend({
  /** The version of the program that wrote the file. */
  program: version,
  /** The migrations of the database that was backed up. */
  migrations: z
    .array(
      z.object({
        version: z.int(),
        name: z.string(),
        hash: z.hex().max(128).nullish(),
        prerelease: version.nullish(),
      }),
    )
    .min(1),
  /** When the snapshot was taken, by the database's clock. */
  at: z.iso.datetime(),
  installation: z.uuid(),
});
export type Head = z.output<typeof head>;

const tableHead = z.object({ table: z.string(), columns: z.array(z.string()) });

/** Describes the file's content. It comes last, because a stream knows its sums only then. */
const manifest = z.object({
  tables: z.record(
    z.string(),
    z.object({
      rows: z.int(),
      sha256: z.string(),
      /** The last number that the table's sequence gave. */
      last: z.int().nullable(),
    }),
  ),
  receipts: z.int(),
  /** When the receipts were read, by the database's clock. */
  receiptsUntil: z.iso.datetime(),
});
export type Manifest = z.output<typeof manifest>;

/**
 * A part of a file, in this order: head, tables, receipts, manifest.
 * Read a part's rows to their end before the next part.
 */
export type Part =
  | ({ readonly kind: 'head' } & Head)
  | ({ readonly kind: 'table'; readonly rows: AsyncGenerator<Buffer> } & z.output<typeof tableHead>)
  | { readonly kind: 'receipts'; readonly rows: AsyncGenerator<Buffer> }
  | ({ readonly kind: 'manifest' } & Manifest);

export const lineOf = (value: Head | Manifest | z.output<typeof tableHead> | 'receipts' | { sha256: string }): Buffer =>
  Buffer.from(`${JSON.stringify(value)}\n`);

/** Ends the rows of a part. */
export const ROWS_END = Buffer.from('\\.\n');

/** Costs a third of the default level's CPU, for a seventh more bytes (decisions/backup). */
const GZIP = { level: 1, chunkSize: 256 * 1024 };

/** Refuses a path that exists. @throws StartupError */
export function refuseTaken(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw new StartupError(`${path} はすでにあります。上書きはしません。別の名前を指定してください。`);
}

/**
 * Writes a temporary file and renames it once all of it is on disk.
 * @param parts see readArchive(); the seal is added
 * @param unfinished the temporary file; `path` itself: the caller renames it
 * @throws StartupError when the file cannot be written. It is then removed, as after an error of `parts`
 */
export async function writeArchive(
  path: string,
  parts: AsyncIterable<Buffer>,
  unfinished = `${path}.${randomUUID()}.unfinished`,
): Promise<void> {
  let fault: Error | null = null;
  const onSignal = () => {
    rmSync(unfinished, { force: true });
    process.exit(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    // flush: fsync before the file closes.
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    file.on('error', (error) => {
      fault = error;
    });
    await pipeline(sealed(parts), createGzip(GZIP), file);
    if (unfinished !== path) await renameNew(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (fault === null || fault !== error) throw error;
    throw new StartupError(
      `${path} に書き込めませんでした（${(error as Error).message}）。フォルダーの権限と空き容量を確認してください。`,
    );
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onSignal);
  }
}

/** Gives a finished file its name, which no file has. @throws StartupError */
export async function renameNew(from: string, path: string): Promise<void> {
  refuseTaken(path);
  await rename(from, path);
  await syncFolder(dirname(path));
}

/** Flushes a folder's entries to disk (fsync). */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } catch (error) {
    // Network file systems may not support fsync of a folder (EINVAL). The file itself is on disk.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}

async function* sealed(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
  yield lineOf({ sha256: hash.digest('hex') });
}

const isNone = (path: string) => new StartupError(`${path} はKaitakuのバックアップではありません。`);
/** The error for a file of a newer program. */
export const isNewer = (path: string) =>
  new StartupError(`${path} は、このプログラムより新しいKaitakuのバックアップです。新しい版で実行してください。`);
/** The error for a file that was cut or changed. */
export const isBroken = (path: string) =>
  new StartupError(`${path} は途中で切れているか、内容が変わっています。別のバックアップを使ってください。`);

/**
 * Reads a file, part by part.
 * @throws StartupError for another kind of file, or one cut or changed, which the seal reveals at the end
 */
export async function* readArchive(path: string): AsyncGenerator<Part> {
  const text = openText(path);
  // The consumer of the rows receives their errors, not this generator.
  async function* rows() {
    try {
      yield* text.rows();
    } catch (error) {
      rethrow(error, isBroken(path), path);
    }
  }
  try {
    const first = await text.line().catch((error) => rethrow(error, isNone(path), path));
    const marked = mark.safeParse(first);
    if (!marked.success) throw isNone(path);
    if (marked.data.format > FORMAT) throw isNewer(path);
    yield { kind: 'head', ...head.parse(first) };
    let line = await text.line();
    for (const names = new Set<string>(); isObject(line, 'table'); line = await text.line()) {
      const table = tableHead.parse(line);
      if (names.has(table.table)) throw isBroken(path);
      names.add(table.table);
      yield { kind: 'table', ...table, rows: rows() };
    }
    if (line !== 'receipts') throw isBroken(path);
    yield { kind: 'receipts', rows: rows() };
    yield { kind: 'manifest', ...manifest.parse(await text.line()) };
    const seal = await text.line();
    if (!isObject(seal, 'sha256') || seal.sha256 !== text.sum()) throw isBroken(path);
    await text.end();
  } catch (error) {
    rethrow(error, isBroken(path), path);
  } finally {
    // A reader of the head alone leaves the rest.
    text.close();
  }
}

const isObject = <Key extends string>(line: unknown, key: Key): line is Record<Key, unknown> =>
  typeof line === 'object' && line !== null && key in line;

/** Throws `ours` for text of another kind and for a broken gzip file; otherwise the error itself. */
function rethrow(error: unknown, ours: StartupError, path: string): never {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (code.startsWith('Z_') || error instanceof SyntaxError || error instanceof z.ZodError) throw ours;
  if (syscall === undefined || (syscall !== 'open' && syscall !== 'read')) throw error;
  const why = UNREADABLE[code] ?? `を読めませんでした（${(error as Error).message}）。`;
  throw new StartupError(`${path} ${why}`);
}

/** Messages by the system's error code. The path precedes them. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'というファイルはありません。',
  ENOTDIR: 'というファイルはありません。',
  EISDIR: 'はフォルダーです。backup で作ったファイルを指定してください。',
  EACCES: 'を読む権限がありません。ファイルとフォルダーの権限を確認してください。',
};

/** A longer line is not from a backup. */
const LINE_BYTES_MAX = 2 ** 20;

/** Opens the text of a file, to be read in order. */
function openText(path: string) {
  const file = createReadStream(path, { highWaterMark: GZIP.chunkSize });
  const unzipped = createGunzip(GZIP);
  file.on('error', (error) => unzipped.destroy(error));
  const chunks = file.pipe(unzipped)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  let unpacked = 0;
  /** The hash of everything before the last line read. */
  let before = '';

  /** Reads the next chunk. @throws at the end of the file */
  async function more(): Promise<void> {
    const next = await chunks.next();
    if (next.done) throw new SyntaxError('the file ends early');
    unpacked += next.value.length;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
  }

  /** Returns the next `bytes` bytes. */
  function take(bytes: number): Buffer {
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    hash.update(taken);
    return taken;
  }

  return {
    /** Reads a line of JSON. */
    async line(): Promise<unknown> {
      while (!rest.includes('\n') && rest.length < LINE_BYTES_MAX) await more();
      before = hash.copy().digest('hex');
      return JSON.parse(take(rest.indexOf('\n') + 1).toString());
    },
    /** Reads the rows that follow. */
    async *rows(): AsyncGenerator<Buffer> {
      while (rest.length < ROWS_END.length) await more();
      if (rest.subarray(0, ROWS_END.length).equals(ROWS_END)) return void take(ROWS_END.length);
      for (let end = -1; end === -1; ) {
        end = rest.indexOf(`\n${ROWS_END.toString()}`);
        // The last bytes may be the beginning of ROWS_END.
        const bytes = end === -1 ? rest.length - ROWS_END.length : end + 1;
        if (bytes > 0) yield take(bytes);
        if (end === -1) await more();
      }
      take(ROWS_END.length);
    },
    /** Checks that nothing follows. gzip then verifies its own checksum. */
    async end(): Promise<void> {
      if (rest.length > 0 || !(await chunks.next()).done) throw new SyntaxError('something follows the seal');
      await refuseRest(path, { packed: unzipped.bytesWritten, unpacked });
    },
    /** Returns the hash of everything before the last line read. */
    sum: () => before,
    close: () => void [file.destroy(), unzipped.destroy()],
  };
}

/**
 * Refuses bytes after the gzip end: zlib skips zeros, and appends the text of a second gzip file. The last four bytes
 * of a gzip file are the length of its text.
 */
async function refuseRest(path: string, { packed, unpacked }: Record<'packed' | 'unpacked', number>): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, size - 4);
    if (size === packed && buffer.readUInt32LE() === unpacked % 2 ** 32) return;
  } finally {
    await file.close();
  }
  throw new SyntaxError('something follows the end of gzip');
}
