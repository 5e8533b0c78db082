import { type Expression, type SqlBool, sql } from 'kysely';
import type { ChangeKind } from '#contract/companies/companies.ts';
import type { BulkAct } from '#contract/companies/companies-bulk.ts';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';

/** The acts of this file; labels are own-fields'. */
export type PlainAct = Exclude<BulkAct, 'label'>;

export interface BulkChange {
  readonly act: PlainAct;
  /** The text to append, for `append_remarks`. */
  readonly remarks: string;
}

interface BulkCounts {
  /** The companies that belong to the account. */
  readonly found: number;
  readonly changed: number;
  readonly no_email: number;
  readonly too_long: number;
}

const KIND: Record<PlainAct, ChangeKind> = {
  activate: 'activated',
  deactivate: 'deactivated',
  append_remarks: 'remarked',
  suppress: 'suppressed',
  archive: 'archived',
  restore: 'restored',
};

const newRemarks = (remarks: string) =>
  sql<string>`CASE WHEN own.remarks <> '' THEN own.remarks || E'\\n' ELSE '' END || ${remarks}::text`;

/** The company's own address and its 主担当's, of the row `prospect`, in the collation of suppression.value. */
const BOTH_ADDRESSES = sql`unnest(ARRAY[prospect.email_search, prospect.person_email_search COLLATE "default"])
  AS both_own (address)`;

/** Selects the companies that a change affects: the row `prospect`, with the group's row `own` or none. */
const isChangeable = (accountId: number, { act, remarks }: BulkChange): Expression<SqlBool> =>
  CHANGEABLE[act](accountId, remarks);

const CHANGEABLE: Record<PlainAct, (accountId: number, remarks: string) => Expression<SqlBool>> = {
  activate: () => sql`own.active IS FALSE`,
  deactivate: () => sql`own.active IS NOT FALSE`,
  append_remarks: (_accountId, remarks) => sql`length(${newRemarks(remarks)}) <= ${MAX_REMARKS_LENGTH}`,
  suppress: (accountId) => sql`EXISTS (
    SELECT FROM ${BOTH_ADDRESSES} WHERE both_own.address <> '' AND NOT EXISTS (
      SELECT FROM suppression WHERE suppression.account_id = ${accountId} AND kind = 'address'
        AND value = both_own.address))`,
  archive: () => sql`prospect.archived_at IS NULL`,
  restore: () => sql`prospect.archived_at IS NOT NULL`,
};

const companies = ({ accountId, senderGroupId }: GroupScope, ids: readonly number[]) => sql`
  FROM prospect
  LEFT JOIN active_prospect AS own
    ON own.account_id = ${accountId} AND own.sender_group_id = ${senderGroupId} AND own.prospect_id = prospect.id
  WHERE prospect.account_id = ${accountId} AND prospect.id = ANY (${ids}::bigint[])`;

/** Counts the companies that a change would alter, and the others by reason. */
export async function changeableCounts(
  tx: Tx,
  scope: GroupScope,
  change: BulkChange,
  ids: readonly number[],
): Promise<BulkCounts> {
  const noEmail =
    change.act === 'suppress'
      ? sql`coalesce(prospect.email_search, '') = '' AND prospect.person_email_search IS NULL`
      : sql`false`;
  const tooLong = change.act === 'append_remarks' ? sql`NOT ${isChangeable(scope.accountId, change)}` : sql`false`;
  const { rows } = await sql<BulkCounts>`
    SELECT count(*)::integer AS found,
      count(*) FILTER (WHERE ${isChangeable(scope.accountId, change)})::integer AS changed,
      count(*) FILTER (WHERE ${noEmail})::integer AS no_email,
      count(*) FILTER (WHERE ${tooLong})::integer AS too_long
    ${companies(scope, ids)}`.execute(tx);
  return onlyRow(rows);
}

/** Counts the unsent real mails of these companies. */
export async function countPending(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<{ reserved: number; queued: number }> {
  const ofIds = sql`account_id = ${accountId} AND prospect_id = ANY (${ids}::bigint[]) AND NOT test_send_mode`;
  const { rows } = await sql<{ reserved: number; queued: number }>`
    SELECT (SELECT count(*)::integer FROM reservation_target WHERE ${ofIds} AND pending) AS reserved,
      (SELECT count(*)::integer FROM delivery WHERE ${ofIds} AND state = 'queued') AS queued`.execute(tx);
  return onlyRow(rows);
}

/** Checks whether a change concerns the sender group's row, not the company. */
const isOfGroup = (act: PlainAct): boolean => ['activate', 'deactivate', 'append_remarks'].includes(act);

/** Returns {field: [old, new]} for the history. */
function changesOf({ act, remarks }: BulkChange): Expression<unknown> {
  if (act === 'append_remarks') {
    return sql`jsonb_build_object('remarks', jsonb_build_array(coalesce(own.remarks, ''), ${newRemarks(remarks)}))`;
  }
  if (!isOfGroup(act)) return sql`'{}'::jsonb`;
  const flag = act === 'activate' ? 1 : 0;
  return sql`jsonb_build_object('active', jsonb_build_array((coalesce(own.active, true))::integer, ${flag}::integer))`;
}

/**
 * Applies a change to the companies that it alters, and writes a history row for each.
 * @param ids locked by the transaction
 * @returns how many
 */
export async function bulkChange(
  tx: Tx,
  scope: GroupScope,
  change: BulkChange & { readonly memberId: number },
  ids: readonly number[],
): Promise<number> {
  const { accountId, senderGroupId } = scope;
  const { act, memberId } = change;
  // The history is written first, because it reads the old values.
  const { rows } = await sql<{ prospect_id: number }>`
    INSERT INTO prospect_change (account_id, member_id, prospect_id, sender_group_id, kind, changes)
    SELECT ${accountId}::bigint, ${memberId}::bigint, prospect.id, ${isOfGroup(act) ? senderGroupId : null}::bigint,
      ${KIND[act]}::text, ${changesOf(change)}
    ${companies(scope, ids)} AND ${isChangeable(accountId, change)}
    RETURNING prospect_id`.execute(tx);
  const changed = rows.map(({ prospect_id }) => prospect_id);
  if (changed.length > 0) await write(tx, scope, change, changed);
  return changed.length;
}

async function write(
  tx: Tx,
  { accountId, senderGroupId }: GroupScope,
  { act, memberId, remarks }: BulkChange & { readonly memberId: number },
  ids: readonly number[],
): Promise<void> {
  const archivedAt = act === 'archive' ? sql`now()` : sql`NULL`;
  switch (act) {
    case 'archive':
    case 'restore':
      await sql`UPDATE prospect SET archived_at = ${archivedAt}
        WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
      return;
    case 'suppress':
      await sql`
        INSERT INTO suppression (account_id, kind, value, class, source, member_id, cancels_mails)
        SELECT DISTINCT account_id, 'address', both_own.address, 'blocked', 'manual', ${memberId}::bigint, true
        FROM prospect CROSS JOIN ${BOTH_ADDRESSES}
        WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND both_own.address <> ''
        ORDER BY 3
        ON CONFLICT DO NOTHING`.execute(tx);
      return;
    default: {
      const update =
        act === 'append_remarks'
          ? sql`remarks = ${newRemarks(remarks)}, remarks_by = excluded.remarks_by, remarks_at = excluded.remarks_at`
          : sql`active = ${act === 'activate'}`;
      await sql`
        INSERT INTO active_prospect AS own (
          account_id, sender_group_id, prospect_id, active, remarks, remarks_by, remarks_at, updated_at)
        SELECT ${accountId}::bigint, ${senderGroupId}::bigint, id, ${act !== 'deactivate'}::boolean,
          ${act === 'append_remarks' ? remarks : ''}::text, ${memberId}::bigint, clock_timestamp(), now()
        FROM unnest(${ids}::bigint[]) AS changed (id)
        ORDER BY id
        ON CONFLICT (account_id, sender_group_id, prospect_id) DO UPDATE SET ${update}, updated_at = now()`.execute(tx);
    }
  }
}
