import { addressKey } from '#domain/address-key.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { fieldRefusal, type Refusal } from '../../platform/refusal.ts';
import { lockedAddress } from './move-address.command.ts';

/**
 * Names the address an account shall change to. Nothing of an earlier change stays valid, be it to the same address. Whether
 * another account has the address is not told: see send-confirmation.command.ts.
 * @param address as parseMailAddress gives it
 */
export function setPendingAddress(account: AccountDb, address: string, now: number): Promise<Refusal | null> {
  return account.transaction(async (tx) => {
    const current = await lockedAddress(tx, account.id);
    if (addressKey(current) === addressKey(address)) return sameAddress();
    await tx
      .updateTable('account')
      .set({ email_before_confirmation: address, updated_at: new Date(now) })
      .where('id', '=', account.id)
      .execute();
    await tx.deleteFrom('email_change').where('account_id', '=', account.id).execute();
    await tx.insertInto('email_change').values({ account_id: account.id, email: address }).execute();
    return null;
  });
}

const sameAddress = () =>
  fieldRefusal(
    'update_info.email_before_confirmation',
    'same_email',
    '現在のメールアドレスと同じです。変更するときは、別のメールアドレスを入力してください',
  );
