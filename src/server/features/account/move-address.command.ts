import { addressKey } from '#domain/mail/address-key.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import { type Tx, violatedKey } from '../../platform/database/db.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { Mailer, SystemMail } from '../../platform/mail/system-mail.ts';
import { fieldProblem, Problem, unauthorized } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { shutOut } from '../auth/session.ts';
import { isPendingChangeOf } from '../mailed-keys/email-change.command.ts';

/**
 * Stores the address that a member wants to change to. An earlier change becomes invalid, even one to the same address.
 * The answer does not reveal whether the address is taken (see mailed-keys/email-change.command.ts).
 * @param address as parseMailAddress returns it
 */
export function setPendingAddress(account: MemberDb, address: string, now: number): Promise<Problem | null> {
  const member = memberKeyOf(account);
  return account.transaction(async (tx) => {
    const current = await lockedMember(tx, member);
    // A stop that this call waited for has deleted the member's change.
    if (!current.active) return unauthorized();
    if (addressKey(current.email) === addressKey(address)) return sameAddress();
    await tx
      .updateTable('member')
      .set({ email_before_confirmation: address, updated_at: new Date(now) })
      .where('account_id', '=', member.accountId)
      .where('id', '=', member.memberId)
      .execute();
    await deleteChange(tx, member);
    await tx
      .insertInto('email_change')
      .values({ account_id: member.accountId, member_id: member.memberId, email: address })
      .execute();
    return null;
  });
}

const sameAddress = () =>
  fieldProblem(
    'update_info.email_before_confirmation',
    'same_email',
    '現在のメールアドレスと同じです。変更するときは、別のメールアドレスを入力してください',
  );

/** How long a confirmed address stays valid until the client completes the change. */
const CONFIRMED_MS = 15 * 60 * 1000;

/**
 * Completes a change: sets the confirmed address, ends all sessions and notifies the old address.
 * @param address as parseMailAddress returns it
 */
export async function moveToConfirmedAddress(
  { now, mailer }: { readonly now: () => number; readonly mailer: Mailer },
  account: MemberDb,
  address: string,
): Promise<Problem | null> {
  const member = memberKeyOf(account);
  const left = await orAddressTaken(
    account.transaction(async (tx) => {
      const { email: current } = await lockedMember(tx, member);
      const confirmed = await tx
        .selectFrom('email_change')
        .select('email')
        .where(isPendingChangeOf(member))
        .where('email', '=', address)
        .where('confirmed_at', '>', new Date(now() - CONFIRMED_MS))
        .executeTakeFirst();
      if (!confirmed) return notConfirmed();
      await moveAddress(tx, member, address);
      await recordAudit(tx, { ...member, kind: 'email_changed', detail: { from: current, to: address } });
      return current;
    }),
  );
  if (left instanceof Problem) return left;
  const told = await mailer(addressChangedMail(left, member.accountId));
  if (told.kind !== 'sent') {
    await account.transaction((tx) =>
      recordAudit(tx, { ...member, kind: 'email_change_notice_failed', detail: { to: left } }),
    );
  }
  return null;
}

/** Notifies the old address of the change. */
const addressChangedMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】メールアドレスが変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのメールアドレスが変更され、今後はこのアドレスではログインできなくなりました。すべてのログインを終了しました。',
      'ご自身で変更した場合は、新しいメールアドレスでログインしてください。',
      'お心当たりがない場合は、ほかの方がアカウントを使っているおそれがあります。すぐに、このKaitakuの管理者にご連絡ください。管理者がメールアドレスを元に戻し、パスワードを設定し直せます。',
    ],
  });

/** Reads and locks a member. Locked before email_change, so that changes do not deadlock. */
export const lockedMember = (
  tx: Tx,
  { accountId, memberId }: MemberKey,
): Promise<{ readonly email: string; readonly active: boolean }> =>
  tx
    .selectFrom('member')
    .select(['email', 'active'])
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();

/**
 * Sets another address for a member, and ends its sessions and its pending change.
 * @throws a unique violation (see orAddressTaken)
 */
export async function moveAddress(tx: Tx, member: MemberKey, address: string): Promise<void> {
  await tx
    .updateTable('member')
    .set({ email: address, email_before_confirmation: null, updated_at: new Date() })
    .where('account_id', '=', member.accountId)
    .where('id', '=', member.memberId)
    .execute();
  await deleteChange(tx, member);
  await shutOut(tx, member);
}

/** Deletes the pending change with its ticket and secret. */
async function deleteChange(tx: Tx, { accountId, memberId }: MemberKey): Promise<void> {
  await tx.deleteFrom('email_change').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
}

/** Returns a refusal for a taken address. Only the unique index on member.email decides that without a race. */
export async function orAddressTaken<Result>(
  work: Promise<Result>,
  problem: Problem = addressTaken(),
): Promise<Result | Problem> {
  try {
    return await work;
  } catch (error) {
    if (violatedKey(error) !== 'member_email_key') throw error;
    return problem;
  }
}

const addressTaken = () =>
  new Problem(
    'email_taken',
    'このメールアドレスはほかのアカウントで使われているため、変更できません。別のメールアドレスを指定してください。',
  );

const notConfirmed = () =>
  new Problem(
    'not_confirmed',
    'メールアドレスを変更できませんでした。確認から時間がたったか、確認したものと違うメールアドレスです。もう一度、確認メールの送信からやり直してください。',
  );
