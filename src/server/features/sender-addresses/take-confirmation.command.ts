import { sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf } from '../auth/secret.ts';
import { confirmAddress } from './confirmed-address.queries.ts';

interface Services {
  /** A pool of the role kaitaku_login, which finds the account of a secret. */
  readonly login: Db;
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/**
 * Confirms a sender's address with the mailed secret. A secret works once, also for concurrent calls.
 * All failures get the same answer.
 * @param callerAccountId the account that the caller is logged in to; null: none. Another account's secret is refused,
 * so that nobody confirms for strangers by mistake
 * @returns the confirmed address
 */
export async function takeSenderConfirmation(
  { login, now, accountDb }: Services,
  secret: string,
  callerAccountId: number | null,
): Promise<{ readonly email: string } | Problem> {
  const secret_hash = hashOf(secret);
  const found = await login
    .selectFrom('sender_confirmation')
    .select('account_id')
    .where('secret_hash', '=', secret_hash)
    .executeTakeFirst();
  if (!found || (callerAccountId !== null && callerAccountId !== found.account_id)) return invalid();
  const accountId = found.account_id;
  return accountDb(accountId, null).transaction(async (tx) => {
    // An update of the sender deletes the row when it changes the address; the comparison covers senders set by SQL.
    const { rows } = await sql<{ senderId: number; email: string }>`
      DELETE FROM sender_confirmation AS used USING sender
      WHERE used.account_id = ${accountId} AND used.secret_hash = ${secret_hash}
        AND used.expires_at > ${new Date(now())}
        AND sender.account_id = ${accountId} AND sender.id = used.sender_id AND sender.email = used.email
      RETURNING used.sender_id AS "senderId", used.email`.execute(tx);
    const [used] = rows;
    if (!used) return invalid();
    await confirmAddress(tx, accountId, used.email);
    const detail = { sender_id: used.senderId, email: used.email };
    await recordAudit(tx, { accountId, memberId: null, kind: 'sender_address_confirmed', detail });
    return { email: used.email };
  });
}

const invalid = () =>
  new Problem(400, 'invalid_confirmation', 'このリンクは使えません。もう一度、確認メールを送ってください。');
