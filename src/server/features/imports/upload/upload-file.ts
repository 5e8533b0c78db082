import type pg from 'pg';
import { MAX_IMPORT_BYTES } from '#domain/company/import-limits.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Problem } from '../../../platform/problem.ts';
import { findFile, readStoredFile } from '../../stored-files/stored-file.queries.ts';
import { findImport, type StoredImport } from '../import.queries.ts';
import { type ListFile, withListFile } from '../read/list-file.ts';
import { withSourceFile } from '../read/source-file.ts';
import { notUploaded } from './look.ts';

/** What the handlers of imports need. */
export interface ImportParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** The same pool, for COPY. */
  readonly pool: pg.Pool;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A complete upload, as a text file on this machine. */
export interface Upload {
  readonly run: StoredImport & { readonly fileId: number };
  readonly list: ListFile;
}

/**
 * Runs `work` with an upload as a temporary file, which is read more than once.
 * @returns a Problem where the upload is incomplete or expired, or is no table
 */
export async function withUpload(
  { db }: ImportParts,
  accountId: number,
  { importRunId, signal }: { importRunId: number; signal: AbortSignal },
  work: (upload: Upload) => Promise<Problem | undefined>,
): Promise<Problem | undefined> {
  const run = await findImport(db, accountId, importRunId);
  const fileId = run?.fileId ?? null;
  const file = fileId === null ? null : await findFile(db, accountId, fileId);
  if (!run || fileId === null || file === null || file.bytes !== run.bytes) return notUploaded();
  const content = readStoredFile((query) => query(db), file);
  const { encoding, sheet } = run.settings ?? {};
  return withSourceFile(content, MAX_IMPORT_BYTES, (path) =>
    withListFile(accountId, path, { encoding, sheet, signal }, (list) => work({ run: { ...run, fileId }, list })),
  );
}
