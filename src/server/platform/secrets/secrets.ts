import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { Db } from '../database/db.ts';
import type { DatabaseSettings } from '../database/roles/database-access.ts';
import { COMMAND } from '../package.ts';
import { Problem } from '../problem.ts';
import { StartupError } from '../startup-error.ts';
import { type KeyUse, keyFileOf, presentKeys, readSealedBy, type SecretKeys } from './secret-key.ts';

/** The row that a sealed value belongs to. A value copied into another row, or for another use, does not open. */
export interface SealedRow {
  readonly accountId: number;
  readonly row: number;
  readonly kind: 'totp' | 'oidc' | 'mailbox' | 'oauth_google' | 'oauth_microsoft';
}

/** A value as a row stores it: nonce, tag and ciphertext, and the id of the key. */
export interface Sealed {
  readonly secret: Buffer;
  readonly secret_key: number;
}

/** A sealed value was changed, or belongs to another row or use. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** Seals secrets at rest by AES-256-GCM (decisions/secrets). */
export interface Secrets {
  /** Whether values can be sealed. */
  readonly hasKey: boolean;
  /** Ids of the keys that open values. */
  readonly keyIds: readonly number[];
  /**
   * Seals a value, in the transaction that stores it: the first seal of a database notes its key.
   * @returns 503 without a key, or with another one than the database's
   */
  seal(tx: Db, row: SealedRow, value: Buffer): Promise<Sealed | Problem>;
  /**
   * Opens a value.
   * @returns 503 without its key
   * @throws SealBroken
   */
  open(row: SealedRow, sealed: Sealed): Buffer | Problem;
}

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

const boundTo = ({ accountId, row, kind }: SealedRow): Buffer => Buffer.from(`${accountId} ${row} ${kind}`);

export function secretsWith(keys: SecretKeys): Secrets {
  const known = [keys.current, keys.old].filter((key) => key !== null);
  return {
    hasKey: keys.current !== null,
    keyIds: known.map(({ id }) => id),
    async seal(tx, row, value) {
      const { current } = keys;
      if (current === null) return noSecretKey();
      const noted = (await readSealedBy(tx)) ?? (await noteKey(tx, current.id));
      if (!known.some(({ id }) => id === noted)) return noSecretKey();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(boundTo(row));
      const text = Buffer.concat([cipher.update(value), cipher.final()]);
      return { secret: Buffer.concat([nonce, cipher.getAuthTag(), text]), secret_key: current.id };
    },
    open(row, { secret, secret_key }) {
      const key = known.find(({ id }) => id === secret_key);
      if (key === undefined) return noSecretKey();
      try {
        return unsealed(key.key, row, secret);
      } catch (error) {
        throw new SealBroken((error as Error).message, { cause: error });
      }
    },
  };
}

/** @throws for a value that is too short, or that its tag does not prove */
function unsealed(key: KeyObject, row: SealedRow, secret: Buffer): Buffer {
  const nonce = secret.subarray(0, NONCE_BYTES);
  const tag = secret.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(row)).setAuthTag(tag);
  return Buffer.concat([decipher.update(secret.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** Notes the key of a database's first seal. @returns the noted key: of two processes with two keys, one is refused */
async function noteKey(tx: Db, secret_key: number): Promise<number | null> {
  await tx.updateTable('installation').set({ secret_key }).where('secret_key', 'is', null).execute();
  return readSealedBy(tx);
}

export const noSecretKey = () =>
  new Problem(
    'no_secret_key',
    'サーバーに暗号化の鍵（SECRET_KEY）がないか、違っているため、使えません。このサーバーの運用担当者に連絡してください。',
  );

/**
 * Returns the seals of a process that serves members.
 * @param db of the role kaitaku_login
 * @throws StartupError without the key that sealed the database's rows
 */
export async function openSecrets(
  settings: { readonly secretKeys: SecretKeys; readonly database: DatabaseSettings; readonly dataDir: string },
  db: Db,
  use?: KeyUse,
): Promise<Secrets> {
  const sealedBy = await readSealedBy(db);
  const keys = presentKeys(settings, sealedBy, use);
  if (sealedBy === null || sealedBy === keys.current?.id || sealedBy === keys.old?.id) return secretsWith(keys);
  throw new StartupError(
    'データベースに、今の設定にはない鍵で暗号化した値（二段階認証など）があります。SECRET_KEY を元の鍵に戻してください' +
      `（元の ${keyFileOf(settings.dataDir)} を戻しても動きます）。` +
      `鍵をなくしたときは、${COMMAND} secrets reset で、その値を削除してください。`,
  );
}
