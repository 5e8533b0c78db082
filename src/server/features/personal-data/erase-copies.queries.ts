import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/**
 * The files of exports and imports, but for those of an upload or of a running import: a worker reads them.
 * Any of them may hold an address, and the programs that wrote them are not there to look.
 */
const erasableFiles = (accountId: number): Expression<SqlBool> => sql<SqlBool>`stored_file.account_id = ${accountId}
  AND NOT EXISTS (
    SELECT FROM import_run AS run
    LEFT JOIN job ON job.account_id = run.account_id AND job.id = run.job_id
    WHERE run.account_id = stored_file.account_id AND run.file_id = stored_file.id
      AND (run.state = 'uploading' OR job.state IN ('queued', 'running')))`;

export async function countFiles(tx: Tx, accountId: number): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    SELECT count(*)::integer AS files FROM stored_file WHERE ${erasableFiles(accountId)}`.execute(tx);
  return onlyRow(rows).files;
}

/** Deletes these files, and cancels exports that are being made. @returns how many files */
export async function deleteFiles(tx: Tx, accountId: number): Promise<number> {
  await sql`
    UPDATE job SET state = 'cancelled', finished_at = now(), lease_until = NULL
    WHERE account_id = ${accountId} AND kind = 'export' AND state IN ('queued', 'running')`.execute(tx);
  const { numAffectedRows } = await sql`
    DELETE FROM stored_file WHERE ${erasableFiles(accountId)}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/*
 * The filters of lists that are stored with runs, reservations, exports and as saved conditions. One that looks for a
 * person by address or name would keep them.
 */

/** Whom an erasure is about. */
interface Erased {
  readonly accountId: number;
  /** Their companies, not yet blank. */
  readonly companies: readonly number[];
  /** In the form of addressKey. */
  readonly address: string;
}

/**
 * The condition that a stored filter (an object) looks for the address, for its local part with the `@`, or for the
 * name of a company. A word of a name and a domain are no person.
 */
const names = (filter: Expression<unknown>, { accountId, companies, address }: Erased): Expression<SqlBool> => {
  const textOf = (name: string) => sql`lower(normalize(coalesce(${filter} ->> ${sql.lit(name)}, ''), NFKC))`;
  return sql<SqlBool>`(EXISTS (
      SELECT FROM regexp_split_to_table(${textOf('search')} || ' ' || ${textOf('company_email')}, '[\\s,、]+') AS term
      WHERE position('@' IN term) > 1 AND (position(term IN ${address}) > 0 OR position(${address} IN term) > 0)
    ) OR btrim(${textOf('search')}) IN (
      SELECT lower(normalize(company_name, NFKC)) FROM prospect
      WHERE account_id = ${accountId} AND id = ANY (${companies}::bigint[])))`;
};

/** Locks the runs that were made by such a filter: before their mails, as all who lock both. @returns their ids */
export async function lockRunsNaming(tx: Tx, erased: Erased): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM send_log
    WHERE account_id = ${erased.accountId} AND list_conditions IS NOT NULL
      AND ${names(sql.ref('list_conditions'), erased)}
    ORDER BY id
    FOR NO KEY UPDATE`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Takes such filters out of these runs, of reservations and of ended exports, and deletes the saved ones. */
export async function eraseConditions(tx: Tx, erased: Erased, runs: readonly number[]): Promise<void> {
  const { accountId } = erased;
  await sql`
    UPDATE send_log SET list_conditions = NULL
    WHERE account_id = ${accountId} AND id = ANY (${runs}::bigint[])`.execute(tx);
  await sql`
    UPDATE reservation SET list_conditions = NULL
    WHERE account_id = ${accountId} AND ${names(sql.ref('list_conditions'), erased)}`.execute(tx);
  await sql`
    UPDATE job SET input = input - ARRAY['search', 'company_email']
    WHERE account_id = ${accountId} AND kind = 'export' AND state NOT IN ('queued', 'running')
      AND ${names(sql.ref('input'), erased)}`.execute(tx);
  await sql`
    DELETE FROM saved_condition
    WHERE account_id = ${accountId} AND ${names(sql.ref('where_info'), erased)}`.execute(tx);
}
