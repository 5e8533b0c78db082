import { type KeyObject, verify } from 'node:crypto';

/**
 * The oldest accepted signature. SendGrid retries events for 24 hours, and does not document whether it signs them
 * again. Retries are safe, because a repeated event changes nothing; an older signature may be a replay.
 */
const AGE_MAX_SECONDS = 25 * 60 * 60;
/** The most that SendGrid's clock may be ahead. */
const AHEAD_MAX_SECONDS = 5 * 60;

export interface Signed {
  readonly signature: string | undefined;
  /** Epoch seconds, as the string of the header. */
  readonly timestamp: string | undefined;
  /** The raw request body: the signature covers its bytes. */
  readonly bytes: Buffer;
}

/**
 * Verifies SendGrid's signature: ECDSA with SHA-256 over the timestamp and the body.
 * Source: "Event Webhook Security Features" of SendGrid's documentation.
 * @param now epoch milliseconds
 */
export function isSigned({ signature = '', timestamp = '', bytes }: Signed, key: KeyObject, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const age = now / 1000 - Number(timestamp);
  if (age > AGE_MAX_SECONDS || age < -AHEAD_MAX_SECONDS) return false;
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), key, Buffer.from(signature, 'base64'));
}
