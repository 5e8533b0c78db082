import { type Expression, sql } from 'kysely';
import type { OptOutReason, SuppressionClass, SuppressionSource, SuppressionValue } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';

interface NewSuppressions {
  readonly accountId: number;
  readonly values: readonly SuppressionValue[];
  readonly class: SuppressionClass;
  readonly source: SuppressionSource;
  /** null: the reader of a mail. */
  readonly memberId: number | null;
  readonly note?: string;
  /** The mail that was refused. */
  readonly deliveryId?: number;
  readonly optOutReason?: OptOutReason | null;
  /** Until when the reader of that mail may undo it. */
  readonly undoUntil?: Date;
}

/**
 * Adds suppressions whose open mails are still to be cancelled (delivery/cancel-suppressed.queries.ts).
 * Values that have one of the class already keep it; the reader of another mail may no longer undo it. Such a row is
 * locked, so that it is not undone at this moment either.
 * @returns the ids of the added ones
 */
export async function addSuppressions(tx: Tx, added: NewSuppressions): Promise<number[]> {
  const { accountId, values, memberId, source, note = '', deliveryId, optOutReason, undoUntil } = added;
  const { rows } = await sql<{ id: number; isNew: boolean }>`
    INSERT INTO suppression (account_id, kind, value, class, source, member_id, note, delivery_id, opt_out_reason,
      undo_until, cancels_mails)
    SELECT ${accountId}::bigint, kind, value, ${added.class}::text, ${source}::text, ${memberId}::bigint, ${note}::text,
      ${deliveryId ?? null}::bigint, ${optOutReason ?? null}::text, ${undoUntil ?? null}::timestamptz, true
    FROM unnest(${values.map(({ kind }) => kind)}::text[], ${values.map(({ value }) => value)}::text[])
      AS added (kind, value)
    ORDER BY kind, value COLLATE "C"
    ON CONFLICT (account_id, kind, value, class) DO UPDATE SET undo_until = NULL
      WHERE suppression.undo_until IS NOT NULL AND suppression.delivery_id IS DISTINCT FROM excluded.delivery_id
    -- A row that was there has been locked.
    RETURNING id, xmax = 0 AS "isNew"`.execute(tx);
  return rows.flatMap(({ id, isNew }) => (isNew ? [id] : []));
}

interface Suppressed {
  readonly accountId: number;
  /** In upper or lower case. */
  readonly address: string;
  /** The words of the mail server, or of the event. */
  readonly reason: string;
  readonly class: SuppressionClass;
  readonly source: SuppressionSource;
  readonly deliveryId: number;
}

/** Suppresses addresses, so that their accounts do not mail them again. */
export async function suppressAddresses(tx: Tx, addresses: readonly Suppressed[]): Promise<void> {
  if (addresses.length === 0) return;
  const column = (name: keyof Suppressed) => addresses.map((one) => one[name]);
  // Whoever complains refuses as well: what the reader of a mail has refused before can no longer be undone. An undo
  // that is under way is waited for before, and a refusal that comes in meanwhile is found after.
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
 * Returns the INSERT of suppressions, for a CTE. Addresses that have one of the class already are ignored.
 * The fixed order prevents a deadlock of two transactions with the same addresses.
 * @param rows what follows FROM, with account_id, address, reason, class, source, delivery_id
 */
export const insertSuppressions = (rows: Expression<unknown>) => sql`
  INSERT INTO suppression (account_id, kind, value, reason, class, source, delivery_id)
  SELECT account_id, 'address', lower(address), reason, class, source, delivery_id FROM ${rows}
  ORDER BY account_id, lower(address) COLLATE "C", class
  ON CONFLICT DO NOTHING`;
