import { type MemberDb, memberKeyOf } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { hashOf } from '../auth/secret.ts';
import { isPendingChangeOf } from './pending-change.queries.ts';

/**
 * Confirms the pending address with the mailed secret. A secret works once, also for concurrent calls.
 * All failures get the same answer.
 */
export async function confirmAddress(account: MemberDb, secret: string, now: number): Promise<Problem | null> {
  const confirmed = await account.transaction((tx) =>
    tx
      .updateTable('email_change')
      .set({ confirmed_at: new Date(now), secret_hash: null, secret_expires_at: null })
      .where(isPendingChangeOf(memberKeyOf(account)))
      .where('secret_hash', '=', hashOf(secret))
      .where('secret_expires_at', '>', new Date(now))
      .returning('account_id')
      .executeTakeFirst(),
  );
  return confirmed ? null : invalid();
}

const invalid = () =>
  new Problem(
    400,
    'invalid_confirmation',
    'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。',
  );
