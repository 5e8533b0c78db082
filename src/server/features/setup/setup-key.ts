import { HOUR_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { hashOf, newSecret } from '../auth/secret.ts';

const KEY_MS = HOUR_MS;

/**
 * Makes the key of the link that creates the first account. An older key becomes invalid.
 * Only a hash is stored, so only the key of the last start is valid for all processes.
 * @param login a pool of the role kaitaku_login
 * @returns null: an account exists
 */
export function issueSetupKey(login: Db, now: number): Promise<string | null> {
  const key = newSecret();
  return login.transaction().execute(async (tx) => {
    // A new account clears the key under the same lock: either it is seen below, or it clears this new key.
    await tx.selectFrom('installation').select('only_row').forUpdate().executeTakeFirstOrThrow();
    if (await hasAccount(tx)) return null;
    await tx
      .updateTable('installation')
      .set({ setup_key_hash: hashOf(key), setup_expires_at: new Date(now + KEY_MS) })
      .execute();
    return key;
  });
}

/** Whether an account exists. Each has a member. */
export const hasAccount = async (login: Db): Promise<boolean> =>
  (await login.selectFrom('member').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Whether the program may print the link, which must not be opened over plain HTTP. */
export function mayPrintSetupLink(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || ['localhost', '[::1]'].includes(hostname) || /^127(?:\.\d+){3}$/.test(hostname);
}
