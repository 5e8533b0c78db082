import type { MemberDb } from '../../platform/account-db.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** As parseName returns them. */
interface Profile {
  readonly name?: string | undefined;
  readonly company?: string | undefined;
}

/** Changes the caller's name and the account's company, where given. */
export async function updateProfile(account: MemberDb, { name, company }: Profile, now: number): Promise<null> {
  const { id: accountId, memberId } = account;
  const updated_at = new Date(now);
  await account.transaction(async (tx) => {
    if (name !== undefined) {
      await tx
        .updateTable('member')
        .set({ name, updated_at })
        .where('account_id', '=', accountId)
        .where('id', '=', memberId)
        .execute();
    }
    if (company !== undefined) {
      await tx.updateTable('account').set({ company, updated_at }).where('id', '=', accountId).execute();
    }
    await recordAudit(tx, { accountId, memberId, kind: 'profile_changed', detail: { name, company } });
  });
  return null;
}
