import type pg from 'pg';
import type { ImportSource } from '../merge/import-run.queries.ts';
import { openStaging, STAGED } from '../merge/staging.ts';
import { NO_VALUES, type ProspectRow, withDerived } from '../read/cells/check-row.ts';
import { COLUMNS } from '../read/table/columns.ts';

const PAGE_COMPANIES = 2000;
const FIELDS = COLUMNS.map(({ field }) => field);
/** Fields whose change also changes the identity key. */
const IDENTITY = ['company_name', 'address', 'corporate_number'] as const;

type Values = ProspectRow['values'];
interface Changed extends Values {
  readonly id: number;
  /** The old values of the fields that the import has changed. */
  readonly old: Partial<Values>;
}

/**
 * Restores the old values of companies in undo_company that the import changed, with a history row for each.
 * @param checkpoint called between pages; if it throws, the undo ends
 */
export async function restoreCompanies(
  client: pg.PoolClient,
  source: ImportSource,
  checkpoint: () => void,
): Promise<void> {
  const stageRows = await openStaging(client, source.accountId);
  await client.query('ALTER TABLE import_batch ADD COLUMN is_renamed boolean');
  let after = 0;
  for (;;) {
    checkpoint();
    const companies = await readChanged(client, source, after);
    const last = companies.at(-1);
    if (last === undefined) return;
    after = last.id;
    await stageRows(companies.map(withOldValues));
    await restoreStaged(client, source, companies);
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
         AND change.sender_group_id IS NULL AND change.kind = 'imported' AND field = ANY ($4::text[])
     ) AS change
     WHERE company.id > $3 AND NOT is_added AND stays IS NULL AND change.old <> '{}'
     ORDER BY company.id LIMIT ${PAGE_COMPANIES}`,
    [accountId, importRunId, after, FIELDS],
  );
  return rows;
}

/** @throws if the old values are invalid, although they were a company before the import */
function withOldValues({ id, old, ...present }: Changed, at: number): ProspectRow {
  const row = withDerived(at, { ...NO_VALUES, ...present, ...old }, []);
  if ('reason' in row) throw new Error(`company ${id} cannot have its old values: ${row.reason}`);
  return row;
}

const SETS = STAGED.filter((column) => column !== 'identity_key').map((column) => `${column} = staged.${column}`);
/** Where another company has taken the old key, the number makes it unique, or the present key is kept. */
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
  { accountId, memberId, importRunId }: ImportSource,
  companies: readonly Changed[],
): Promise<void> {
  await client.query(
    `UPDATE import_batch SET prospect_id = changed.id, is_renamed = changed.is_renamed
     FROM unnest($1::bigint[], $2::boolean[]) WITH ORDINALITY AS changed (id, is_renamed, at)
     WHERE file_row = changed.at - 1`,
    [companies.map(({ id }) => id), companies.map(({ old }) => IDENTITY.some((field) => field in old))],
  );
  await client.query(
    `INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
     SELECT $1, $2::bigint, id, $5::bigint, 'import_undone', changes
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
      importRunId,
    ],
  );
  await client.query(
    `UPDATE prospect SET ${SETS.join(', ')}, identity_key = ${OLD_KEY}, updated_at = now()
     FROM import_batch AS staged
     WHERE prospect.account_id = $1 AND prospect.id = staged.prospect_id`,
    [accountId],
  );
  await client.query('TRUNCATE import_batch');
}

/** Restores the old remarks of the import's group for these companies, with a history row for each. */
export async function restoreRemarks(
  client: pg.PoolClient,
  { accountId, memberId, importRunId }: ImportSource,
): Promise<void> {
  await client.query(
    `WITH restored AS (
       UPDATE active_prospect AS own SET remarks = written.changes -> 'remarks' ->> 0, updated_at = now()
       FROM undo_company AS company
       JOIN prospect_change AS written ON written.account_id = $1 AND written.prospect_id = company.id
         AND written.import_run_id = $3 AND written.sender_group_id IS NOT NULL
       WHERE NOT company.is_added AND company.stays IS NULL
         AND own.account_id = $1 AND own.sender_group_id = written.sender_group_id AND own.prospect_id = company.id
         -- Somebody may have saved others since findTouched.
         AND own.remarks = written.changes -> 'remarks' ->> 1
       RETURNING own.prospect_id, own.sender_group_id, written.changes -> 'remarks' AS pair
     )
     INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, sender_group_id, kind, changes)
     SELECT $1, $2::bigint, prospect_id, $3::bigint, sender_group_id, 'import_undone',
       jsonb_build_object('remarks', jsonb_build_array(pair -> 1, pair -> 0))
     FROM restored`,
    [accountId, memberId, importRunId],
  );
}
