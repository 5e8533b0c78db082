import { type KeyObject, verify } from 'node:crypto';

/**
 * SendGrid repeats events that were not taken for 24 hours, and does not say whether it signs them anew. An event that comes again
 * changes nothing, so that all these may pass; what is older was kept by somebody else.
 */
const OLDEST_SECONDS = 25 * 60 * 60;
/** Clocks differ. */
const NEWEST_SECONDS = 5 * 60;

interface Signed {
  readonly signature: string | undefined;
  /** Epoch seconds, as written. */
  readonly timestamp: string | undefined;
  /** The body as it came: read and written again it would be other bytes. */
  readonly bytes: Buffer;
}

/** Whether SendGrid said this: ECDSA with SHA-256 over the timestamp and the body. @param now epoch milliseconds */
export function isSigned({ signature, timestamp, bytes }: Signed, key: KeyObject, now: number): boolean {
  if (signature === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  const age = now / 1000 - Number(timestamp);
  if (age > OLDEST_SECONDS || age < -NEWEST_SECONDS) return false;
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), key, Buffer.from(signature, 'base64'));
}
