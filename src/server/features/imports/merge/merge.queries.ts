import type pg from 'pg';
import type { RowFault } from '../read/faults.ts';
import { COLUMNS, type Field } from '../read/table/columns.ts';
import { refuseDisagreeing, refuseOtherIds } from './external-id.queries.ts';
import { ACCOUNT, type ImportSource } from './import-run.queries.ts';
import { ADDED_REMARKS, updateRemarks } from './remarks.queries.ts';
import { type Repeat, STAGED } from './staging.ts';

/*
 * Merges import_batch with the account's prospects.
 * A row matches the company with its corporate number; else the one with its name and address, unless both have a
 * number, which then differ. Other rows become new companies. identity_key: name, address and, where another company
 * has both, the number, joined by line breaks.
 *
 * A batch is small beside the list. Each query that looks prospects up keeps the planner from scanning the list: by
 * LATERAL … LIMIT 1 or an array of ids, and by an account value that the planner does not know.
 */

export interface Merged {
  added: number;
  updated: number;
  unchanged: number;
  /** Rows whose company is in an earlier row of the file. */
  repeats: Repeat[];
  /** Rows whose ids name other companies. */
  refused: Map<number, RowFault>;
  /** The company of each staged row, where the batch asks for it. */
  placed: Map<number, number>;
}

/** Which columns the staged rows use. Queries for the others are skipped. */
interface Batch {
  /** Some row has a corporate number. */
  readonly hasNumbers: boolean;
  /** Some row has remarks. */
  readonly hasRemarks: boolean;
  /** The file has 外部ID. */
  readonly hasExternal: boolean;
  /** The companies of the rows are asked for: the file has people or own columns. */
  readonly isPlaced: boolean;
}

/** Merges the staged rows, and empties import_batch. */
export async function mergeBatch(client: pg.PoolClient, source: ImportSource, batch: Batch): Promise<Merged> {
  const { accountId } = source;
  const { hasNumbers, hasExternal } = batch;
  const merged: Merged = { added: 0, updated: 0, unchanged: 0, repeats: [], refused: new Map(), placed: new Map() };
  await client.query(ANALYZE_FALSELY_EMPTY);
  if (hasExternal) await refuseDisagreeing(client, accountId, merged);
  if (hasExternal) await mergeExisting(client, source, HAS_EXTERNAL, batch, merged);
  if (hasNumbers) await mergeExisting(client, source, HAS_NUMBER, batch, merged);
  await mergeExisting(client, source, HAS_KEY, batch, merged);
  if (hasNumbers) await setNumberedKeys(client, accountId);
  merged.added = await insertNew(client, source, batch, merged);
  await client.query('TRUNCATE import_batch');
  return merged;
}

/**
 * Analyzes a list that the planner takes for empty. Autovacuum does not count the uncommitted rows of a first import,
 * or of one after an undo. The planner then sees no difference between indexes, so that each row of a batch may read
 * the whole list. Within the import's transaction, ANALYZE counts its rows.
 */
const ANALYZE_FALSELY_EMPTY = `SELECT analyze_companies() FROM pg_class
  WHERE oid = 'public.prospect'::regclass AND reltuples = 0 AND relpages > 0`;

const HAS_EXTERNAL = 'company.external_id = staged.external_id';
const HAS_NUMBER = 'company.corporate_number = staged.corporate_number';
const HAS_KEY = `company.identity_key = staged.identity_key
  AND (company.corporate_number IS NULL OR staged.corporate_number IS NULL)`;

/** Updates existing companies, and deletes their staged rows. */
async function mergeExisting(
  client: pg.PoolClient,
  source: ImportSource,
  isSame: string,
  batch: Batch,
  merged: Merged,
): Promise<void> {
  const { accountId } = source;
  const { hasRemarks, hasExternal, isPlaced } = batch;
  let matched = await matchRows(client, accountId, isSame, isPlaced ? merged.placed : null);
  if (matched === 0) return;
  if (hasExternal) matched -= await refuseOtherIds(client, accountId, merged);
  const { rowCount: first } = await client.query(
    `INSERT INTO import_company SELECT prospect_id, file_row FROM import_batch WHERE prospect_id IS NOT NULL
     ORDER BY file_row ON CONFLICT DO NOTHING`,
  );
  const repeats = first === matched ? [] : await deleteRepeats(client, source, hasExternal);
  await recordChanges(client, source, hasExternal);
  const changed = await updateMatched(client, accountId, hasExternal);
  const updated = changed + (hasRemarks ? await updateRemarks(client, source) : 0);
  await client.query('DELETE FROM import_batch WHERE prospect_id IS NOT NULL');
  merged.updated += updated;
  merged.unchanged += matched - repeats.length - updated;
  merged.repeats.push(...repeats);
}

/** Finds the company of each staged row. @returns how many rows have one */
async function matchRows(
  client: pg.PoolClient,
  accountId: number,
  isSame: string,
  placed: Map<number, number> | null,
): Promise<number> {
  const { rowCount, rows } = await client.query<Placed>(
    `UPDATE import_batch SET prospect_id = match.id
     FROM (
       SELECT staged.file_row, found.id
       FROM import_batch AS staged
       CROSS JOIN LATERAL (
         SELECT company.id FROM prospect AS company WHERE company.account_id = ${ACCOUNT} AND ${isSame} LIMIT 1
       ) AS found
     ) AS match
     WHERE import_batch.file_row = match.file_row
     ${placed === null ? '' : 'RETURNING import_batch.file_row AS "row", import_batch.prospect_id AS "prospectId"'}`,
    [accountId],
  );
  for (const { row, prospectId } of rows) placed?.set(row, prospectId);
  return rowCount ?? 0;
}

interface Placed {
  readonly row: number;
  readonly prospectId: number;
}

/**
 * Deletes the matched rows whose company is in an earlier row of the file. A company without a corporate number gets
 * that of a deleted row.
 */
async function deleteRepeats(
  client: pg.PoolClient,
  { accountId, memberId, importRunId }: ImportSource,
  hasExternal: boolean,
): Promise<Repeat[]> {
  const { rows } = await client.query<Repeat & { prospectId: number; number: string | null; external: string | null }>(
    `DELETE FROM import_batch AS staged USING import_company AS known
     WHERE known.prospect_id = staged.prospect_id AND known.file_row <> staged.file_row
     RETURNING staged.file_row AS "row", known.file_row AS "firstRow", company_name AS "companyName",
       staged.prospect_id AS "prospectId", corporate_number AS number,
       ${hasExternal ? 'external_id' : 'NULL::text'} AS external`,
  );
  for (const [column, name] of [
    ['corporate_number', 'number'],
    ['external_id', 'external'],
  ] as const) {
    const having = rows.filter((row) => row[name] !== null);
    if (having.length === 0) continue;
    await client.query(
      `WITH identified AS (
         UPDATE prospect SET ${column} = repeated.value, updated_at = now()
         FROM (
           SELECT DISTINCT ON (id) id, value FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS a (id, value, at)
           ORDER BY id, at
         ) AS repeated
         WHERE prospect.account_id = ${ACCOUNT} AND prospect.id = repeated.id AND prospect.${column} IS NULL
         RETURNING prospect.id, prospect.${column} AS value, prospect.import_run_id
       )
       INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
       SELECT $1, $4::bigint, id, $5::bigint, 'imported',
         jsonb_build_object('${column}', jsonb_build_array(NULL, value))
       FROM identified WHERE import_run_id IS DISTINCT FROM $5::bigint`,
      [accountId, having.map(({ prospectId }) => prospectId), having.map((row) => row[name]), memberId, importRunId],
    );
  }
  return rows.map(({ row, firstRow, companyName }) => ({ row, firstRow, companyName }));
}

/** The derived column of a field. It changes only with this field. */
const DERIVED_COLUMN: Partial<Record<Field, string>> = {
  address: 'address_search',
  company_email: 'email_search',
  major_industry_type: 'major_industry_id',
  included_industry_type: 'included_industry_id',
};

const part = (key: string, number: number) => `split_part(${key}, E'\\n', ${number})`;

/**
 * The new key of a company that a row renames or moves. A row without an address keeps the company's address and that
 * part of the key. Where another company has the new key, the corporate number makes it unique (numberedKey of the
 * domain); a company that has none keeps its key.
 */
const NEW_KEY = `(
  SELECT CASE
    WHEN renamed.key = ${part('prospect.identity_key', 1)} || E'\\n' || ${part('prospect.identity_key', 2)}
      THEN prospect.identity_key
    WHEN ${part('staged.identity_key', 3)} <> '' OR EXISTS (
      SELECT FROM prospect AS other WHERE other.account_id = ${ACCOUNT} AND other.identity_key = renamed.key)
      THEN coalesce(renamed.key || E'\\n' || coalesce(staged.corporate_number, prospect.corporate_number),
        prospect.identity_key)
    ELSE renamed.key END
  FROM (SELECT ${part('staged.identity_key', 1)} || E'\\n' ||
    CASE WHEN staged.address IS NULL THEN ${part('prospect.identity_key', 2)} ELSE ${part('staged.identity_key', 2)} END
  ) AS renamed (key))`;

const digitsOf = (phone: string) => `regexp_replace(${phone}, '\\D', '', 'g')`;
const beginsWith = (digits: string) => `starts_with(${digitsOf('prospect.phone')}, ${digits})`;
/**
 * Keeps the present telephone number where the new one only lost its 0. Also keeps it where plain digits, as of a
 * repaired number, are the same number without its marks, extension or +81.
 */
const NEW_PHONE = `CASE
  WHEN staged.phone = prospect.phone OR ${beginsWith(`'0' || ${digitsOf('staged.phone')}`)} THEN NULL
  WHEN staged.phone !~ '\\D' AND (${beginsWith('staged.phone')} OR ${beginsWith(`'81' || ltrim(staged.phone, '0')`)})
    THEN NULL
  ELSE staged.phone END`;

/** The value of a matched row; NULL: the present one is kept. */
const newValue = (field: Field) => (field === 'phone' ? NEW_PHONE : `staged.${field}`);
const differs = ({ field }: { field: Field }) =>
  `(${newValue(field)} IS NOT NULL AND staged.${field} IS DISTINCT FROM prospect.${field})`;
const HAS_CHANGES = COLUMNS.map(differs).join(' OR ');
/** {field: [old, new]} of the values that differ. */
const CHANGES = COLUMNS.map(
  (column) => `CASE WHEN ${differs(column)}
    THEN jsonb_build_object('${column.field}', jsonb_build_array(prospect.${column.field}, staged.${column.field}))
    ELSE '{}' END`,
).join(' || ');

const GETS_EXTERNAL = '(staged.external_id IS NOT NULL AND prospect.external_id IS NULL)';
const hasChanges = (hasExternal: boolean) => (hasExternal ? `${HAS_CHANGES} OR ${GETS_EXTERNAL}` : HAS_CHANGES);
const EXTERNAL_CHANGE = `CASE WHEN ${GETS_EXTERNAL}
  THEN jsonb_build_object('external_id', jsonb_build_array(NULL, staged.external_id)) ELSE '{}' END`;

/** Records the changes that updateMatched is about to make. */
async function recordChanges(
  client: pg.PoolClient,
  { accountId, memberId, importRunId }: ImportSource,
  hasExternal: boolean,
): Promise<void> {
  await client.query(
    `INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
     SELECT $1, $2::bigint, prospect.id, $3::bigint, 'imported',
       ${CHANGES}${hasExternal ? ` || ${EXTERNAL_CHANGE}` : ''}
     FROM prospect JOIN import_batch AS staged ON staged.prospect_id = prospect.id
     WHERE prospect.account_id = ${ACCOUNT} AND (${hasChanges(hasExternal)})
       AND prospect.id = any(array(SELECT prospect_id FROM import_batch WHERE prospect_id IS NOT NULL))`,
    [accountId, memberId, importRunId],
  );
}

/** Updates the matched companies by the values that differ; a blank cell changes nothing. @returns how many */
async function updateMatched(client: pg.PoolClient, accountId: number, hasExternal: boolean): Promise<number> {
  const sets = COLUMNS.map(({ field }) => field).flatMap((field) => {
    const derived = DERIVED_COLUMN[field];
    const set = `${field} = coalesce(${newValue(field)}, prospect.${field})`;
    return derived === undefined
      ? [set]
      : [set, `${derived} = CASE WHEN staged.${field} IS NULL THEN prospect.${derived} ELSE staged.${derived} END`];
  });
  if (hasExternal) sets.push('external_id = coalesce(prospect.external_id, staged.external_id)');
  const { rowCount } = await client.query(
    `UPDATE prospect SET ${sets.join(', ')}, identity_key = ${NEW_KEY}, updated_at = now()
     FROM import_batch AS staged
     WHERE prospect.account_id = ${ACCOUNT} AND prospect.id = staged.prospect_id AND (${hasChanges(hasExternal)})
       AND prospect.id = any(array(SELECT prospect_id FROM import_batch WHERE prospect_id IS NOT NULL))`,
    [accountId],
  );
  return rowCount ?? 0;
}

/** Gives staged rows their own key where another company with a different number has their name and address. */
async function setNumberedKeys(client: pg.PoolClient, accountId: number): Promise<void> {
  await client.query(
    `UPDATE import_batch SET identity_key = identity_key || E'\\n' || corporate_number
     WHERE corporate_number IS NOT NULL AND EXISTS (
       SELECT FROM prospect AS other
       WHERE other.account_id = ${ACCOUNT} AND other.identity_key = import_batch.identity_key OFFSET 0)`,
    [accountId],
  );
}

/**
 * Inserts the staged rows as prospects. Ids follow the file's order, because a temporary table is scanned from its
 * start; only rows with a numbered key come last. (ON CONFLICT would cost a tenth of the import's time.)
 * @returns how many
 * @throws unique_violation if another transaction has added one of the companies since matchRows
 */
async function insertNew(
  client: pg.PoolClient,
  { accountId, memberId, importRunId, remarksGroupId }: ImportSource,
  { hasRemarks, hasExternal, isPlaced }: Batch,
  { placed }: Merged,
): Promise<number> {
  const columns = [...STAGED, ...(hasExternal ? ['external_id'] : [])].join(', ');
  const { rowCount, rows } = await client.query<Placed>(
    `WITH added AS (
       INSERT INTO prospect (account_id, import_run_id, ${columns})
       SELECT $1, $2::bigint, ${columns} FROM import_batch RETURNING id, identity_key
     )${hasRemarks ? `, ${ADDED_REMARKS}` : ''}
     INSERT INTO import_company
     SELECT added.id, staged.file_row FROM added JOIN import_batch AS staged USING (identity_key)
     ${isPlaced ? 'RETURNING file_row AS "row", prospect_id AS "prospectId"' : ''}`,
    [accountId, importRunId, ...(hasRemarks ? [memberId, remarksGroupId] : [])],
  );
  for (const { row, prospectId } of rows) placed.set(row, prospectId);
  return rowCount ?? 0;
}
