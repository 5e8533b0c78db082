import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { ReplyRow, viewReplies as viewCall } from '#contract/reply.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { Tx } from '../../platform/db.ts';

type Query = z.output<(typeof viewCall)['query']>;

type Row = Omit<ReplyRow, 'at' | 'handled_at' | 'is_refusal'> & {
  readonly at: Date;
  readonly handled_at: Date | null;
  readonly is_refusal: boolean;
};

/** Reads a page of the account's answers, newest first. */
export function viewReplies(account: AccountDb, query: Query): Promise<CallAnswer<typeof viewCall>> {
  const { pagenate_count: limit, pagenate_num, ...filter } = query;
  const condition = conditionOf(account.id, filter);
  return account.snapshot(async (tx) => {
    const rows = await readRows(tx, condition, { limit, offset: (pagenate_num - 1) * limit });
    const { rows: counts } = await sql<{ total: number }>`
      SELECT count(*)::integer AS total FROM reply WHERE ${condition}`.execute(tx);
    return { rows: rows.map(asWire), total: counts[0]?.total ?? 0 };
  });
}

const asWire = ({ at, handled_at, is_refusal, ...row }: Row): ReplyRow => ({
  ...row,
  is_refusal: asFlag(is_refusal),
  at: formatSecond(at.getTime()),
  handled_at: handled_at && formatSecond(handled_at.getTime()),
});

function conditionOf(
  accountId: number,
  { prospect_id, delivery_id, state }: Pick<Query, 'prospect_id' | 'delivery_id' | 'state'>,
): Expression<SqlBool> {
  const conditions = [
    sql`reply.account_id = ${accountId}`,
    ...(prospect_id === undefined ? [] : [sql`reply.prospect_id = ${prospect_id}`]),
    ...(delivery_id === undefined ? [] : [sql`reply.delivery_id = ${delivery_id}`]),
    ...(state === undefined
      ? []
      : [
          state === 'open'
            ? sql`reply.kind <> 'auto_reply' AND reply.handled_at IS NULL`
            : sql`reply.handled_at IS NOT NULL`,
        ]),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

async function readRows(
  tx: Tx,
  condition: Expression<SqlBool>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    WITH page AS (SELECT * FROM reply WHERE ${condition} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset})
    SELECT page.id, page.prospect_id, prospect.company_name, page.kind, page.from_address, page.subject, page.excerpt,
      page.is_refusal, page.at, page.handled_at, handler.name AS handled_by, noter.name AS noted_by,
      page.delivery_id, delivery.send_log_id
    FROM page
    JOIN prospect ON prospect.account_id = page.account_id AND prospect.id = page.prospect_id
    LEFT JOIN member AS handler ON handler.account_id = page.account_id AND handler.id = page.handled_by
    LEFT JOIN member AS noter ON noter.account_id = page.account_id AND noter.id = page.member_id
    LEFT JOIN delivery ON delivery.account_id = page.account_id AND delivery.id = page.delivery_id
    ORDER BY page.id DESC`.execute(tx);
  return rows;
}
