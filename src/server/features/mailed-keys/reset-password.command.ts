import { PASSWORD_MESSAGES } from '#contract/auth.ts';
import { passwordFault } from '#domain/account/password-rule.ts';
import type { AccountDb, MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { forgetGuesses, tooBusy } from '../auth/guess-limit.ts';
import { inHashSlot } from '../auth/hash-slots.ts';
import { hashPassword } from '../auth/password.ts';
import { hashOf } from '../auth/secret.ts';
import { closeSessionsOf } from '../auth/session.ts';
import { passwordResetMail } from './password-reset-mails.ts';

interface Services {
  /** Finds the member of a key. */
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  readonly accountDb: (accountId: number, memberId: number) => AccountDb;
}

interface Asked {
  readonly key: string;
  readonly new_password: string;
  readonly ip: string;
}

/**
 * Sets a new password with the mailed key, and ends all sessions of the member.
 * A key works once, also for concurrent calls. Nothing is hashed for an invalid one.
 * A refused password leaves it valid.
 * @returns 400 with one answer for all invalid keys, 400 for a bad password, or 503
 */
export async function resetPassword(
  { login, now, mailer, accountDb }: Services,
  { key, new_password, ip }: Asked,
): Promise<{ status: 'updated' } | Problem> {
  const secret_hash = hashOf(key);
  const member = await login
    .selectFrom('password_reset')
    .select(['account_id as accountId', 'member_id as memberId'])
    .where('secret_hash', '=', secret_hash)
    .where('expires_at', '>', new Date(now()))
    .executeTakeFirst();
  if (!member) return invalidKey();
  const account = accountDb(member.accountId, member.memberId);
  const own = await account.transaction((tx) => ownWords(tx, member));
  const fault = passwordFault(new_password, own);
  if (fault) return fieldProblem('new_password', 'invalid_password', PASSWORD_MESSAGES[fault]);
  const password_hash = await inHashSlot(() => hashPassword(new_password));
  if (password_hash === null) return tooBusy();

  const email = await account.transaction((tx) => redeem(tx, member, { secret_hash, password_hash, now: now() }));
  if (email === null) return invalidKey();
  await forgetGuesses(login, { email, ip });
  // The answer does not wait for the notice: the password is set even if the mail fails.
  void mailer(passwordResetMail(email, member.accountId));
  return { status: 'updated' };
}

/** Returns the texts that the password must not consist of. */
async function ownWords(tx: Tx, { accountId, memberId }: MemberKey): Promise<string[]> {
  const { email, name, company } = await tx
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .select(['member.email', 'member.name', 'account.company'])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', memberId)
    .executeTakeFirstOrThrow();
  return [email, name, company];
}

/** Takes the key and sets the password. @returns the member's address; null: the key is invalid by now */
async function redeem(
  tx: Tx,
  member: MemberKey,
  { secret_hash, password_hash, now }: { secret_hash: Buffer; password_hash: string; now: number },
): Promise<string | null> {
  const { accountId, memberId } = member;
  // The member's row is locked first, as in every other change of a login.
  const active = await tx
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .where('active', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const taken = await tx
    .deleteFrom('password_reset')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('secret_hash', '=', secret_hash)
    .where('expires_at', '>', new Date(now))
    .returning('member_id')
    .executeTakeFirst();
  if (!active || !taken) return null;
  await tx
    .updateTable('member')
    .set({ password_hash, updated_at: new Date(now) })
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .execute();
  await closeSessionsOf(tx, member);
  await recordAudit(tx, { accountId, memberId, kind: 'password_reset', detail: {} });
  return active.email;
}

const invalidKey = () =>
  new Problem(400, 'invalid_key', 'このリンクは使えません。もう一度、再設定のメールを送ってください。');
