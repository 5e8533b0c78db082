import { sql } from 'kysely';
import type { addSuppressions } from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { SuppressionClass, SuppressionValue } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { companiesInEither, companiesOfEither, mailKey, sendToOf } from '../attack-list/chosen-address.queries.ts';
import { valuesOf } from '../suppressions/write-suppressions.queries.ts';

/** The effects of suppressing these values. */
export type Effects = Omit<CallAnswer<typeof addSuppressions>, 'status'>;

/**
 * Counts the effects of suppressing these values: the companies with such an address, of their own or of their main
 * contact person, and what would go there, of reservations and of runs.
 * @param values without duplicates
 */
export async function countEffects(
  tx: Tx,
  accountId: number,
  type: SuppressionClass,
  values: readonly SuppressionValue[],
): Promise<Effects> {
  const [addresses, domains] = [valuesOf('address', values), valuesOf('domain', values)];
  const goesThere = (order: string) => {
    const key = mailKey(sendToOf(order), 'company');
    return sql`(${key} = ANY (${addresses}) OR split_part(${key}, '@', -1) = ANY (${domains}))`;
  };
  const { rows } = await sql<Omit<Effects, 'added'>>`
    WITH company AS MATERIALIZED (
      SELECT id, company_email, person_email, person_email_search FROM prospect
      WHERE account_id = ${accountId} AND archived_at IS NULL
        AND id IN (${companiesOfEither(accountId, addresses)} UNION ALL ${companiesInEither(accountId, domains)})
    )
    SELECT (SELECT count(*)::integer FROM suppression WHERE account_id = ${accountId} AND class = ${type}
        AND (kind = 'address' AND value = ANY (${addresses})
          OR kind = 'domain' AND value = ANY (${domains}))) AS already,
      (SELECT count(*)::integer FROM company) AS companies,
      (SELECT count(*)::integer FROM reservation_target AS target
        JOIN reservation ON reservation.account_id = target.account_id AND reservation.id = target.reservation_id
        JOIN company ON company.id = target.prospect_id
        WHERE target.account_id = ${accountId} AND target.pending AND NOT target.test_send_mode
          AND ${goesThere('reservation')}) AS reserved,
      (SELECT count(*)::integer FROM delivery
        JOIN send_log AS run ON run.account_id = delivery.account_id AND run.id = delivery.send_log_id
        JOIN company ON company.id = delivery.prospect_id
        WHERE delivery.account_id = ${accountId} AND delivery.state = 'queued' AND NOT delivery.test_send_mode
          AND ${goesThere('run')}) AS queued`.execute(tx);
  const counts = onlyRow(rows);
  return { added: values.length - counts.already, ...counts };
}
