import { sql } from 'kysely';
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
