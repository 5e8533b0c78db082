import type { z } from 'zod';
import type { listActiveProspects as activeCall } from '#contract/prospects.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import { pickColumns } from '../../platform/database/list-columns.ts';
import { countRows, ownRows, pageOf } from '../../platform/database/list-rows.ts';
import type { ListPage } from '../../platform/http/list-page.ts';

type ActiveRow = z.output<(typeof activeCall)['response']>[number];

/** Lists the flags and remarks of the account's sender groups. A prospect for which nothing was ever set has no row. */
export function listActiveProspects(
  account: AccountDb,
  { where_info, columns, ...window }: z.output<(typeof activeCall)['query']>,
): Promise<ListPage<ActiveRow>> {
  return account.transaction(async (tx) => {
    const own = ownRows('active_prospect', account.id, where_info);
    const found = await tx
      .selectFrom('active_prospect')
      .select(['prospect_id', 'sender_group_id', 'active', 'remarks'])
      .where(own)
      .orderBy('sender_group_id')
      .orderBy('prospect_id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const rows = found.map((row) => {
      const all = { ...row, active: asFlag(row.active), remarks_version: contentVersion(row.remarks) };
      return pickColumns(all, columns);
    });
    return pageOf(rows, window, () => countRows(tx, 'active_prospect', own));
  });
}
