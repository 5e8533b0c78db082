import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db.ts';
import type { Account } from '../../platform/db-types.ts';

export type ListedAccount = Pick<Selectable<Account>, 'id' | 'email' | 'company' | 'name' | 'created_at'>;

/** Returns all accounts by id, for the operator. As kaitaku_service. */
export const listAccounts = (db: Db): Promise<ListedAccount[]> =>
  db.selectFrom('account').select(['id', 'email', 'company', 'name', 'created_at']).orderBy('id').execute();
