import type pg from 'pg';
import { ACCOUNT, type ImportSource } from './import-run.queries.ts';

/*
 * Writes a file's remarks to the sender group of the import. Each text that an import writes has a row of
 * prospect_change with this group, so that an undo can compare it with the present text.
 */

/**
 * Sets the group's remarks of matched companies where the file's differ, with a history row for each.
 * A blank cell changes nothing.
 * @returns how many companies have no other change by the import
 */
export async function updateRemarks(
  client: pg.PoolClient,
  { accountId, memberId, importRunId, remarksGroupId }: ImportSource,
): Promise<number> {
  const { rows } = await client.query<{ companies: number }>(
    `WITH changed AS (
       SELECT staged.prospect_id, coalesce(own.remarks, '') AS old, staged.remarks AS new
       FROM import_batch AS staged
       LEFT JOIN LATERAL (
         SELECT remarks FROM active_prospect
         WHERE account_id = ${ACCOUNT} AND sender_group_id = $4 AND prospect_id = staged.prospect_id LIMIT 1
       ) AS own ON true
       WHERE staged.prospect_id IS NOT NULL AND staged.remarks <> coalesce(own.remarks, '')
     ), recorded AS (
       INSERT INTO prospect_change
         (account_id, member_id, prospect_id, import_run_id, sender_group_id, kind, changes)
       SELECT $1, $2::bigint, prospect_id, $3::bigint, $4::bigint, 'imported',
         jsonb_build_object('remarks', jsonb_build_array(old, new))
       FROM changed
     ), written AS (
       INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, remarks, updated_at)
       SELECT $1, $4::bigint, prospect_id, new, now() FROM changed ORDER BY prospect_id
       ON CONFLICT (account_id, sender_group_id, prospect_id)
         DO UPDATE SET remarks = excluded.remarks, updated_at = excluded.updated_at
     )
     SELECT count(*)::integer AS companies FROM changed WHERE NOT EXISTS (
       SELECT FROM prospect_change AS own
       WHERE own.account_id = ${ACCOUNT} AND own.prospect_id = changed.prospect_id AND own.import_run_id = $3::bigint
       OFFSET 0)`,
    [accountId, memberId, importRunId, remarksGroupId],
  );
  return rows[0]?.companies ?? 0;
}

/** The WITH statements that write the remarks of added companies: `added` has their ids and keys. */
export const ADDED_REMARKS = `remarked AS (
    SELECT added.id, staged.remarks FROM added JOIN import_batch AS staged USING (identity_key)
    WHERE staged.remarks IS NOT NULL
  ), recorded AS (
    INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, sender_group_id, kind, changes)
    SELECT $1, $3::bigint, id, $2::bigint, $4::bigint, 'added',
      jsonb_build_object('remarks', jsonb_build_array('', remarks))
    FROM remarked
  ), written AS (
    INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, remarks, updated_at)
    SELECT $1, $4::bigint, id, remarks, now() FROM remarked
  )`;
