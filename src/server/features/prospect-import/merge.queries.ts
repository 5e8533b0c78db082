import type pg from 'pg';
import { COLUMNS, type Field } from './columns.ts';
import { MAX_REPORT_LINES } from './import-report.ts';
import { STAGED } from './staging.ts';

/** The column that is derived from a field: it changes with this field only. */
const DERIVED_COLUMN: Partial<Record<Field, string>> = {
  address: 'address_search',
  company_email: 'email_search',
  major_industry_type: 'major_industry_id',
  included_industry_type: 'included_industry_id',
};

/** A row whose company is in an earlier row of the file. */
export interface Repeat {
  row: number;
  firstRow: number;
  companyName: string;
}

/**
 * Deletes the staged rows whose company is in an earlier row.
 * @returns the first 1,000 of them, and how many there were
 */
export async function deleteRepeatedRows(client: pg.PoolClient): Promise<{ total: number; repeats: Repeat[] }> {
  const { rows } = await client.query<Repeat & { total: number }>(
    `WITH first AS (
       SELECT identity_key, min(line) AS line FROM import_row GROUP BY identity_key HAVING count(*) > 1
     ), deleted AS (
       DELETE FROM import_row r USING first
       WHERE r.identity_key = first.identity_key AND r.line > first.line
       RETURNING r.line, first.line AS first_line, r.company_name
     )
     SELECT line AS "row", first_line AS "firstRow", company_name AS "companyName", (count(*) OVER ())::integer AS total
     FROM deleted ORDER BY line LIMIT ${MAX_REPORT_LINES}`,
  );
  return { total: rows[0]?.total ?? 0, repeats: rows };
}

/**
 * Updates the companies that the account has already by the values that differ; a blank cell changes nothing.
 * @returns how many
 */
export async function updateExisting(client: pg.PoolClient, accountId: number): Promise<number> {
  const sets = COLUMNS.map(({ field }) => field).flatMap((field) => {
    const derived = DERIVED_COLUMN[field];
    const set = `${field} = coalesce(r.${field}, p.${field})`;
    return derived === undefined
      ? [set]
      : [set, `${derived} = CASE WHEN r.${field} IS NULL THEN p.${derived} ELSE r.${derived} END`];
  });
  const differs = COLUMNS.map(({ field }) => `(r.${field} IS NOT NULL AND r.${field} IS DISTINCT FROM p.${field})`);
  const { rowCount } = await client.query(
    `UPDATE prospect p SET ${sets.join(', ')}, updated_at = now()
     FROM import_row r
     WHERE p.account_id = $1 AND p.identity_key = r.identity_key AND (${differs.join(' OR ')})`,
    [accountId],
  );
  return rowCount ?? 0;
}

/** Deletes the staged rows of companies that the account has already. */
export async function deleteExistingRows(client: pg.PoolClient, accountId: number): Promise<void> {
  await client.query(
    'DELETE FROM import_row r USING prospect p WHERE p.account_id = $1 AND p.identity_key = r.identity_key',
    [accountId],
  );
}

/**
 * Inserts the staged rows as prospects. Ids follow the file's order, because a temporary table is scanned from its
 * start. (ORDER BY would sort whole rows on disk; ON CONFLICT would take a tenth of the import's time.)
 * @returns how many
 * @throws unique_violation where another transaction has added one of the companies since deleteExistingRows
 */
export async function insertStagedRows(client: pg.PoolClient, accountId: number): Promise<number> {
  const columns = STAGED.join(', ');
  const { rowCount } = await client.query(
    `INSERT INTO prospect (account_id, ${columns}) SELECT $1, ${columns} FROM import_row`,
    [accountId],
  );
  return rowCount ?? 0;
}
