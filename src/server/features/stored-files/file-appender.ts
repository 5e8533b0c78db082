import type { Db } from '../../platform/db.ts';
import { appendPiece, PIECE_BYTES, type StoredFile } from './stored-file.queries.ts';

interface FileAppender {
  /** Appends bytes. They are stored once there are PIECE_BYTES of them. */
  append(bytes: Buffer): Promise<void>;
  /** Stores what is left. */
  flush(): Promise<void>;
}

/** Writes a stored file in pieces. It throws where the file is deleted meanwhile, or written by somebody else. */
export function appendTo(db: Db, file: Pick<StoredFile, 'accountId' | 'id'>): FileAppender {
  let start = 0;
  let waiting = Buffer.alloc(0);

  async function store(piece: Buffer): Promise<void> {
    const end = await appendPiece(db, file, start, piece);
    if (end === null) throw new Error(`stored file ${file.id} is gone, or another process writes it`);
    start = end;
  }

  return {
    async append(bytes) {
      waiting = Buffer.concat([waiting, bytes]);
      while (waiting.length >= PIECE_BYTES) {
        await store(waiting.subarray(0, PIECE_BYTES));
        waiting = waiting.subarray(PIECE_BYTES);
      }
    },
    async flush() {
      if (waiting.length > 0) await store(waiting);
      waiting = Buffer.alloc(0);
    },
  };
}
