import { hash, randomBytes } from 'node:crypto';

/** 256 random bits (base64url): a bearer token, or what proves that a mailbox was read. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** All of a secret that is stored. Nothing slower is needed: 256 bits cannot be guessed. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');
