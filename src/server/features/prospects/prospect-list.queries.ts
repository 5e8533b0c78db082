import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { type listActiveProspects as activeCall, listProspects as prospectCall } from '#contract/prospects.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Db } from '../../platform/database/db.ts';
import { countRows, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { ListPage } from '../../platform/http/answers.ts';
import { countAll } from './list/sending-status.queries.ts';

/* The lists in the form that the specification's client requests. */

const ALL_COLUMNS = prospectCall.response.element.keyof().options;

type ProspectRow = z.output<(typeof prospectCall)['response']>[number];

/** Lists the account's prospects by id, without the flags and remarks of sender groups. */
export function listOwnProspects(
  account: AccountDb,
  { where_info, columns = ALL_COLUMNS, ...window }: z.output<(typeof prospectCall)['query']>,
): Promise<ListPage<ProspectRow>> {
  return account.snapshot(async (tx) => {
    const own = sql<SqlBool>`${ownRows('prospect', account.id, where_info)} AND archived_at IS NULL`;
    const rows = await tx
      .selectFrom('prospect')
      .select(columns)
      .where(own)
      .orderBy('id')
      .limit(window.limit)
      .offset(window.offset)
      .$castTo<ProspectRow>()
      .execute();
    const isFiltered = Object.values(where_info ?? {}).some((wanted) => wanted !== undefined);
    return pageOf(rows, window, () => (isFiltered ? countRows(tx, 'prospect', own) : readCountOfAll(tx, account.id)));
  });
}

/** Reads the total that triggers keep. Counting a million rows would take longer than reading the page. */
async function readCountOfAll(tx: Db, accountId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT ${countAll(accountId)}::int AS total`.execute(tx);
  return onlyRow(rows).total;
}

type ActiveRow = z.output<(typeof activeCall)['response']>[number];

/** Lists the flags and remarks of the account's sender groups. A prospect for which nothing was ever set has no row. */
export function listActiveProspects(
  account: AccountDb,
  { where_info, columns, ...window }: z.output<(typeof activeCall)['query']>,
): Promise<ListPage<ActiveRow>> {
  return account.snapshot(async (tx) => {
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
