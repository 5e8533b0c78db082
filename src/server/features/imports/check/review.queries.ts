import type pg from 'pg';
import type { lineWriter } from '../import-line.queries.ts';
import type { ImportSource } from '../merge/import-run.queries.ts';

/*
 * Reads what an import has changed within the transaction of a check, before the rollback. The temporary table
 * import_company (imports/merge/staging.ts) holds the companies of the file and their rows.
 */

type Lines = ReturnType<typeof lineWriter>;

const PAGE_ROWS = 2000;

/** Stores the old and new values of each existing company that would change: its own and the group's remarks. */
export async function copyChanges(
  client: pg.PoolClient,
  { accountId, importRunId }: ImportSource,
  lines: Lines,
): Promise<void> {
  const changesOf = (isOf: string) => `
    SELECT prospect_id, changes FROM prospect_change
    WHERE account_id = ${BigInt(accountId)} AND import_run_id = ${BigInt(importRunId)} AND kind = 'imported'
      AND sender_group_id ${isOf}`;
  // The company's own columns, people and own fields have a row each.
  const ofCompany = `
    SELECT prospect_id, jsonb_object_agg(key, value) AS changes
    FROM (${changesOf('IS NULL')}) AS written CROSS JOIN LATERAL jsonb_each(changes) GROUP BY prospect_id`;
  const select = `
    SELECT known.file_row AS "row", prospect_id AS "prospectId", prospect.company_name AS "companyName",
      coalesce(own.changes, '{}') || coalesce(remarks.changes, '{}') AS changes
    FROM (${ofCompany}) AS own FULL JOIN (${changesOf('IS NOT NULL')}) AS remarks USING (prospect_id)
    JOIN import_company AS known USING (prospect_id)
    JOIN prospect ON prospect.account_id = ${BigInt(accountId)} AND prospect.id = prospect_id`;
  await copyPages<{ row: number; prospectId: number; companyName: string; changes: object }>(
    client,
    select,
    (line) => lines.add({ kind: 'changed', ...line }),
    lines,
  );
}

/** Stores which companies are suppressed or archived. @returns how many */
export async function copyNotices(
  client: pg.PoolClient,
  { accountId }: ImportSource,
  lines: Lines,
): Promise<{ suppressed: number; archived: number }> {
  const counts = { suppressed: 0, archived: 0 };
  const suppressed = (kind: string) =>
    `SELECT value FROM suppression WHERE account_id = ${BigInt(accountId)} AND kind = '${kind}'`;
  const isSuppressed = (address: string, domain: string) =>
    `coalesce(${address} IN (${suppressed('address')}) OR ${domain} IN (${suppressed('domain')}), false)`;
  // Of either address, because where mails will go is not chosen yet.
  const ofCompany = isSuppressed('email_search COLLATE "C"', 'email_domain COLLATE "C"');
  const ofPerson = isSuppressed('person_email_search', "split_part(person_email_search, '@', -1)");
  const company = `
    SELECT prospect.id AS "prospectId", known.file_row AS "row", prospect.company_name AS "companyName"`;
  const from = `
    FROM import_company AS known
    JOIN prospect ON prospect.account_id = ${BigInt(accountId)} AND prospect.id = known.prospect_id`;
  const select = `
    ${company}, CASE WHEN ${ofCompany} THEN prospect.company_email ELSE prospect.person_email END AS value,
      CASE WHEN ${ofCompany} THEN '代表メール' ELSE '担当者メール' END AS "column",
      'suppressed' AS kind, '配信停止に登録済みです。停止のまま取り込みます。' AS reason ${from}
    WHERE ${ofCompany} OR ${ofPerson}
    UNION ALL
    ${company}, coalesce(prospect.company_email, ''), '', 'archived',
      'アーカイブ済みの会社です。アーカイブしたまま取り込みます。' ${from}
    WHERE prospect.archived_at IS NOT NULL`;
  type Notice = {
    kind: 'suppressed' | 'archived';
    row: number;
    prospectId: number;
    companyName: string;
    column: string;
    value: string;
    reason: string;
  };
  await copyPages<Notice>(
    client,
    select,
    (line) => {
      counts[line.kind] += 1;
      lines.add(line);
    },
    lines,
  );
  return counts;
}

/** Reads the rows of a query page by page, so that memory holds one page. */
async function copyPages<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  select: string,
  take: (row: Row) => void,
  lines: Lines,
): Promise<void> {
  await client.query(`DECLARE found NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${PAGE_ROWS} FROM found`);
    for (const row of rows) take(row);
    await lines.flushIfFull();
    if (rows.length < PAGE_ROWS) break;
  }
  await client.query('CLOSE found');
}
