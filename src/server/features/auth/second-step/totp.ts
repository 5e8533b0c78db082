import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { PRODUCT_NAME } from '../../../platform/product-name.ts';

/* Codes of authenticator apps (RFC 6238: SHA-1, 6 digits, 30 s), and recovery codes. */

const STEP_MS = 30_000;
const SECRET_BYTES = 20;
/** Codes of one step before and after are accepted: telephones' clocks differ. */
const STEPS_AROUND = 1;

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** Returns the code of a step of 30 s (RFC 4226, with the step as the counter). */
export function totpOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Returns the step whose code this is, at a time in epoch milliseconds; null: none. */
export function stepOf(secret: Buffer, code: string, now: number): number | null {
  const present = Math.floor(now / STEP_MS);
  for (let step = present - STEPS_AROUND; step <= present + STEPS_AROUND; step += 1) {
    if (timingSafeEqual(Buffer.from(totpOf(secret, step)), Buffer.from(code))) return step;
  }
  return null;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Writes bytes in base32 (RFC 4648); their bits are a multiple of five. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)] ?? '');
}

/** Returns what an app reads from the QR code. */
export function totpUri(secret: Buffer, email: string): string {
  const label = `${PRODUCT_NAME}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${PRODUCT_NAME}`;
}

export const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** Makes recovery codes: 80 random bits each, in fours. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g)?.join('-') ?? '');

/** Hashes a recovery code for storage. A fast hash is enough, because 80 bits cannot be guessed. */
export const hashOfCode = (code: string): Buffer => hash('sha256', readCode(code), 'buffer');

/** Returns a typed code without what does not matter: width, case, spaces, hyphens of any kind. */
export const readCode = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\p{White_Space}\p{Pd}\p{Cf}−ー]/gu, '');

export const isTotpCode = (code: string): boolean => /^[0-9]{6}$/.test(code);
