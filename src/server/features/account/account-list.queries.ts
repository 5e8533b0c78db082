import type { Selectable } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import type { Account, Member } from '../../platform/database/db-types.ts';

export interface ListedAccount extends Pick<Selectable<Account>, 'id' | 'company' | 'created_at' | 'moved_to'> {
  /** NULL: the account moved away and its copy here was deleted, name included. */
  readonly email: Selectable<Member>['email'] | null;
  readonly name: Selectable<Member>['name'] | null;
  /** The number of requests from outside that wait here for the new home to fetch them, or for a thaw. */
  readonly held: number;
}

/** Returns all accounts with their members, by id, for the operator. As kaitaku_service. */
export const listAccounts = (db: Db): Promise<ListedAccount[]> =>
  db
    .selectFrom('account')
    .leftJoin('member', 'member.account_id', 'account.id')
    .select(['account.id', 'member.email', 'account.company', 'member.name', 'account.created_at', 'account.moved_to'])
    .select((account) =>
      account
        .selectFrom('held_arrival')
        .whereRef('held_arrival.account_id', '=', 'account.id')
        .select((held) => held.cast<number>(held.fn.countAll(), 'integer').as('held'))
        .$asScalar()
        .$notNull()
        .as('held'),
    )
    .orderBy('account.id')
    .orderBy('member.id')
    .execute();
