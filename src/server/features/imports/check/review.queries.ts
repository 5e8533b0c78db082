import type pg from 'pg';
import { MAX_REVIEWED_PEOPLE } from '#domain/company/import-limits.ts';
import { dbOn, type Tx } from '../../../platform/database/db.ts';
import { showChanges } from '../../own-fields/shown-changes.queries.ts';
import type { ImportLine, lineWriter } from '../import-line.queries.ts';
import type { ImportSource } from '../merge/import-run.queries.ts';

/*
 * Reads what an import has changed within the transaction of a check, before the rollback. The temporary table
 * import_company (imports/merge/staging.ts) holds the companies of the file and their rows.
 */

type Lines = ReturnType<typeof lineWriter>;

const PAGE_ROWS = 2000;

type Pairs = Readonly<Record<string, readonly [unknown, unknown]>>;

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
  // The company's own columns and own fields have a row each. Those of people are lines of their own.
  const ofCompany = `
    SELECT prospect_id, jsonb_object_agg(key, value) AS changes
    FROM (${changesOf('IS NULL')}) AS written CROSS JOIN LATERAL jsonb_each(changes)
    WHERE key NOT LIKE 'person%' GROUP BY prospect_id`;
  const select = `
    SELECT known.file_row AS "row", prospect_id AS "prospectId", prospect.company_name AS "companyName",
      coalesce(own.changes, '{}') || coalesce(remarks.changes, '{}') AS changes
    FROM (${ofCompany}) AS own FULL JOIN (${changesOf('IS NOT NULL')}) AS remarks USING (prospect_id)
    JOIN import_company AS known USING (prospect_id)
    JOIN prospect ON prospect.account_id = ${BigInt(accountId)} AND prospect.id = prospect_id`;
  type Changed = { row: number; prospectId: number; companyName: string; changes: Pairs };
  await copyPages<Changed>(
    client,
    select,
    async (changed) => {
      const all = changed.flatMap(({ changes }, at) =>
        Object.entries(changes).map(([field, [old, next]]) => ({ at, field, old, new: next })),
      );
      // Named here, because labels that the import makes are rolled back.
      const named = Map.groupBy(await showChanges(dbOn(client) as Tx, accountId, all), ({ at }) => at);
      for (const [at, { changes: _, ...line }] of changed.entries()) {
        const shown = (named.get(at) ?? []).map(({ field, old, new: next, label }) => [field, [old, next, label]]);
        lines.add({ kind: 'changed', ...line, changes: Object.fromEntries(shown) });
      }
    },
    lines,
  );
}

/** Stores the people whom the import would add, the first of them by the rows of their companies, or change. */
export async function copyPeople(
  client: pg.PoolClient,
  { accountId, importRunId }: ImportSource,
  lines: Lines,
): Promise<void> {
  const [account, run] = [BigInt(accountId), BigInt(importRunId)];
  const isChosen = "key = 'person_id'";
  const changed = `
    SELECT CASE WHEN ${isChosen} THEN value ->> 1 ELSE split_part(key, '.', 2) END::bigint AS id,
      jsonb_object_agg(CASE WHEN ${isChosen} THEN 'is_primary' ELSE split_part(key, '.', 3) END,
        CASE WHEN ${isChosen} THEN '[0, 1]' ELSE value END) AS changes
    FROM prospect_change CROSS JOIN LATERAL jsonb_each(changes)
    WHERE account_id = ${account} AND import_run_id = ${run} AND kind = 'imported' AND key LIKE 'person%'
    GROUP BY 1`;
  const peopleOf = (kind: ImportLine['kind'], changes: string, from: string) => `
    SELECT '${kind}' AS kind, known.file_row AS "row", person.prospect_id AS "prospectId",
      prospect.company_name AS "companyName", ${changes} AS changes, person.id::text AS value,
      ARRAY[person.name, department, title, coalesce(person.email, '')] AS cells
    FROM ${from} JOIN import_company AS known USING (prospect_id)
    JOIN prospect ON prospect.account_id = ${account} AND prospect.id = person.prospect_id
    WHERE person.account_id = ${account}`;
  const added = `
    ${peopleOf('person_added', 'NULL::jsonb', 'person')} AND person.import_run_id = ${run}
    ORDER BY known.file_row, person.id LIMIT ${MAX_REVIEWED_PEOPLE}`;
  const updated = `
    ${peopleOf('person_changed', 'changed.changes', `(${changed}) AS changed JOIN person USING (id)`)}
      AND person.import_run_id IS DISTINCT FROM ${run}
    ORDER BY known.file_row, person.id`;
  for (const select of [added, updated]) {
    await copyPages<ImportLine>(
      client,
      select,
      (people) => {
        for (const line of people) lines.add(line);
      },
      lines,
    );
  }
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
    (found) => {
      for (const line of found) {
        counts[line.kind] += 1;
        lines.add(line);
      }
    },
    lines,
  );
  return counts;
}

/** Reads the rows of a query page by page, so that memory holds one page. */
async function copyPages<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  select: string,
  take: (rows: readonly Row[]) => void | Promise<void>,
  lines: Lines,
): Promise<void> {
  await client.query(`DECLARE found NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${PAGE_ROWS} FROM found`);
    await take(rows);
    await lines.flushIfFull();
    if (rows.length < PAGE_ROWS) break;
  }
  await client.query('CLOSE found');
}
