import type { Db } from '#server/platform/database/db.ts';
import { readSecretKey, type SecretKey } from '#server/platform/secrets/secret-key.ts';
import { secretsWith } from '#server/platform/secrets/secrets.ts';

const keyText = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** Makes a key of one repeated byte, so that tests can name it. */
export function keyOf(byte: number): SecretKey {
  const key = readSecretKey(keyText(byte));
  if (key === null) throw new Error('not a key');
  return key;
}

const TEST_BYTE = 7;
const testKey = keyOf(TEST_BYTE);

/** The setting of a program that opens the seals of tests. */
export const TEST_SECRET_KEY = keyText(TEST_BYTE);

/** The seals of the API in tests. */
export const testSecrets = secretsWith({ current: testKey, old: null });

/** Gives a database the key of the tests' seals: accounts with a second step move only between such. */
export const giveTestKey = (db: Db): Promise<unknown> =>
  db.updateTable('installation').set({ secret_key: testKey.id }).execute();
