/**
 * The envelope sender of each mail, from one pattern with `{key}` for the mail's key (VERP).
 * Bounces return to it, so the address alone identifies the mail.
 */

const PLACEHOLDER = '{key}';

/** The purpose of a mail to such an address: to report a bounce, or to opt out. */
export type ReturnPurpose = 'bounce' | 'refusal';

export interface ReturnedKey {
  readonly purpose: ReturnPurpose;
  /** `delivery.mail_key`, 32 hexadecimal digits. */
  readonly key: string;
}

/** Returns the pattern of opt-out addresses: `b-{key}@…` becomes `u-{key}@…`, any other `…u-{key}@…`. */
const refusalPattern = (pattern: string): string =>
  /^b-\{key\}/i.test(pattern) ? pattern.replace(/^b/i, 'u') : pattern.replace(PLACEHOLDER, `u-${PLACEHOLDER}`);

/** Whether a text is a pattern with one placeholder, and an address once it has a key. @param isAddress the check */
export const isReturnPattern = (text: string, isAddress: (address: string) => boolean): boolean =>
  text.split(PLACEHOLDER).length === 2 &&
  text.indexOf(PLACEHOLDER) < text.indexOf('@') &&
  isAddress(refusalPattern(text).replace(PLACEHOLDER, '0'.repeat(32)));

/** Returns the envelope sender of a mail. @param key without hyphens */
export const returnAddress = (pattern: string, key: string): string => pattern.replace(PLACEHOLDER, key);

/** Returns the address to which a mail's reader can write to opt out. @param key without hyphens */
export const refusalAddress = (pattern: string, key: string): string =>
  refusalPattern(pattern).replace(PLACEHOLDER, key);

/** Reads the key in an address of the pattern, in any case. @returns null for another address */
export function readReturnAddress(pattern: string, address: string): ReturnedKey | null {
  const key = keyIn(pattern, address);
  if (key !== null) return { purpose: 'bounce', key };
  const refused = keyIn(refusalPattern(pattern), address);
  return refused === null ? null : { purpose: 'refusal', key: refused };
}

function keyIn(pattern: string, address: string): string | null {
  const [start = '', end = ''] = pattern.toLowerCase().split(PLACEHOLDER);
  const written = address.trim().replace(/^<|>$/g, '').toLowerCase();
  if (!written.startsWith(start) || !written.endsWith(end)) return null;
  const key = written.slice(start.length, written.length - end.length);
  return /^[0-9a-f]{32}$/.test(key) ? key : null;
}
