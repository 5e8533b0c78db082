import { MAX_IMPORT_PART_BYTES } from '#domain/company/import-limits.ts';

/** The first part of an upload. A slow line sends it within the server's time for one request. */
export const FIRST_PART_BYTES = 256 * 1024;

const FAST_MS = 1000;
const SLOW_MS = 5000;

/** Returns the size of the next part: parts that take one to five seconds show progress and cost few requests. */
export function nextPartBytes(bytes: number, tookMs: number): number {
  if (tookMs < FAST_MS) return Math.min(MAX_IMPORT_PART_BYTES, bytes * 2);
  return tookMs > SLOW_MS ? Math.max(FIRST_PART_BYTES, bytes / 2) : bytes;
}
