import { type RawBuilder, sql } from 'kysely';
import { MAX_IMPORT_BYTES } from '#domain/company/import-limits.ts';
import { MAX_STORED_BYTES, MAX_STORED_FILES } from '#domain/limits.ts';
import { fileSize } from '#domain/text/file-size.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockWithin } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { StorageFigures } from '../../platform/metrics/queue-metrics.ts';
import { Problem, storageFull } from '../../platform/problem.ts';

/** The limits of all accounts' files. Without `freeBytes` and `maxBytes` only the database's own disk limits them. */
export interface StorageLimits {
  /** Reads the files of all accounts; null: the transaction's own role may read them. */
  readonly allFiles: Db | null;
  /** Returns the free bytes of the bundled database's file system; null: the database is the operator's own. */
  readonly freeBytes: (() => Promise<number>) | null;
  /** STORED_BYTES_MAX; null: not set. */
  readonly maxBytes: number | null;
}

export const NO_STORAGE_LIMITS: StorageLimits = { allFiles: null, freeBytes: null, maxBytes: null };

/** The key of an advisory lock, so that no two accounts take the same space. */
const ALL_LOCK = 4_202_617;

const heldBytes = sql`greatest(bytes, declared_bytes)`;

interface Wanted {
  readonly bytes: number;
  /** These bytes start a new file. */
  readonly isNew?: boolean;
  /** Ids of files that the transaction deletes in return. */
  readonly insteadOf?: readonly number[];
}

/**
 * Checks whether an account may store more bytes, and blocks its next check until the transaction ends.
 * @returns 409 that names deletable files; 503 if the operator's storage is full; null: it may
 */
export async function storageFault(
  tx: Tx,
  accountId: number,
  { bytes, isNew = false, insteadOf = [] }: Wanted,
  limits: StorageLimits,
): Promise<Problem | null> {
  await lockWithin(tx, 'limits', accountId);
  const { rows } = await sql<{ held: number; files: number }>`
    SELECT coalesce(sum(${heldBytes}), 0)::bigint AS held, count(*)::integer AS files FROM stored_file
    WHERE account_id = ${accountId} AND expires_at > now() AND ${heldBytes} > 0
      AND id <> ALL (${insteadOf}::bigint[])`.execute(tx);
  const { held, files } = onlyRow(rows);
  if (held + bytes > MAX_STORED_BYTES || (isNew && files >= MAX_STORED_FILES))
    return accountFull(FILES, await deletableFiles(tx, accountId, heldBytes));
  if (limits.freeBytes === null && limits.maxBytes === null) return null;
  await sql`SELECT pg_advisory_xact_lock(${ALL_LOCK})`.execute(tx);
  const room = await roomBeside(await totals(limits.allFiles ?? tx, insteadOf), limits);
  return room < bytes ? storageFull() : null;
}

interface Totals {
  /** The bytes of all files, uploads by their declared size. */
  readonly held: number;
  /** The declared bytes that open uploads have not sent yet. */
  readonly awaited: number;
}

async function totals(db: Db, insteadOf: readonly number[] = []): Promise<Totals> {
  const { rows } = await sql<Totals>`
    SELECT coalesce(sum(${heldBytes}), 0)::bigint AS held,
      coalesce(sum(greatest(declared_bytes - bytes, 0)) FILTER (WHERE expires_at > now()), 0)::bigint AS awaited
    FROM stored_file WHERE id <> ALL (${insteadOf}::bigint[])`.execute(db);
  return onlyRow(rows);
}

/** The disk bytes for each byte of a file: its piece, its review, its companies, and the WAL. */
const DISK_BYTES_OF_A_BYTE = 3;

/** Kept free for mails and everything else. */
const KEPT_FREE_BYTES = 1024 ** 3;

/** Returns the most bytes of a new file by the operator's limits; Infinity without any. */
async function roomBeside({ held, awaited }: Totals, { freeBytes, maxBytes }: StorageLimits): Promise<number> {
  const below = maxBytes === null ? Number.POSITIVE_INFINITY : maxBytes - held;
  if (freeBytes === null) return below;
  return Math.min(below, Math.floor(((await freeBytes()) - KEPT_FREE_BYTES) / DISK_BYTES_OF_A_BYTE) - awaited);
}

/** Reads the stored bytes of all accounts, and whether storage is free. @param db of a role that sees all accounts */
export async function storageFigures(db: Db, limits: StorageLimits): Promise<StorageFigures> {
  const all = await totals(db);
  const room = Math.max(0, await roomBeside(all, limits));
  return {
    storedBytes: all.held,
    roomBytes: Number.isFinite(room) ? room : null,
    isFull: room < MAX_IMPORT_BYTES ? 1 : 0,
  };
}

/**
 * Checks whether an account's import reviews exceed their limit.
 * They count separately from files: the review of a file of the largest size may be larger than the file.
 */
export async function reviewFault(db: Db, accountId: number): Promise<Problem | null> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(review_bytes), 0)::bigint AS bytes FROM stored_file
    WHERE account_id = ${accountId} AND expires_at > now()`.execute(db);
  if (onlyRow(rows).bytes <= MAX_STORED_BYTES) return null;
  return accountFull(
    `確認の結果は、アカウント全体で${fileSize(MAX_STORED_BYTES)}`,
    await deletableFiles(db, accountId, sql`review_bytes`),
  );
}

interface HeldFile {
  readonly name: string;
  readonly bytes: number;
  readonly isExport: boolean;
  /** How many files can be deleted. */
  readonly count: number;
}

const NAMED_FILES = 3;

/** Reads the largest files that a member can delete: those that no job is reading or writing. */
async function deletableFiles(db: Db, accountId: number, size: RawBuilder<unknown>): Promise<HeldFile[]> {
  const { rows } = await sql<HeldFile>`
    SELECT coalesce(run.file_name, file.name) AS name, ${size} AS bytes, run.id IS NULL AS "isExport",
      count(*) OVER ()::integer AS count
    FROM stored_file AS file
    LEFT JOIN import_run AS run ON run.account_id = file.account_id AND run.file_id = file.id
    LEFT JOIN job ON job.account_id = file.account_id AND job.id = coalesce(run.job_id, file.job_id)
    WHERE file.account_id = ${accountId} AND file.expires_at > now() AND ${heldBytes} > 0 AND ${size} > 0
      AND coalesce(job.state, 'done') NOT IN ('queued', 'running')
    ORDER BY bytes DESC, file.id LIMIT ${NAMED_FILES}`.execute(db);
  return rows;
}

const MAX_NAME_LENGTH = 24;

/** Shortens and quotes a name for a message. */
export const quoted = (name: string): string =>
  `「${name.length > MAX_NAME_LENGTH ? `${Array.from(name).slice(0, MAX_NAME_LENGTH).join('')}…` : name}」`;

const FILES = `ファイルは、アカウント全体で${fileSize(MAX_STORED_BYTES)}・${MAX_STORED_FILES.toLocaleString('ja-JP')}件`;

function accountFull(what: string, files: readonly HeldFile[]): Problem {
  const limit = `保存できる${what}までです。`;
  const names = files.map(
    ({ name, bytes, isExport }) => `${isExport ? '書き出し' : '取り込み'}${quoted(name)}（${fileSize(bytes)}）`,
  );
  const count = files[0]?.count ?? 0;
  const cure =
    count === 0
      ? '処理中のファイルがほとんどです。終わってから、やり直してください。'
      : `${names.join('、')}${count > names.length ? `など${count}件` : ''}のうち、使わないものを、書き出しの一覧か取り込みの履歴で削除してから、やり直してください。`;
  return new Problem('account_storage_full', limit + cure);
}
