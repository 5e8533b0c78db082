import { type Expression, sql } from 'kysely';
import type { SuppressionClass, SuppressionSource } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';

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
