import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';

/** Whom a change of the log-ins is mailed to. */
interface AdminsToTell {
  readonly admins: readonly { readonly email: string }[];
  /** The name of the admin who made the change. */
  readonly by: string;
}

/** Reads the active admins of an account, and the name of the caller among them. */
export async function readAdminsToTell(tx: Tx, { accountId, memberId }: MemberKey): Promise<AdminsToTell> {
  const admins = await tx
    .selectFrom('member')
    .select(['id', 'email', 'name'])
    .where('account_id', '=', accountId)
    .where('role', '=', 'admin')
    .where('active', '=', true)
    .execute();
  return { admins, by: admins.find(({ id }) => id === memberId)?.name ?? '' };
}
