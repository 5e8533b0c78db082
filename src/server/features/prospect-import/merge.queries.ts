import type pg from 'pg';
import { COLUMNS, type Field } from './columns.ts';
import { MAX_REPORT_LINES } from './import-report.ts';
import { STAGED } from './staging.ts';

/** Columns that follow a field: they change with it and only with it. */
const DERIVED: Partial<Record<Field, string>> = {
  address: 'address_search',
  company_email: 'email_search',
  major_industry_type: 'major_industry_id',
  included_industry_type: 'included_industry_id',
};

export interface Repeat {
  row: number;
  firstRow: number;
  companyName: string;
}

/** Takes every row out whose company stands in an earlier row. @returns the first of them and how many there were */
export async function dropRepeats(client: pg.PoolClient): Promise<{ total: number; repeats: Repeat[] }> {
  const { rows } = await client.query<Repeat & { total: number }>(
    `WITH first AS (
       SELECT identity_key, min(line) AS line FROM import_row GROUP BY identity_key HAVING count(*) > 1
     ), gone AS (
       DELETE FROM import_row r USING first
       WHERE r.identity_key = first.identity_key AND r.line > first.line
       RETURNING r.line, first.line AS first_line, r.company_name
     )
     SELECT line AS "row", first_line AS "firstRow", company_name AS "companyName", (count(*) OVER ())::integer AS total
     FROM gone ORDER BY line LIMIT ${MAX_REPORT_LINES}`,
  );
  return { total: rows[0]?.total ?? 0, repeats: rows };
}

/** Gives companies that are there already what the file has and they have not or have otherwise. Blanks change nothing. */
export async function updateExisting(client: pg.PoolClient, accountId: number): Promise<number> {
  const sets = COLUMNS.map(({ field }) => field).flatMap((field) => {
    const derived = DERIVED[field];
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

/** Leaves the companies in the staging table that the account does not have yet. */
export async function dropExisting(client: pg.PoolClient, accountId: number): Promise<void> {
  await client.query(
    'DELETE FROM import_row r USING prospect p WHERE p.account_id = $1 AND p.identity_key = r.identity_key',
    [accountId],
  );
}

/**
 * Adds what is staged. A scan of a temporary table goes from its start to its end, so ids are given in the file's order, which is
 * the list's default order (ORDER BY would sort whole rows on disk). Not ON CONFLICT, which costs a tenth of the import.
 * @throws unique_violation where somebody else has added one of the companies since dropExisting
 */
export async function insertStaged(client: pg.PoolClient, accountId: number): Promise<number> {
  const columns = STAGED.join(', ');
  const { rowCount } = await client.query(
    `INSERT INTO prospect (account_id, ${columns}) SELECT $1, ${columns} FROM import_row`,
    [accountId],
  );
  return rowCount ?? 0;
}
