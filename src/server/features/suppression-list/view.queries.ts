import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import {
  MAX_NAMED_COMPANIES,
  type SuppressionRow,
  type viewSuppressions as viewCall,
} from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import { searchTerms } from '#domain/company/prospect-search.ts';
import { containing } from '#domain/text/text-filter.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { Problem } from '../../platform/problem.ts';

type Query = z.output<(typeof viewCall)['query']>;
type Filter = Omit<Query, 'pagenate_count' | 'pagenate_num'>;

/** Reads a page of the account's suppressions, newest first. */
export function viewSuppressions(
  account: AccountDb,
  { pagenate_count, pagenate_num, ...filter }: Query,
): Promise<CallAnswer<typeof viewCall>> {
  return account.snapshot(async (tx) => {
    const condition = conditionOf(account.id, filter);
    const window = { limit: pagenate_count, offset: (pagenate_num - 1) * pagenate_count };
    const rows = await readRows(tx, account.id, condition, window);
    return { rows, ...(await countAll(tx, account.id, condition)) };
  });
}

/** Rows that are read and passed on together. */
const PIECE_ROWS = 1000;

/**
 * Reads all suppressions of a filter, newest first, in one snapshot, so that concurrent changes shift no page.
 * @param take called with each piece of rows and their total; if it refuses, the reading ends
 */
export function readAllSuppressions(
  account: AccountDb,
  filter: Filter,
  take: (rows: SuppressionRow[], total: number) => Promise<Problem | undefined>,
): Promise<Problem | undefined> {
  return account.snapshot(async (tx) => {
    const condition = conditionOf(account.id, filter);
    const { total } = await countAll(tx, account.id, condition);
    let last = Number.MAX_SAFE_INTEGER;
    for (let read = 0; read < total; read += PIECE_ROWS) {
      const piece = sql<SqlBool>`${condition} AND suppression.id < ${last}`;
      const rows = await readRows(tx, account.id, piece, { limit: PIECE_ROWS, offset: 0 });
      const problem = await take(rows, total);
      if (problem) return problem;
      last = rows.at(-1)?.id ?? 0;
    }
    return undefined;
  });
}

function conditionOf(accountId: number, { search = '', kind, class: type, source, delivery_id }: Filter) {
  const equals = (column: string, value: string | number | undefined) =>
    value === undefined ? [] : [sql`${sql.ref(`suppression.${column}`)} = ${value}`];
  const conditions = [
    sql`suppression.account_id = ${accountId}`,
    ...equals('kind', kind),
    ...equals('class', type),
    ...equals('source', source),
    ...equals('delivery_id', delivery_id),
    ...searchTerms(search).map(
      ({ inName, inEmail }) => sql`(suppression.value LIKE ${containing(inEmail)}
        OR suppression.kind = 'address' AND EXISTS (
          SELECT FROM prospect
          JOIN prospect_search ON prospect_search.account_id = prospect.account_id AND prospect_search.id = prospect.id
          WHERE prospect.account_id = ${accountId} AND prospect.archived_at IS NULL
            AND prospect.email_search COLLATE "C" = suppression.value
            AND prospect_search.account_id = ${accountId}
            AND prospect_search.name_search LIKE ${containing(inName)}))`,
    ),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

async function readRows(
  tx: Tx,
  accountId: number,
  condition: Expression<SqlBool>,
  { limit, offset }: { limit: number; offset: number },
): Promise<SuppressionRow[]> {
  const { rows } = await sql<Omit<SuppressionRow, 'created_at'> & { readonly created_at: Date }>`
    WITH page AS (
      SELECT * FROM suppression WHERE ${condition} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}
    )
    SELECT page.id, page.kind, page.value, page.class, page.source, page.reason, page.opt_out_reason, page.note,
      page.created_at, member.name AS created_by, page.delivery_id, delivery.send_log_id,
      coalesce(companies.named, '[]') AS companies, coalesce(companies.total, 0) AS companies_total
    FROM page
    LEFT JOIN member ON member.account_id = ${accountId} AND member.id = page.member_id
    LEFT JOIN delivery ON delivery.account_id = ${accountId} AND delivery.id = page.delivery_id
    LEFT JOIN LATERAL (
      SELECT count(*)::integer AS total,
        jsonb_agg(jsonb_build_object('id', id, 'company_name', company_name) ORDER BY id)
          FILTER (WHERE place <= ${MAX_NAMED_COMPANIES}) AS named
      FROM (
        SELECT id, company_name, row_number() OVER (ORDER BY id) AS place FROM prospect
        WHERE prospect.account_id = ${accountId} AND prospect.archived_at IS NULL
          AND prospect.email_search COLLATE "C" = page.value
      ) AS company
    ) AS companies ON page.kind = 'address'
    ORDER BY page.id DESC`.execute(tx);
  return rows.map(({ created_at, ...row }) => ({ ...row, created_at: formatSecond(created_at.getTime()) }));
}

/** Counts the matching rows, and all addresses and domains of the account. */
async function countAll(tx: Tx, accountId: number, condition: Expression<SqlBool>) {
  const { rows } = await sql<{ total: number; addresses: number; domains: number }>`
    SELECT (SELECT count(*)::integer FROM suppression WHERE ${condition}) AS total,
      count(DISTINCT value) FILTER (WHERE kind = 'address')::integer AS addresses,
      count(DISTINCT value) FILTER (WHERE kind = 'domain')::integer AS domains
    FROM suppression WHERE account_id = ${accountId}`.execute(tx);
  return onlyRow(rows);
}
