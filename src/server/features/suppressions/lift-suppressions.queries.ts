import { type Expression, type SqlBool, sql } from 'kysely';
import type { LiftReason, SuppressionClass } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';

interface Lifting {
  /** null: the reader of the mail undid it. */
  readonly memberId: number | null;
  /** null: none was asked for. */
  readonly reason: LiftReason | 'undone' | null;
  /** The day on which the owner of the address consented again, as `YYYY-MM-DD`. */
  readonly consentedOn?: string | null;
  readonly note?: string;
}

/**
 * Lifts suppressions of an account: its rows move to `lifted_suppression`, which keeps why.
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
