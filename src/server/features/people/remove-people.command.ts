import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import type { PeopleScope } from './store-people.queries.ts';

/**
 * Deletes people, and takes those who are the 主担当 out of their companies' rows. Each company's history has one row.
 * @param ids of companies that the transaction has locked
 */
export async function removePeople(
  tx: Tx,
  { accountId, memberId, importRunId, kind }: PeopleScope,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    WITH removed AS (
      DELETE FROM person WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])
      RETURNING id, prospect_id, name, department, title, email, phone, met_on
    ), emptied AS (
      UPDATE prospect SET person_id = NULL, person_email = NULL, person_email_search = NULL
      FROM removed
      WHERE prospect.account_id = ${accountId} AND prospect.id = removed.prospect_id AND prospect.person_id = removed.id
      RETURNING prospect.id, removed.id AS person_id
    ), changes AS (
      SELECT prospect_id, 'person.' || id || '.' || written.column_name AS key,
        jsonb_build_array(written.value, NULL) AS pair
      FROM removed CROSS JOIN LATERAL (
        VALUES ('name', nullif(name, '')), ('department', nullif(department, '')), ('title', nullif(title, '')),
          ('email', email), ('phone', phone), ('met_on', met_on::text)
      ) AS written (column_name, value)
      WHERE written.value IS NOT NULL
      UNION ALL
      SELECT id, 'person_id', jsonb_build_array(person_id, NULL) FROM emptied
    )
    INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
    SELECT ${accountId}::bigint, ${memberId}::bigint, prospect_id, ${importRunId ?? null}::bigint, ${kind}::text,
      jsonb_object_agg(key, pair)
    FROM changes GROUP BY prospect_id ORDER BY prospect_id`.execute(tx);
}
