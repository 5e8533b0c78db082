import { hash, randomBytes } from 'node:crypto';

/** Makes 256 random bits (base64url), for bearer tokens and for secrets that are mailed. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Hashes a secret for storage. A fast hash is enough, because 256 bits cannot be guessed. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');
