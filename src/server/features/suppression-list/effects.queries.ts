import { sql } from 'kysely';
import type { addSuppressions } from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { SuppressionClass, SuppressionValue } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { valuesOf } from '../suppressions/write-suppressions.queries.ts';

/** The effects of suppressing these values. */
export type Effects = Omit<CallAnswer<typeof addSuppressions>, 'status'>;

/** Counts the effects of suppressing these values. @param values without duplicates */
export async function countEffects(
  tx: Tx,
  accountId: number,
  type: SuppressionClass,
  values: readonly SuppressionValue[],
): Promise<Effects> {
  const [addresses, domains] = [valuesOf('address', values), valuesOf('domain', values)];
  const { rows } = await sql<Omit<Effects, 'added'>>`
    WITH company AS MATERIALIZED (
      SELECT id FROM prospect WHERE account_id = ${accountId} AND archived_at IS NULL
        AND email_search COLLATE "C" = ANY (${addresses})
      UNION
      SELECT id FROM prospect WHERE account_id = ${accountId} AND archived_at IS NULL
        AND email_domain COLLATE "C" = ANY (${domains})
    )
    SELECT (SELECT count(*)::integer FROM suppression WHERE account_id = ${accountId} AND class = ${type}
        AND (kind = 'address' AND value = ANY (${addresses})
          OR kind = 'domain' AND value = ANY (${domains}))) AS already,
      (SELECT count(*)::integer FROM company) AS companies,
      (SELECT count(*)::integer FROM reservation_target WHERE account_id = ${accountId} AND pending
        AND NOT test_send_mode AND prospect_id IN (SELECT id FROM company)) AS reserved,
      (SELECT count(*)::integer FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
        AND NOT test_send_mode AND prospect_id IN (SELECT id FROM company)) AS queued`.execute(tx);
  const counts = onlyRow(rows);
  return { added: values.length - counts.already, ...counts };
}
