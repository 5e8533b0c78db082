import { createSecretKey, hash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Db } from '../database/db.ts';
import { type DatabaseSettings, isBundled } from '../database/roles/database-access.ts';
import { StartupError } from '../startup-error.ts';

const KEY_BYTES = 32;

/** A key of seals. A KeyObject, because none prints its bytes. */
export interface SecretKey {
  /** The first four bytes of the key's SHA-256, as sealed rows name it. */
  readonly id: number;
  readonly key: KeyObject;
}

/** The keys of this process. `old` only opens seals, while `kaitaku secrets rotate` has not renewed all. */
export interface SecretKeys {
  /** null: nothing can be sealed. */
  readonly current: SecretKey | null;
  readonly old: SecretKey | null;
}

/** Reads a key, 32 bytes in base64. @returns null for other text */
export function readSecretKey(text: string): SecretKey | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text) return null;
  return { id: hash('sha256', bytes, 'buffer').readInt32BE(), key: createSecretKey(bytes) };
}

export const keyFileOf = (dataDir: string): string => join(dataDir, 'secret.key');

/** Reads the id of the key that sealed the database's rows; null: nothing was sealed. */
export async function readSealedBy(db: Db): Promise<number | null> {
  const { secret_key } = await db.selectFrom('installation').select('secret_key').executeTakeFirstOrThrow();
  return secret_key;
}

interface KeySettings {
  readonly secretKeys: SecretKeys;
  readonly database: DatabaseSettings;
  readonly dataDir: string;
}

export interface KeyUse {
  /** Whether this process may make the file: `all`, and every command with the bundled database. */
  readonly makesFile?: boolean;
}

/**
 * Returns the keys of this process: those of the settings, else that of its file in DATA_DIR.
 * The file is made if no other key has sealed anything: a lost one must be missed.
 * @throws StartupError for an unusable file
 */
export function presentKeys(
  { secretKeys, database, dataDir }: KeySettings,
  sealedBy: number | null,
  { makesFile = isBundled(database) }: KeyUse = {},
): SecretKeys {
  if (secretKeys.current !== null) return secretKeys;
  const path = keyFileOf(dataDir);
  const mayMake = makesFile && (sealedBy === null || sealedBy === secretKeys.old?.id);
  if (!existsSync(path) && mayMake) makeKeyFile(path);
  return { ...secretKeys, current: readKeyFile(path) };
}

/** Makes the file at once and whole: a killed start leaves none, and of two at once both read the same. */
function makeKeyFile(path: string): void {
  const made = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(made, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(made, path);
  } catch (error) {
    if (!existsSync(path)) {
      throw new StartupError(
        `鍵のファイル ${path} を作れません（${(error as Error).message}）。` +
          'DATA_DIR をこのユーザーが書き込めるフォルダにするか、SECRET_KEY を設定してください。',
      );
    }
  } finally {
    if (existsSync(made)) rmSync(made);
  }
}

function readKeyFile(path: string): SecretKey | null {
  if (!existsSync(path)) return null;
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
  const key = readSecretKey(text);
  if (key === null) throw unusable(path, '32バイトのbase64ではありません');
  return key;
}

const unusable = (path: string, why: string) =>
  new StartupError(`鍵のファイル ${path} を使えません（${why}）。保管してあるファイルに戻してください。`);
