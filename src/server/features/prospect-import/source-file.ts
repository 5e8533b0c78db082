import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../platform/refusal.ts';
import { tooLarge } from './faults.ts';

export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Gives `work` a path to read from more than once (the encoding is known only at the end). A stream goes to a file in a private
 * temporary folder, which is gone when `work` ends.
 */
export async function withSourceFile<T>(
  source: string | Readable,
  maxBytes: number,
  work: (path: string) => Promise<T>,
): Promise<T | Refusal> {
  if (typeof source === 'string') {
    const { size } = await stat(source);
    return size > maxBytes ? tooLarge(maxBytes) : work(source);
  }
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-import-'));
  try {
    const path = join(folder, 'list.csv');
    const kept = await spool(source, path, maxBytes);
    return kept instanceof Refusal ? kept : await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(source: Readable, path: string, maxBytes: number): Promise<Refusal | undefined> {
  let bytes = 0;
  let refusal: Refusal | undefined;
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) refusal = tooLarge(maxBytes);
      done(refusal === undefined ? null : new Error(refusal.message), piece);
    },
  });
  try {
    await pipeline(source, limit, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    if (refusal === undefined) throw error;
  }
  return refusal;
}
