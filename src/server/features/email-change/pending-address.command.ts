import { addressKey } from '#domain/mail/address-key.ts';
import { type MemberDb, memberKeyOf } from '../../platform/database/account-db.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';
import { deleteChange, lockedAddress } from './move-address.command.ts';

/**
 * Stores the address that a member wants to change to. An earlier change becomes invalid, even one to the same address.
 * The answer does not reveal whether the address is taken (see send-confirmation.command.ts).
 * @param address as parseMailAddress returns it
 */
export function setPendingAddress(account: MemberDb, address: string, now: number): Promise<Problem | null> {
  const member = memberKeyOf(account);
  return account.transaction(async (tx) => {
    const current = await lockedAddress(tx, member);
    if (addressKey(current) === addressKey(address)) return sameAddress();
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
