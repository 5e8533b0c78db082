import { type Expression, type SqlBool, sql } from 'kysely';
import type {
  LiftReason,
  OptOutReason,
  SuppressionClass,
  SuppressionKind,
  SuppressionSource,
  SuppressionValue,
} from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

interface NewSuppressions {
  readonly accountId: number;
  readonly values: readonly SuppressionValue[];
  readonly class: SuppressionClass;
  readonly source: SuppressionSource;
  /** null: the recipient of a mail. */
  readonly memberId: number | null;
  readonly note?: string;
  /** The mail whose recipient opted out. */
  readonly deliveryId?: number;
  readonly optOutReason?: OptOutReason | null;
  /** Until when the recipient of that mail may undo the opt-out. */
  readonly undoUntil?: Date;
}

/**
 * Returns the values of a kind as an SQL array. They are sent as one text with a value per line: the driver takes 60 ms
 * to write an array of 200,000 elements, and blocks other requests.
 */
export const valuesOf = (kind: SuppressionKind, values: readonly SuppressionValue[]) => {
  const lines = values.flatMap((value) => (value.kind === kind ? [value.value] : [])).join('\n');
  return sql<string[]>`string_to_array(${lines}::text, E'\\n')`;
};

/**
 * Adds suppressions whose open mails are still to be cancelled (delivery/cancel-suppressed.queries.ts).
 * Values already suppressed with this class keep their row, but readers of other mails may no longer undo it. The row
 * is locked against a concurrent undo.
 * @returns the ids of the added ones
 */
export async function addSuppressions(tx: Tx, added: NewSuppressions): Promise<number[]> {
  const { accountId, values, memberId, source, note = '', deliveryId, optOutReason, undoUntil } = added;
  // The ids are returned as one value: reading 200,000 rows would block other requests.
  const { rows } = await sql<{ ids: number[] }>`
    WITH stored AS (
      INSERT INTO suppression (account_id, kind, value, class, source, member_id, note, delivery_id, opt_out_reason,
        undo_until, cancels_mails)
      SELECT ${accountId}::bigint, kind, value, ${added.class}::text, ${source}::text, ${memberId}::bigint,
        ${note}::text, ${deliveryId ?? null}::bigint, ${optOutReason ?? null}::text, ${undoUntil ?? null}::timestamptz,
        true
      FROM (
        SELECT 'address', unnest(${valuesOf('address', values)})
        UNION ALL SELECT 'domain', unnest(${valuesOf('domain', values)})
      ) AS added (kind, value)
      ORDER BY kind, value COLLATE "C"
      ON CONFLICT (account_id, kind, value, class) DO UPDATE SET undo_until = NULL
        WHERE suppression.undo_until IS NOT NULL AND suppression.delivery_id IS DISTINCT FROM excluded.delivery_id
      -- A row that was there has been locked.
      RETURNING id, xmax = 0 AS is_new
    ) SELECT coalesce(json_agg(id) FILTER (WHERE is_new), '[]') AS ids FROM stored`.execute(tx);
  return onlyRow(rows).ids;
}

interface Suppressed {
  readonly accountId: number;
  /** In upper or lower case. */
  readonly address: string;
  /** The reply of the mail server, or the event's reason. */
  readonly reason: string;
  readonly class: SuppressionClass;
  readonly source: SuppressionSource;
  readonly deliveryId: number;
}

/** Suppresses addresses for their accounts. */
export async function suppressAddresses(tx: Tx, addresses: readonly Suppressed[]): Promise<void> {
  if (addresses.length === 0) return;
  const column = (name: keyof Suppressed) => addresses.map((one) => one[name]);
  // Makes earlier opt-outs by these recipients final, because a complaint is an opt-out too. Waits for a concurrent
  // undo; a concurrent opt-out is found afterwards.
  const endUndo = sql`
    UPDATE suppression SET undo_until = NULL
    FROM unnest(${column('accountId')}::bigint[], ${column('address')}::text[], ${column('class')}::text[])
      AS added (account_id, address, class)
    WHERE suppression.account_id = added.account_id AND kind = 'address' AND value = lower(added.address)
      AND suppression.class = added.class AND undo_until IS NOT NULL`;
  await endUndo.execute(tx);
  await insertSuppressions(sql`
    unnest(${column('accountId')}::bigint[], ${column('address')}::text[], ${column('reason')}::text[],
      ${column('class')}::text[], ${column('source')}::text[], ${column('deliveryId')}::bigint[])
      AS suppressed (account_id, address, reason, class, source, delivery_id)`).execute(tx);
  await endUndo.execute(tx);
}

/**
 * Returns the INSERT of suppressions, for a CTE. Ignores addresses already suppressed with the class.
 * The fixed order prevents a deadlock of two transactions with the same addresses.
 * @param rows what follows FROM, with account_id, address, reason, class, source, delivery_id
 */
export const insertSuppressions = (rows: Expression<unknown>) => sql`
  INSERT INTO suppression (account_id, kind, value, reason, class, source, delivery_id)
  SELECT account_id, 'address', lower(address), reason, class, source, delivery_id FROM ${rows}
  ORDER BY account_id, lower(address) COLLATE "C", class
  ON CONFLICT DO NOTHING`;

/** A suppression whose open mails are still to be cancelled. */
export interface Unsettled {
  readonly accountId: number;
  readonly id: number;
  readonly kind: SuppressionKind;
  readonly value: string;
}

/** Locks suppressions of an account whose open mails are still to be cancelled. Waits for other processes. */
export async function lockUnsettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<readonly Unsettled[]> {
  // Looks each up on its own: right after a large import the planner would read all suppressions of the account.
  const { rows } = await sql<Unsettled>`
    SELECT found.* FROM unnest(${ids.toSorted((one, other) => one - other)}::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT account_id AS "accountId", suppression.id, kind, value FROM suppression
      WHERE account_id = ${accountId} AND suppression.id = wanted.id AND cancels_mails
      OFFSET 0 FOR UPDATE
    ) AS found`.execute(tx);
  return rows;
}

/** Locks such suppressions of any account, except those locked by another process. */
export const lockSomeUnsettled = (tx: Tx, limit: number): Promise<readonly Unsettled[]> =>
  selectUnsettled(tx, sql`${isNotFrozen('account_id')} ORDER BY account_id, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`);

async function selectUnsettled(tx: Tx, chosen: Expression<unknown>): Promise<readonly Unsettled[]> {
  const { rows } = await sql<Unsettled>`
    SELECT account_id AS "accountId", id, kind, value FROM suppression WHERE cancels_mails AND ${chosen}`.execute(tx);
  return rows;
}

/**
 * Marks the open mails of locked suppressions as cancelled.
 * Called after the mails were locked: a transaction that waits for a changed row may hold one of them.
 */
export async function markSettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE suppression SET cancels_mails = false
    -- One look-up for each, as in lockUnsettled. They are locked, so they stay where they are.
    WHERE account_id = ${accountId} AND ctid = ANY (ARRAY(
      SELECT place FROM unnest(${ids}::bigint[]) AS wanted (id) CROSS JOIN LATERAL (
        SELECT ctid AS place FROM suppression WHERE account_id = ${accountId} AND suppression.id = wanted.id OFFSET 0
      ) AS found))`.execute(tx);
}

interface Lifting {
  /** null: the recipient of the mail undid it. */
  readonly memberId: number | null;
  /** null: none was required. */
  readonly reason: LiftReason | 'undone' | null;
  /** The day on which the address's owner consented again, as `YYYY-MM-DD`. */
  readonly consentedOn?: string | null;
  readonly note?: string;
}

/**
 * Lifts suppressions of an account: moves their rows to `lifted_suppression`, with the reason.
 * @param chosen a condition on rows of `suppression`
 */
export async function liftSuppressions(
  tx: Tx,
  accountId: number,
  chosen: Expression<SqlBool>,
  { memberId, reason, consentedOn = null, note = '' }: Lifting,
): Promise<{ id: number; class: SuppressionClass }[]> {
  const { rows } = await sql<{ id: number; class: SuppressionClass }>`
    WITH gone AS (
      DELETE FROM suppression WHERE suppression.account_id = ${accountId} AND ${chosen} RETURNING *
    )
    INSERT INTO lifted_suppression (account_id, id, kind, value, class, source, reason, delivery_id, opt_out_reason,
      note, member_id, created_at, lifted_by, lift_reason, consented_on, lift_note)
    SELECT account_id, id, kind, value, class, source, reason, delivery_id, opt_out_reason, note, member_id, created_at,
      ${memberId}::bigint, ${reason}::text, ${consentedOn}::date, ${note}::text
    FROM gone
    RETURNING id, class`.execute(tx);
  return rows;
}
