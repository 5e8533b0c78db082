import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** A file of an account, stored in pieces in the database. `bytes`: the stored length. */
export interface StoredFile {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** The bytes that are read or written together. */
export const PIECE_BYTES = 1024 * 1024;

interface NewFile {
  readonly accountId: number;
  readonly name: string;
  readonly mediaType: string;
  readonly keptDays: number;
}

/** Creates an empty file for an upload of the declared bytes, which count as used from now on. @returns its id */
export async function createFile(
  db: Db,
  { accountId, name, mediaType, keptDays, bytes }: NewFile & { readonly bytes: number },
): Promise<number> {
  const { id } = await db
    .insertInto('stored_file')
    .values({
      account_id: accountId,
      name,
      media_type: mediaType,
      declared_bytes: bytes,
      expires_at: sql<Date>`now() + make_interval(days => ${keptDays})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Creates a running job's file with its first piece, so that a job killed earlier leaves no empty file.
 * @returns its id; null: the job is gone, or has ended
 */
export async function createFileOfJob(
  db: Db,
  { accountId, jobId, name, mediaType, keptDays }: NewFile & { readonly jobId: number },
  content: Buffer,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    WITH file AS (
      INSERT INTO stored_file (account_id, job_id, name, media_type, bytes, expires_at)
      SELECT account_id, id, ${name}, ${mediaType}, ${content.length}, now() + make_interval(days => ${keptDays})
      FROM job WHERE account_id = ${accountId} AND id = ${jobId} AND state = 'running'
      FOR KEY SHARE
      RETURNING id
    ), piece AS (
      INSERT INTO stored_file_piece (account_id, file_id, start, content)
      SELECT ${accountId}, id, 0, ${content} FROM file
    )
    SELECT id FROM file`.execute(db);
  return rows[0]?.id ?? null;
}

/**
 * Appends a piece that starts at `start`.
 * @returns the file's new length; null: the file is gone, or its length is not `start` (a repeated piece)
 */
export async function appendPiece(
  db: Db,
  { accountId, id }: Pick<StoredFile, 'accountId' | 'id'>,
  start: number,
  content: Buffer,
): Promise<number | null> {
  const { rows } = await sql<{ bytes: number }>`
    WITH extended AS (
      UPDATE stored_file SET bytes = bytes + ${content.length}, written_at = now()
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

/** Runs a query, for example in a transaction of the file's account. */
type RunQuery = <Result>(query: (db: Db) => Promise<Result>) => Promise<Result>;

/**
 * Streams a file piece by piece.
 * Fails if a piece is missing because the file was deleted meanwhile.
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

/** Deletes an imported file's content and its check's changes. Keeps the faults that the check found. */
export async function deleteContent(db: Db, { accountId, id }: Pick<StoredFile, 'accountId' | 'id'>): Promise<void> {
  await db.deleteFrom('stored_file_piece').where('account_id', '=', accountId).where('file_id', '=', id).execute();
  await sql`
    DELETE FROM import_line
    WHERE account_id = ${accountId} AND file_id = ${id}
      AND kind IN ('changed', 'person_added', 'person_changed')`.execute(db);
  await sql`
    UPDATE stored_file SET bytes = 0, declared_bytes = 0, review_bytes = (
      SELECT coalesce(sum(octet_length(line::text)), 0) FROM import_line AS line
      WHERE line.account_id = ${accountId} AND line.file_id = ${id})
    WHERE account_id = ${accountId} AND id = ${id}`.execute(db);
}

/** Deletes a job's file, unless the job is done: the answer to its commit may have been lost. */
export async function deleteUnfinishedFile(
  db: Db,
  { accountId, id }: Pick<StoredFile, 'accountId' | 'id'>,
): Promise<void> {
  await sql`
    DELETE FROM stored_file AS file WHERE account_id = ${accountId} AND id = ${id} AND NOT EXISTS (
      SELECT FROM job WHERE job.account_id = file.account_id AND job.id = file.job_id AND job.state = 'done')`.execute(
    db,
  );
}

/** Deletes the files of an earlier claim of a job. */
export async function deleteFilesOfJob(db: Db, accountId: number, jobId: number): Promise<void> {
  await db.deleteFrom('stored_file').where('account_id', '=', accountId).where('job_id', '=', jobId).execute();
}

/**
 * Deletes expired files, files of jobs whose worker was killed, and imports without changes a week after their start.
 */
export async function deleteDeadFiles(db: Db): Promise<void> {
  await db
    .deleteFrom('stored_file')
    .where('expires_at', '<=', sql<Date>`now()`)
    .where(isNotFrozen('account_id'))
    .execute();
  await sql`
    DELETE FROM stored_file AS file USING job
    WHERE job.account_id = file.account_id AND job.id = file.job_id AND ${isNotFrozen('file.account_id')}
      AND (job.state IN ('failed', 'cancelled')
        OR job.state = 'done' AND (job.result->>'file_id')::bigint IS DISTINCT FROM file.id)`.execute(db);
  await sql`
    DELETE FROM import_run WHERE ${isNotFrozen('account_id')}
      AND file_id IS NULL AND state NOT IN ('imported', 'undone')
      AND created_at < now() - interval '7 days'`.execute(db);
}
