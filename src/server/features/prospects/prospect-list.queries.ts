import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { listActiveProspects as activeCall, listProspects as prospectCall } from '#contract/companies/prospects.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Db } from '../../platform/database/db.ts';
import { ownRows, pickColumns } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { ListText } from '../../platform/http/answers.ts';
import { answerList } from '../../platform/lists/whole-list.ts';
import type { Problem } from '../../platform/problem.ts';
import { countAll } from './list/sending-status.queries.ts';

/* The lists of the specification's calls, in the form that its client requests. */

const ALL_COLUMNS = prospectCall.response.element.keyof().options;

type ProspectRow = z.output<(typeof prospectCall)['response']>[number];

/** Lists the account's prospects by id, without the flags and remarks of sender groups. */
export function listOwnProspects(
  account: AccountDb,
  query: z.output<(typeof prospectCall)['query']>,
): Promise<ListText | Problem> {
  const { where_info, columns = ALL_COLUMNS } = query;
  const isFiltered = Object.values(where_info ?? {}).some((wanted) => wanted !== undefined);
  const order = sql`prospect.id`;
  const { company_email: email, ...where } = where_info ?? {};
  // In the form and with the collation of prospect_email_idx.
  const hasEmail = sql`email_search COLLATE "C" = ${normalizeText(email ?? '')}`;
  const own = sql<SqlBool>`${ownRows('prospect', account.id, where)} AND archived_at IS NULL
    AND ${email === undefined ? sql`true` : hasEmail}`;
  return answerList(account, prospectCall, {
    table: 'prospect',
    own,
    order,
    query,
    read: (tx, { where, limit, offset }) =>
      tx
        .selectFrom('prospect')
        .select(columns)
        .where(where)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .$castTo<ProspectRow>()
        .execute(),
    ...(!isFiltered && { count: (tx) => readCountOfAll(tx, account.id) }),
    view: '/prospect/view',
  });
}

/** Reads the total that triggers keep. Counting a million rows would take longer than reading the page. */
async function readCountOfAll(tx: Db, accountId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT ${countAll(accountId)}::int AS total`.execute(tx);
  return onlyRow(rows).total;
}

/** Lists the flags and remarks of the account's sender groups. A prospect without any has no row. */
export function listActiveProspects(
  account: AccountDb,
  query: z.output<(typeof activeCall)['query']>,
): Promise<ListText | Problem> {
  const order = sql`active_prospect.sender_group_id, active_prospect.prospect_id`;
  return answerList(account, activeCall, {
    table: 'active_prospect',
    own: ownRows('active_prospect', account.id, query.where_info),
    key: ['sender_group_id', 'prospect_id'],
    order,
    query,
    read: async (tx, { where, limit, offset }) => {
      const found = await tx
        .selectFrom('active_prospect')
        .select(['prospect_id', 'sender_group_id', 'active', 'remarks'])
        .where(where)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute();
      return found.map((row) => {
        const all = { ...row, active: asFlag(row.active), remarks_version: contentVersion(row.remarks) };
        return pickColumns(all, query.columns);
      });
    },
    view: '/prospect/view',
  });
}
