import type { AccountDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { type StorageLimits, storageFault } from './storage-limits.ts';
import { appendPiece, createFileOfJob, deleteUnfinishedFile, PIECE_BYTES } from './stored-file.queries.ts';

/** The file was deleted while being written, or its job has ended. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

export interface FileWriter {
  /** Appends bytes. They are stored in pieces of PIECE_BYTES. @returns a refusal if storage is full */
  append(bytes: Buffer): Promise<Problem | undefined>;
  /** Stores the rest. @returns the file's id, or a refusal */
  finish(): Promise<number | Problem>;
  /** Deletes the stored pieces, unless the job has ended with the file. */
  discard(): Promise<void>;
}

interface FileOfJob {
  readonly jobId: number;
  readonly name: string;
  readonly mediaType: string;
  readonly keptDays: number;
}

/**
 * Writes a running job's file in pieces, within the limits of its account and of the operator.
 * The file is created with its first piece. All functions throw FileGone if it was deleted meanwhile.
 * @param account as a role that may write for it
 */
export function fileWriter(account: AccountDb, file: FileOfJob, limits: StorageLimits): FileWriter {
  const { id: accountId } = account;
  let id: number | null = null;
  let start = 0;
  let waiting = Buffer.alloc(0);

  async function store(piece: Buffer): Promise<Problem | undefined> {
    const stored = await account.transaction(async (tx) => {
      const fault = await storageFault(tx, accountId, { bytes: piece.length }, limits);
      if (fault) return fault;
      if (id === null) return createFileOfJob(tx, { accountId, ...file }, piece);
      return (await appendPiece(tx, { accountId, id }, start, piece)) === null ? null : id;
    });
    if (stored instanceof Problem) return stored;
    if (stored === null) throw new FileGone(`the file of job ${file.jobId} was deleted, or the job has ended`);
    id = stored;
    start += piece.length;
    return undefined;
  }

  return {
    async append(bytes) {
      waiting = Buffer.concat([waiting, bytes]);
      while (waiting.length >= PIECE_BYTES) {
        const problem = await store(waiting.subarray(0, PIECE_BYTES));
        if (problem) return problem;
        waiting = waiting.subarray(PIECE_BYTES);
      }
      return undefined;
    },
    async finish() {
      const problem = waiting.length > 0 ? await store(waiting) : undefined;
      waiting = Buffer.alloc(0);
      if (problem instanceof Problem) return problem;
      if (id === null) throw new Error('a file without bytes');
      return id;
    },
    async discard() {
      const written = id;
      if (written !== null) await account.transaction((tx) => deleteUnfinishedFile(tx, { accountId, id: written }));
    },
  };
}
