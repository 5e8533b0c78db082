import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { HASH_COST } from './hash-cost.ts';

const derive = promisify(argon2);

const TAG_LENGTH = 32;

const { memory, passes, parallelism } = HASH_COST;
const PARAMETERS = `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Hashes a password to a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { ...HASH_COST, message: password, nonce, tagLength: TAG_LENGTH });
  return `${PARAMETERS}${unpadded(nonce)}$${unpadded(tag)}`;
}

/** Whether a hash has other parameters than today's. */
export const isOutdated = (phc: string): boolean => !phc.startsWith(PARAMETERS);

/** Checks a password. @throws for a `phc` that hashPassword did not make: a damaged row is a bug */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc);
  if (!match) throw new Error('not an argon2id PHC string');
  const [, m, t, p, nonce = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    tagLength: expected.length,
  });
  return timingSafeEqual(expected, actual);
}
