import type pg from 'pg';
import { NO_VALUES, type ProspectRow, withDerived } from '../prospect-import/check-row.ts';
import { COLUMNS } from '../prospect-import/columns.ts';
import type { ImportSource } from '../prospect-import/import-source.ts';
import { openIndustryDictionary } from '../prospect-import/industry-dictionary.ts';
import { createStaging, STAGED, stageRows } from '../prospect-import/staging.ts';

const PAGE_COMPANIES = 2000;
const FIELDS = COLUMNS.map(({ field }) => field);
/** A change of them changes the identity key. */
const IDENTITY = ['company_name', 'address', 'corporate_number'] as const;

type Values = ProspectRow['values'];
interface Changed extends Values {
  readonly id: number;
  /** The old values of the fields that the import has changed. */
  readonly old: Partial<Values>;
}

/**
 * Gives the changed companies of undo_company their old values back, with a row of history for each.
 * @param checkpoint called between pages; the undo ends where it throws
 * @returns how many
 */
export async function restoreCompanies(
  client: pg.PoolClient,
  source: ImportSource,
  checkpoint: () => void,
): Promise<number> {
  await createStaging(client);
  await client.query('ALTER TABLE import_batch ADD COLUMN is_renamed boolean');
  const industries = openIndustryDictionary(client, source.accountId);
  let restored = 0;
  let after = 0;
  for (;;) {
    checkpoint();
    const companies = await readChanged(client, source, after);
    const last = companies.at(-1);
    if (last === undefined) return restored;
    after = last.id;
    await stageRows(client, companies.map(withOldValues), industries);
    restored += await restoreStaged(client, source, companies);
  }
}

async function readChanged(
  client: pg.PoolClient,
  { accountId, importRunId }: ImportSource,
  after: number,
): Promise<Changed[]> {
  const { rows } = await client.query<Changed>(
    `SELECT prospect.id, ${FIELDS.map((field) => `prospect.${field}`).join(', ')}, change.old
     FROM undo_company AS company
     JOIN prospect ON prospect.account_id = $1 AND prospect.id = company.id
     CROSS JOIN LATERAL (
       -- An erasure of personal data empties changes.
       SELECT coalesce(jsonb_object_agg(field, pair -> 0 ORDER BY change.id DESC), '{}') AS old
       FROM prospect_change AS change CROSS JOIN LATERAL jsonb_each(change.changes) AS field (field, pair)
       WHERE change.account_id = $1 AND change.prospect_id = company.id AND change.import_run_id = $2
     ) AS change
     WHERE company.id > $3 AND NOT is_added AND stays IS NULL
     ORDER BY company.id LIMIT ${PAGE_COMPANIES}`,
    [accountId, importRunId, after],
  );
  return rows;
}

/** @throws where the old values are no company: they were one before the import */
function withOldValues({ id, old, ...present }: Changed, at: number): ProspectRow {
  const row = withDerived(at, { ...NO_VALUES, ...present, ...old }, []);
  if ('reason' in row) throw new Error(`company ${id} cannot have its old values: ${row.reason}`);
  return row;
}

const SETS = STAGED.filter((column) => column !== 'identity_key').map((column) => `${column} = staged.${column}`);
/** Where another company has the old key meanwhile, the number makes it unique, or the present key stays. */
const OLD_KEY = `CASE
  WHEN NOT staged.is_renamed THEN prospect.identity_key
  WHEN NOT EXISTS (
    SELECT FROM prospect AS other WHERE other.account_id = $1 AND other.identity_key = staged.identity_key
      AND other.id <> prospect.id)
    THEN staged.identity_key
  WHEN staged.corporate_number IS NULL THEN prospect.identity_key
  ELSE staged.identity_key || E'\\n' || staged.corporate_number END`;

async function restoreStaged(
  client: pg.PoolClient,
  { accountId, memberId }: ImportSource,
  companies: readonly Changed[],
): Promise<number> {
  await client.query(
    `UPDATE import_batch SET prospect_id = changed.id, is_renamed = changed.is_renamed
     FROM unnest($1::bigint[], $2::boolean[]) WITH ORDINALITY AS changed (id, is_renamed, at)
     WHERE file_row = changed.at - 1`,
    [companies.map(({ id }) => id), companies.map(({ old }) => IDENTITY.some((field) => field in old))],
  );
  await client.query(
    `INSERT INTO prospect_change (account_id, member_id, prospect_id, kind, changes)
     SELECT $1, $2::bigint, id, 'edited', changes
     FROM unnest($3::bigint[], $4::jsonb[]) AS changed (id, changes)`,
    [
      accountId,
      memberId,
      companies.map(({ id }) => id),
      companies.map(({ old, ...present }) =>
        JSON.stringify(
          Object.fromEntries(
            FIELDS.filter((field) => field in old).map((field) => [field, [present[field], old[field]]]),
          ),
        ),
      ),
    ],
  );
  const { rowCount } = await client.query(
    `UPDATE prospect SET ${SETS.join(', ')}, identity_key = ${OLD_KEY}, updated_at = now()
     FROM import_batch AS staged
     WHERE prospect.account_id = $1 AND prospect.id = staged.prospect_id`,
    [accountId],
  );
  await client.query('TRUNCATE import_batch');
  return rowCount ?? 0;
}
