import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Problem } from '../../../platform/problem.ts';
import { tooLarge } from './faults.ts';

export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Runs `work` with the path of a file, which it can read more than once.
 * (The encoding is known only at the end of a first reading.) A stream is stored in a private temporary folder, which
 * is removed when `work` ends.
 * @returns a Problem where the file is larger than `maxBytes`
 */
export async function withSourceFile<T>(
  source: string | Readable,
  maxBytes: number,
  work: (path: string) => Promise<T>,
): Promise<T | Problem> {
  if (typeof source === 'string') {
    const { size } = await stat(source);
    return size > maxBytes ? tooLarge(maxBytes) : work(source);
  }
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-import-'));
  try {
    const path = join(folder, 'list.csv');
    const fault = await storeStream(source, path, maxBytes);
    return fault ?? (await work(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function storeStream(source: Readable, path: string, maxBytes: number): Promise<Problem | undefined> {
  let bytes = 0;
  let fault: Problem | undefined;
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) fault = tooLarge(maxBytes);
      done(fault === undefined ? null : new Error(fault.message), piece);
    },
  });
  try {
    await pipeline(source, limit, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    if (fault === undefined) throw error;
  }
  return fault;
}
