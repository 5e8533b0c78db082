import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { type listActiveProspects as activeCall, listProspects as prospectCall } from '#contract/prospect-list.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { asFlag, ownRows, pickColumns } from '../../platform/list-rows.ts';

const ALL_COLUMNS = prospectCall.response.element.keyof().options;

/** The account's prospects by id, whatever a sender group knows of them. */
export function listOwnProspects(
  account: AccountDb,
  { where_info, columns = ALL_COLUMNS, limit }: z.output<(typeof prospectCall)['query']>,
): Promise<CallAnswer<typeof prospectCall>> {
  return account.transaction((tx) =>
    tx
      .selectFrom('prospect')
      .select(columns)
      .where(ownRows('prospect', account.id, where_info))
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
}

/** What the account's sender groups keep of prospects; there is no row where nothing was ever set. */
export async function listActiveProspects(
  account: AccountDb,
  { where_info, columns, limit }: z.output<(typeof activeCall)['query']>,
): Promise<CallAnswer<typeof activeCall>> {
  const rows = await account.transaction((tx) =>
    tx
      .selectFrom('active_prospect')
      .select(['prospect_id', 'sender_group_id', 'active', 'remarks'])
      .where(ownRows('active_prospect', account.id, where_info))
      .orderBy('sender_group_id')
      .orderBy('prospect_id')
      .limit(limit)
      .execute(),
  );
  return rows.map((row) => pickColumns({ ...row, active: asFlag(row.active) }, columns));
}
