import { PASSWORD_MESSAGES } from '#contract/account/auth.ts';
import { type MemberDb, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { Mailer, SystemMail } from '../../platform/mail/system-mail.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { newPasswordFault } from './common-passwords.ts';
import { tryPassword } from './guess-limit.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { shutOut } from './session.ts';

interface Asker {
  readonly account: MemberDb;
  /** The account named in the path. */
  readonly accountId: number;
  readonly token: string;
  readonly ip: string;
}

/**
 * Changes the password of the caller and ends all other sessions.
 * The current password is checked, and each check counts towards the guess limit.
 * @returns 400, 404, 409 for a concurrent change, or 429 for too many guesses
 */
export async function changePassword(
  services: { readonly login: Db; readonly now: () => number; readonly mailer: Mailer },
  { account, accountId, token, ip }: Asker,
  passwords: { readonly current_password: string; readonly new_password: string },
): Promise<{ status: 'updated' } | Problem> {
  if (accountId !== account.id) return notFound();
  const { current_password, new_password } = passwords;
  const member = memberKeyOf(account);
  const { email, name, company, password_hash } = await account.snapshot((tx) =>
    tx
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .select(['member.email', 'member.name', 'account.company', 'member.password_hash'])
      .where('member.account_id', '=', member.accountId)
      .where('member.id', '=', member.memberId)
      .executeTakeFirstOrThrow(),
  );
  const fault = newPasswordFault(new_password, [email, name, company]);
  if (fault) return fieldProblem('new_password', 'invalid_password', PASSWORD_MESSAGES[fault]);

  const renewed = await tryPassword(services, { email, ip }, async () =>
    (await verifyPassword(password_hash, current_password)) ? hashPassword(new_password) : null,
  );
  if (renewed instanceof Problem) return renewed;
  if (renewed === null) return fieldProblem('current_password', 'wrong_password', '現在のパスワードが違います');

  const changed = await account.transaction(async (tx) => {
    const updated = await tx
      .updateTable('member')
      .set({ password_hash: renewed, updated_at: new Date(services.now()) })
      .where('account_id', '=', member.accountId)
      .where('id', '=', member.memberId)
      .where('password_hash', '=', password_hash)
      .returning('id')
      .executeTakeFirst();
    if (!updated) return false;
    await shutOut(tx, member, token);
    await recordAudit(tx, { ...member, kind: 'password_changed', detail: {} });
    return true;
  });
  if (!changed) return changedMeanwhile();
  // The answer does not wait for the notice: the password is changed even if the mail fails.
  void services.mailer(passwordChangedMail(email, member.accountId));
  return { status: 'updated' };
}

const changedMeanwhile = () =>
  new Problem(
    'changed_meanwhile',
    'パスワードは、たった今ほかの操作で変更されました。現在のパスワードを確認して、もう一度お試しください。',
  );

const passwordChangedMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードが変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのパスワードが変更されました。変更した方のログインを除き、すべてのログインを終了しました。',
      'ご自身で変更した場合は、このまま新しいパスワードをお使いください。',
      'お心当たりがない場合は、ほかの方がアカウントを使っているおそれがあります。すぐに、このKaitakuの管理者にご連絡ください。管理者がパスワードを設定し直すと、すべてのログインが終了します。',
    ],
  });
