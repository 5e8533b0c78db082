import type { MemberDb } from '../../platform/database/account-db.ts';
import { memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { tryPassword } from './guess-limit.ts';
import { verifyPassword } from './password.ts';
import { hashOf } from './secret.ts';

/** How long a session proves by itself that its member has just logged in. */
const FRESH_MS = 15 * 60 * 1000;

export interface Asker {
  readonly account: MemberDb;
  readonly token: string;
  readonly ip: string;
}

export interface OwnerServices {
  readonly login: Db;
  readonly now: () => number;
}

/**
 * Checks that a session is used by its owner: by the current password, or by a log-in of the last 15 minutes. A client
 * of the specification has no field for the password; it logs in again.
 * @returns 400, or 429 for too many guesses
 */
export async function ownerProblem(services: OwnerServices, asker: Asker, password?: string): Promise<Problem | null> {
  if (password !== undefined) return passwordProblem(services, asker, password);
  const { accountId, memberId } = memberKeyOf(asker.account);
  const fresh = await asker.account.snapshot((tx) =>
    tx
      .selectFrom('session')
      .select('id')
      .where('account_id', '=', accountId)
      .where('member_id', '=', memberId)
      .where('token_hash', '=', hashOf(asker.token))
      .where('created_at', '>', new Date(services.now() - FRESH_MS))
      .executeTakeFirst(),
  );
  return fresh ? null : new Problem('password_needed', 'もう一度ログインしてから、変更してください。');
}

/** Checks the caller's current password within the guess limits. @returns 400, 429 or 503 */
export async function passwordProblem(
  services: OwnerServices,
  { account, ip }: Pick<Asker, 'account' | 'ip'>,
  password: string,
): Promise<Problem | null> {
  const { accountId, memberId } = memberKeyOf(account);
  const { email, password_hash } = await account.snapshot((tx) =>
    tx
      .selectFrom('member')
      .select(['email', 'password_hash'])
      .where('account_id', '=', accountId)
      .where('id', '=', memberId)
      .executeTakeFirstOrThrow(),
  );
  const right = await tryPassword(services, { email, ip }, async () =>
    (await verifyPassword(password_hash, password)) ? true : null,
  );
  if (right instanceof Problem) return right;
  return right ? null : fieldProblem('current_password', 'wrong_password', '現在のパスワードが違います');
}
