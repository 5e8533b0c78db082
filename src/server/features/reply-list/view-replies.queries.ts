import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { ReplyRow, viewReplies as viewCall } from '#contract/answers/replies.ts';
import type { CallAnswer } from '#contract/call.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isProvenWriter } from '../opt-out/writer.queries.ts';

type Query = z.output<(typeof viewCall)['query']>;

type Row = Omit<ReplyRow, 'at' | 'handled_at' | 'is_refusal' | 'is_doubtful' | 'is_unclear' | 'from_check'> & {
  readonly at: Date;
  readonly handled_at: Date | null;
  readonly is_refusal: boolean;
  readonly is_doubtful: boolean;
  readonly is_unclear: boolean;
  /** The From address is proven, or is the company's present one. Both are suppressed without being named. */
  readonly isKnown: boolean;
  readonly isRefused: boolean;
};

/** Reads a page of the account's replies, newest first. */
export function viewReplies(account: AccountDb, query: Query): Promise<CallAnswer<typeof viewCall>> {
  const { pagenate_count: limit, pagenate_num, ...filter } = query;
  const condition = conditionOf(account.id, filter);
  return account.snapshot(async (tx) => {
    const rows = await readRows(tx, account.id, condition, { limit, offset: (pagenate_num - 1) * limit });
    const { rows: counts } = await sql<{ total: number }>`
      SELECT count(*)::integer AS total FROM reply WHERE ${condition}`.execute(tx);
    return { rows: rows.map(asWire), total: counts[0]?.total ?? 0 };
  });
}

function asWire({
  at,
  handled_at,
  is_refusal,
  is_doubtful,
  is_unclear,
  isKnown,
  isRefused,
  from_company,
  ...row
}: Row): ReplyRow {
  const known = isKnown ? 'checked' : 'unchecked';
  const from_check = !parseMailAddress(row.from_address).ok ? 'none' : isRefused ? 'refused' : known;
  return {
    ...row,
    is_refusal: asFlag(is_refusal),
    is_doubtful: asFlag(is_doubtful),
    is_unclear: asFlag(is_unclear),
    from_check,
    from_company: from_check === 'unchecked' ? from_company : null,
    at: formatSecond(at.getTime()),
    handled_at: handled_at && formatSecond(handled_at.getTime()),
  };
}

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

/** The company with the From address of a reply of `page`, as an object; NULL: none. Archived ones come last. */
const otherCompanyOf = (accountId: number): RawBuilder<ReplyRow['from_company']> => {
  const having = (archived: RawBuilder<unknown>) => sql`(
    SELECT id, company_name FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS ${archived}
      AND email_search COLLATE "C" = page.from_address COLLATE "C"
    -- In the order of the indexes of addresses: those of ids would be walked.
    ORDER BY email_search COLLATE "C" LIMIT 1)`;
  return sql`CASE WHEN page.from_address <> '' THEN (
    SELECT to_jsonb(company) FROM (${having(sql`NULL`)} UNION ALL ${having(sql`NOT NULL`)}) AS company LIMIT 1) END`;
};

async function readRows(
  tx: Tx,
  accountId: number,
  condition: Expression<SqlBool>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Row[]> {
  const isProven = isProvenWriter({
    accountId,
    from: sql`page.from_address`,
    trust: sql`page.from_trust`,
    mailedTo: sql`delivery.address_key`,
    prospectId: sql`page.prospect_id`,
  });
  const { rows } = await sql<Row>`
    WITH page AS (SELECT * FROM reply WHERE ${condition} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset})
    SELECT page.id, page.prospect_id, prospect.company_name, page.kind, page.from_address, page.subject, page.excerpt,
      page.is_refusal, page.doubted_address IS NOT NULL AS is_doubtful, page.is_unclear, page.at, page.handled_at,
      handler.name AS handled_by, noter.name AS noted_by,
      page.delivery_id, delivery.send_log_id, cardinality(page.folded_hashes) AS folded,
      coalesce(${isProven} OR prospect.email_search = page.from_address, false) AS "isKnown",
      EXISTS (
        SELECT FROM suppression WHERE account_id = ${accountId} AND kind = 'address' AND value = page.from_address
          AND class = 'refused') AS "isRefused",
      ${otherCompanyOf(accountId)} AS from_company
    FROM page
    JOIN prospect ON prospect.account_id = page.account_id AND prospect.id = page.prospect_id
    LEFT JOIN member AS handler ON handler.account_id = page.account_id AND handler.id = page.handled_by
    LEFT JOIN member AS noter ON noter.account_id = page.account_id AND noter.id = page.member_id
    LEFT JOIN delivery ON delivery.account_id = page.account_id AND delivery.id = page.delivery_id
    ORDER BY page.id DESC`.execute(tx);
  return rows;
}
