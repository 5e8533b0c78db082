import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** Linux keeps these files in memory, by default up to half of it; containers often have only 64 MB. */
const FOLDER = '/dev/shm';
/** Eight times what a run needs. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Returns a folder for temporary files in memory, or null if there is none or it is too small.
 * A run creates and drops many databases of several hundred files each: on ext4 they cost 6 % of the CPU time of
 * the first stage (docs/decisions/tests).
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES ? FOLDER : null;
  } catch {
    return null;
  }
}
