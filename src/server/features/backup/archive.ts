import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, lstatSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { StartupError } from '../../platform/startup-error.ts';

/*
 * The file of a backup: text, by gzip. A line of JSON begins each part, and a line `\.` ends its rows, as in the files
 * of pg_dump: no row of COPY and no receipt is such a line. The last line seals what stands before it.
 */

/** The form of the file. A program refuses higher numbers than its own. */
export const FORMAT = 1;

const mark = z.object({ kaitaku: z.literal('backup'), format: z.int().min(1) });

/** The version of a program. It is printed: no terminal takes these letters as orders. */
const version = z.string().regex(/^[\w.+-]{1,64}$/);

const head = mark.extend({
  /** The version of the program that wrote it. */
  program: version,
  /** The migrations of the database. */
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

/** What the file holds. It stands behind that: a stream knows it only then. */
const manifest = z.object({
  tables: z.record(
    z.string(),
    z.object({
      rows: z.int(),
      sha256: z.string(),
      /** The last number that was given to a row. */
      last: z.int().nullable(),
    }),
  ),
  receipts: z.int(),
  /** When the receipts were read, by the database's clock. */
  receiptsUntil: z.iso.datetime(),
});
export type Manifest = z.output<typeof manifest>;

/**
 * A part of a file, in this order: the head, tables, the receipts, the manifest.
 * Its rows must be read to the end before the next part.
 */
export type Part =
  | ({ readonly kind: 'head' } & Head)
  | ({ readonly kind: 'table'; readonly rows: AsyncGenerator<Buffer> } & z.output<typeof tableHead>)
  | { readonly kind: 'receipts'; readonly rows: AsyncGenerator<Buffer> }
  | ({ readonly kind: 'manifest' } & Manifest);

/** Returns a line of JSON. */
export const lineOf = (value: Head | Manifest | z.output<typeof tableHead> | 'receipts' | { sha256: string }): Buffer =>
  Buffer.from(`${JSON.stringify(value)}\n`);

/** Ends the rows of a part. */
export const ROWS_END = Buffer.from('\\.\n');

/** A third of the CPU of the default level, for a seventh more bytes (decisions/backup). */
const GZIP = { level: 1, chunkSize: 256 * 1024 };

/** Refuses a path that is taken. @throws StartupError */
export function refuseTaken(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw new StartupError(`${path} はすでにあります。上書きはしません。別の名前を指定してください。`);
}

/**
 * Writes a new file: beside its place, and moves it there when all of it is on the disk.
 * @param parts see readArchive(); the seal is added
 * @throws StartupError when the file cannot be written. Nothing is left of it, as after an error of `parts`
 */
export async function writeArchive(path: string, parts: AsyncIterable<Buffer>): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.unfinished`;
  let fault: Error | null = null;
  const onSignal = () => {
    rmSync(unfinished, { force: true });
    process.exit(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    // flush: fsync before it closes.
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    file.on('error', (error) => {
      fault = error;
    });
    await pipeline(sealed(parts), createGzip(GZIP), file);
    refuseTaken(path);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
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

/** Puts the names of a folder on the disk. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } catch (error) {
    // A share of another system may have no such call. The file itself is on the disk.
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
/** Refuses what a newer program has written. */
export const isNewer = (path: string) =>
  new StartupError(`${path} は、このプログラムより新しいKaitakuのバックアップです。新しい版で実行してください。`);
/** Refuses what is not as it was written. */
export const isBroken = (path: string) =>
  new StartupError(`${path} は途中で切れているか、内容が変わっています。別のバックアップを使ってください。`);

/**
 * Reads a file, part by part.
 * @throws StartupError where it is none of ours, cut or changed, which the seal shows at the end
 */
export async function* readArchive(path: string): AsyncGenerator<Part> {
  const text = openText(path);
  const first = await text.line().catch((error) => rethrow(error, isNone(path), path));
  const marked = mark.safeParse(first);
  if (!marked.success) throw isNone(path);
  if (marked.data.format > FORMAT) throw isNewer(path);
  // Whoever reads the rows gets their errors, not this generator.
  async function* rows() {
    try {
      yield* text.rows();
    } catch (error) {
      rethrow(error, isBroken(path), path);
    }
  }
  try {
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
  }
}

const isObject = <Key extends string>(line: unknown, key: Key): line is Record<Key, unknown> =>
  typeof line === 'object' && line !== null && key in line;

/** Throws `ours` for text that is none of ours, and for a file that gzip cannot read; else the error itself. */
function rethrow(error: unknown, ours: StartupError, path: string): never {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (code.startsWith('Z_') || error instanceof SyntaxError || error instanceof z.ZodError) throw ours;
  if (syscall === undefined || (syscall !== 'open' && syscall !== 'read')) throw error;
  const why = UNREADABLE[code] ?? `を読めませんでした（${(error as Error).message}）。`;
  throw new StartupError(`${path} ${why}`);
}

/** By the code of the system. The path stands before it. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'というファイルはありません。',
  ENOTDIR: 'というファイルはありません。',
  EISDIR: 'はフォルダーです。backup で作ったファイルを指定してください。',
  EACCES: 'を読む権限がありません。ファイルとフォルダーの権限を確認してください。',
};

/** A longer line is none of ours. */
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
  /** The hash before the line that was read last. */
  let before = '';

  /** Reads on. @throws at the end of the file */
  async function more(): Promise<void> {
    const next = await chunks.next();
    if (next.done) throw new SyntaxError('the file ends early');
    unpacked += next.value.length;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
  }

  /** Returns so many of the next bytes. */
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
        // The last bytes may be the beginning of the end.
        const bytes = end === -1 ? rest.length - ROWS_END.length : end + 1;
        if (bytes > 0) yield take(bytes);
        if (end === -1) await more();
      }
      take(ROWS_END.length);
    },
    /** Expects nothing more: gzip has a sum of its own at the end. */
    async end(): Promise<void> {
      if (rest.length > 0 || !(await chunks.next()).done) throw new SyntaxError('something follows the seal');
      await refuseRest(path, { packed: unzipped.bytesWritten, unpacked });
    },
    /** Returns the hash of what stands before the line that was read last. */
    sum: () => before,
  };
}

/**
 * Refuses bytes behind the end of gzip: zlib passes over zeros, and takes another file of gzip as more of the text.
 * The last four bytes of a file of gzip are the length of its text.
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
