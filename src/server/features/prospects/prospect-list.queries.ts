import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { listProspects as prospectCall } from '#contract/prospects.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { countRows, ownRows, pageOf } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { ListPage } from '../../platform/http/list-page.ts';
import { countAll } from './list/sending-status.queries.ts';

const ALL_COLUMNS = prospectCall.response.element.keyof().options;

type ProspectRow = z.output<(typeof prospectCall)['response']>[number];

/** Lists the account's prospects by id, without the flags and remarks of sender groups. */
export function listOwnProspects(
  account: AccountDb,
  { where_info, columns = ALL_COLUMNS, ...window }: z.output<(typeof prospectCall)['query']>,
): Promise<ListPage<ProspectRow>> {
  return account.transaction(async (tx) => {
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
