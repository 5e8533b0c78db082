import type pg from 'pg';
import { COLUMNS, type Field } from '../read/table/columns.ts';
import { ACCOUNT, type ImportSource } from './import-source.ts';

/** The column that is derived from a field: it changes with this field only. */
const DERIVED_COLUMN: Partial<Record<Field, string>> = {
  address: 'address_search',
  company_email: 'email_search',
  major_industry_type: 'major_industry_id',
  included_industry_type: 'included_industry_id',
};

const part = (key: string, number: number) => `split_part(${key}, E'\\n', ${number})`;

/**
 * The key of a company that a row may rename or move. A row without an address leaves the address, and its part of the
 * key. Where another company has the new key, the corporate number makes it unique (numberedKey of the domain).
 */
const NEW_KEY = `(
  SELECT CASE
    WHEN renamed.key = ${part('prospect.identity_key', 1)} || E'\\n' || ${part('prospect.identity_key', 2)}
      THEN prospect.identity_key
    WHEN ${part('staged.identity_key', 3)} <> '' OR EXISTS (
      SELECT FROM prospect AS other WHERE other.account_id = ${ACCOUNT} AND other.identity_key = renamed.key)
      THEN renamed.key || E'\\n' || staged.corporate_number
    ELSE renamed.key END
  FROM (SELECT ${part('staged.identity_key', 1)} || E'\\n' ||
    CASE WHEN staged.address IS NULL THEN ${part('prospect.identity_key', 2)} ELSE ${part('staged.identity_key', 2)} END
  ) AS renamed (key))`;

const differs = ({ field }: { field: Field }) =>
  `(staged.${field} IS NOT NULL AND staged.${field} IS DISTINCT FROM prospect.${field})`;
const HAS_CHANGES = COLUMNS.map(differs).join(' OR ');
/** {field: [old, new]} of the values that differ. */
const CHANGES = COLUMNS.map(
  (column) => `CASE WHEN ${differs(column)}
    THEN jsonb_build_object('${column.field}', jsonb_build_array(prospect.${column.field}, staged.${column.field}))
    ELSE '{}' END`,
).join(' || ');

/** Records what updateMatched is about to change. */
export async function recordChanges(
  client: pg.PoolClient,
  { accountId, memberId, importRunId }: ImportSource,
): Promise<void> {
  await client.query(
    `INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
     SELECT $1, $2::bigint, prospect.id, $3::bigint, 'imported', ${CHANGES}
     FROM prospect JOIN import_batch AS staged ON staged.prospect_id = prospect.id
     WHERE prospect.account_id = ${ACCOUNT} AND (${HAS_CHANGES})
       AND prospect.id = any(array(SELECT prospect_id FROM import_batch WHERE prospect_id IS NOT NULL))`,
    [accountId, memberId, importRunId],
  );
}

/** Updates the matched companies by the values that differ; a blank cell changes nothing. @returns how many */
export async function updateMatched(client: pg.PoolClient, accountId: number): Promise<number> {
  const sets = COLUMNS.map(({ field }) => field).flatMap((field) => {
    const derived = DERIVED_COLUMN[field];
    const set = `${field} = coalesce(staged.${field}, prospect.${field})`;
    return derived === undefined
      ? [set]
      : [set, `${derived} = CASE WHEN staged.${field} IS NULL THEN prospect.${derived} ELSE staged.${derived} END`];
  });
  const { rowCount } = await client.query(
    `UPDATE prospect SET ${sets.join(', ')}, identity_key = ${NEW_KEY}, updated_at = now()
     FROM import_batch AS staged
     WHERE prospect.account_id = ${ACCOUNT} AND prospect.id = staged.prospect_id AND (${HAS_CHANGES})
       AND prospect.id = any(array(SELECT prospect_id FROM import_batch WHERE prospect_id IS NOT NULL))`,
    [accountId],
  );
  return rowCount ?? 0;
}
