import { HOUR_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { hashOf, newSecret } from '../auth/secret.ts';

const KEY_MS = HOUR_MS;

/**
 * Makes the key of the link that creates the first account. An older key becomes invalid.
 * Only a hash is stored, so several processes share one key: that of the last start.
 * @param login a pool of the role kaitaku_login
 * @returns null: there is an account
 */
export function issueSetupKey(login: Db, now: number): Promise<string | null> {
  const key = newSecret();
  return login.transaction().execute(async (tx) => {
    // A new account clears the key under the same lock: it is seen below, or ends the new key.
    await tx.selectFrom('installation').select('only_row').forUpdate().executeTakeFirstOrThrow();
    if (await hasAccount(tx)) return null;
    await tx
      .updateTable('installation')
      .set({ setup_key_hash: hashOf(key), setup_expires_at: new Date(now + KEY_MS) })
      .execute();
    return key;
  });
}

/** Whether there is an account. Each has a member. */
export const hasAccount = async (login: Db): Promise<boolean> =>
  (await login.selectFrom('member').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Whether the program may print the link: it must not travel in plain text. */
export function mayPrintSetupLink(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || ['localhost', '[::1]'].includes(hostname) || /^127(?:\.\d+){3}$/.test(hostname);
}
