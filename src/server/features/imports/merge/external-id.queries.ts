import type pg from 'pg';
import { lateFaults, type RowFault } from '../read/faults.ts';
import { ACCOUNT } from './import-run.queries.ts';

/* Refuses rows whose 外部ID names another company than the rest of the row, and takes them out of import_batch. */

interface Refusing {
  readonly refused: Map<number, RowFault>;
}

/** Refuses rows with a corporate number that is not the one of the company with their 外部ID. */
export async function refuseDisagreeing(
  client: pg.PoolClient,
  accountId: number,
  { refused }: Refusing,
): Promise<void> {
  const { rows } = await client.query<{ row: number; first: string; second: string }>(
    `WITH found AS MATERIALIZED (
       SELECT staged.file_row, company.company_name AS first,
         coalesce(other.company_name, staged.company_name) AS second
       FROM import_batch AS staged
       CROSS JOIN LATERAL (
         SELECT id, company_name, corporate_number FROM prospect
         WHERE account_id = ${ACCOUNT} AND external_id = staged.external_id LIMIT 1
       ) AS company
       LEFT JOIN LATERAL (
         SELECT id, company_name FROM prospect
         WHERE account_id = ${ACCOUNT} AND corporate_number = staged.corporate_number LIMIT 1
       ) AS other ON true
       WHERE staged.external_id IS NOT NULL AND staged.corporate_number IS NOT NULL
         AND (company.corporate_number <> staged.corporate_number OR other.id <> company.id)
     )
     DELETE FROM import_batch USING found WHERE import_batch.file_row = found.file_row
     RETURNING found.file_row AS "row", found.first, found.second`,
    [accountId],
  );
  for (const { row, first, second } of rows) refused.set(row, lateFaults.idsDisagree(first, second));
}

/** Refuses rows whose company, found otherwise, has another 外部ID. @returns how many */
export async function refuseOtherIds(client: pg.PoolClient, accountId: number, { refused }: Refusing): Promise<number> {
  const { rows } = await client.query<{ row: number; external: string }>(
    `WITH found AS MATERIALIZED (
       SELECT staged.file_row, staged.external_id
       FROM import_batch AS staged
       CROSS JOIN LATERAL (
         SELECT external_id FROM prospect WHERE account_id = ${ACCOUNT} AND id = staged.prospect_id LIMIT 1
       ) AS company
       WHERE staged.external_id IS NOT NULL AND company.external_id <> staged.external_id
     )
     DELETE FROM import_batch USING found WHERE import_batch.file_row = found.file_row
     RETURNING found.file_row AS "row", found.external_id AS external`,
    [accountId],
  );
  for (const { row, external } of rows) refused.set(row, lateFaults.externalIdSet(external));
  return rows.length;
}
