import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** A file of an account, in pieces in the database. `bytes`: how many are there. */
export interface StoredFile {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** The size of a piece that is read or written at once. */
export const PIECE_BYTES = 1024 * 1024;

interface NewFile {
  readonly accountId: number;
  readonly name: string;
  readonly mediaType: string;
  readonly keptDays: number;
}

/** Creates an empty file. @returns its id */
export async function createFile(db: Db, { accountId, name, mediaType, keptDays }: NewFile): Promise<number> {
  const { id } = await db
    .insertInto('stored_file')
    .values({
      account_id: accountId,
      name,
      media_type: mediaType,
      expires_at: sql<Date>`now() + make_interval(days => ${keptDays})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Appends a piece that begins at `start`.
 * @returns the file's new length; null: the file is gone, or its length is not `start` (a piece came twice)
 */
export async function appendPiece(
  db: Db,
  { accountId, id }: Pick<StoredFile, 'accountId' | 'id'>,
  start: number,
  content: Buffer,
): Promise<number | null> {
  const { rows } = await sql<{ bytes: number }>`
    WITH extended AS (
      UPDATE stored_file SET bytes = bytes + ${content.length}
      WHERE account_id = ${accountId} AND id = ${id} AND bytes = ${start} AND expires_at > now()
      RETURNING bytes
    ), piece AS (
      INSERT INTO stored_file_piece (account_id, file_id, start, content)
      SELECT ${accountId}, ${id}, ${start}, ${content} FROM extended
    )
    SELECT bytes FROM extended`.execute(db);
  return rows[0]?.bytes ?? null;
}

/** Finds a file that has not expired. */
export async function findFile(db: Db, accountId: number, id: number): Promise<StoredFile | null> {
  const file = await db
    .selectFrom('stored_file')
    .select(['account_id as accountId', 'id', 'name', 'media_type as mediaType', 'bytes'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return file ?? null;
}

/** Runs a query, such as in a transaction of the file's account. */
type RunQuery = <Result>(query: (db: Db) => Promise<Result>) => Promise<Result>;

/**
 * Streams a file piece by piece.
 * The stream fails where a piece is missing: the file was deleted meanwhile.
 */
export const readStoredFile = (run: RunQuery, file: StoredFile): Readable =>
  Readable.from(pieces(run, file), { objectMode: false });

async function* pieces(run: RunQuery, { accountId, id, bytes }: StoredFile): AsyncGenerator<Buffer> {
  let start = 0;
  while (start < bytes) {
    const from = start;
    const piece = await run((db) =>
      db
        .selectFrom('stored_file_piece')
        .select('content')
        .where('account_id', '=', accountId)
        .where('file_id', '=', id)
        .where('start', '=', from)
        .executeTakeFirst(),
    );
    if (!piece) throw new Error(`stored file ${id} ends at ${start} of ${bytes} bytes`);
    yield piece.content;
    start += piece.content.length;
  }
}

/** Deletes a file with its pieces. */
export async function deleteFile(db: Db, { accountId, id }: Pick<StoredFile, 'accountId' | 'id'>): Promise<void> {
  await db.deleteFrom('stored_file').where('account_id', '=', accountId).where('id', '=', id).execute();
}

/** Deletes files that have expired. @returns how many */
export async function deleteExpiredFiles(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('stored_file')
    .where('expires_at', '<=', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
