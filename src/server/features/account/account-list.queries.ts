import type { Selectable } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import type { Account, Member } from '../../platform/database/db-types.ts';

export type ListedAccount = Pick<Selectable<Account>, 'id' | 'company' | 'created_at'> &
  Pick<Selectable<Member>, 'email' | 'name'>;

/** Returns all accounts with their members, by id, for the operator. As kaitaku_service. */
export const listAccounts = (db: Db): Promise<ListedAccount[]> =>
  db
    .selectFrom('account')
    .innerJoin('member', 'member.account_id', 'account.id')
    .select(['account.id', 'member.email', 'account.company', 'member.name', 'account.created_at'])
    .orderBy('account.id')
    .orderBy('member.id')
    .execute();
