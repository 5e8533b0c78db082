import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/**
 * Selects the files of exports and imports, except those of an upload or a running import, which a worker reads.
 * Any of them may hold an address, and cannot be searched here.
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

/** Deletes these files, and cancels unfinished exports. @returns how many files */
export async function deleteFiles(tx: Tx, accountId: number): Promise<number> {
  await sql`
    UPDATE job SET state = 'cancelled', finished_at = now(), lease_until = NULL
    WHERE account_id = ${accountId} AND kind = 'export' AND state IN ('queued', 'running')`.execute(tx);
  const { numAffectedRows } = await sql`
    DELETE FROM stored_file WHERE ${erasableFiles(accountId)}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/*
 * Erases stored list filters of runs, reservations, exports and saved conditions that search for a person by address or
 * name.
 */

/** The person to erase. */
interface Erased {
  readonly accountId: number;
  /** The companies with the address, before they are blanked. */
  readonly companies: readonly number[];
  /** In the form of addressKey. */
  readonly address: string;
  /** The names of the people who are deleted, in the form of nameKey. */
  readonly nameKeys: readonly string[];
}

/** A shorter name of a person may be a family name alone. */
const MIN_NAME_LENGTH = 3;

/** Reads the names by which stored filters may search for people. Before they are deleted. */
export async function readNameKeys(tx: Tx, accountId: number, people: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ name_key: string }>`
    SELECT DISTINCT name_key FROM person
    WHERE account_id = ${accountId} AND id = ANY (${people}::bigint[])
      AND length(name_key) >= ${MIN_NAME_LENGTH}`.execute(tx);
  return rows.map(({ name_key }) => name_key);
}

/**
 * Selects stored filters (objects) with the address, its local part with the `@`, or the name of a company or person;
 * the words of own fields count. A single word of a name and a domain identify no person.
 */
const names = (
  filter: Expression<unknown>,
  { accountId, companies, address, nameKeys }: Erased,
): Expression<SqlBool> => {
  const textOf = (name: string) => sql`lower(normalize(coalesce(${filter} ->> ${sql.lit(name)}, ''), NFKC))`;
  // The words of filters by own fields, each with its separators.
  const own = sql`(
    SELECT lower(normalize(coalesce(string_agg(value #>> '{}', '、'), ''), NFKC))
    FROM jsonb_each(${filter} -> 'custom') WHERE jsonb_typeof(value) = 'string')`;
  const wholes = sql`
    SELECT btrim(${textOf('search')}) AS whole
    UNION ALL SELECT btrim(word) FROM regexp_split_to_table(${own}, '[,、]') AS word`;
  const all = sql`${textOf('search')} || ' ' || ${textOf('company_email')} || ' ' || ${own}`;
  return sql<SqlBool>`(EXISTS (
      SELECT FROM regexp_split_to_table(${all}, '[\\s,、]+') AS term
      WHERE position('@' IN term) > 1 AND (position(term IN ${address}) > 0 OR position(${address} IN term) > 0)
    ) OR EXISTS (
      SELECT FROM prospect
      WHERE account_id = ${accountId} AND id = ANY (${companies}::bigint[])
        AND lower(normalize(company_name, NFKC)) IN (${wholes})
    ) OR EXISTS (
      SELECT FROM (${wholes}) AS words
      WHERE regexp_replace(whole, '\\s', '', 'g') = ANY (${nameKeys}::text[])))`;
};

/** Locks the runs with such a filter before their mails, as all do that lock both. @returns their ids */
export async function lockRunsNaming(tx: Tx, erased: Erased): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM send_log
    WHERE account_id = ${erased.accountId} AND list_conditions IS NOT NULL
      AND ${names(sql.ref('list_conditions'), erased)}
    ORDER BY id
    FOR NO KEY UPDATE`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Removes such filters from these runs, reservations and ended exports, and deletes the saved ones. */
export async function eraseConditions(tx: Tx, erased: Erased, runs: readonly number[]): Promise<void> {
  const { accountId } = erased;
  await sql`
    UPDATE send_log SET list_conditions = NULL
    WHERE account_id = ${accountId} AND id = ANY (${runs}::bigint[])`.execute(tx);
  await sql`
    UPDATE reservation SET list_conditions = NULL
    WHERE account_id = ${accountId} AND ${names(sql.ref('list_conditions'), erased)}`.execute(tx);
  await sql`
    UPDATE job SET input = input - ARRAY['search', 'company_email', 'custom']
    WHERE account_id = ${accountId} AND kind = 'export' AND state NOT IN ('queued', 'running')
      AND ${names(sql.ref('input'), erased)}`.execute(tx);
  await sql`
    DELETE FROM saved_condition
    WHERE account_id = ${accountId} AND ${names(sql.ref('where_info'), erased)}`.execute(tx);
}
