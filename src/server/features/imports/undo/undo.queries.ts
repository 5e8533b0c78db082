import type pg from 'pg';
import type { UndoCounts } from '#contract/imports/imports.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import type { ImportSource } from '../merge/import-run.queries.ts';

/*
 * Finds the companies that an undo may change. The temporary table undo_company holds those that the import added or
 * changed, and why a company is kept as it is.
 */

const LATER_CHANGE = `EXISTS (
  SELECT FROM prospect_change AS change
  WHERE change.account_id = $1 AND change.prospect_id = company.id AND change.import_run_id IS DISTINCT FROM $2
    AND change.at >= $3)`;
/** The remarks that the import wrote (imports/merge/remarks.queries.ts). */
const WRITTEN = `SELECT FROM prospect_change AS written
  WHERE written.account_id = $1 AND written.prospect_id = company.id AND written.import_run_id = $2`;
/** Saving remarks writes no history row, so they are compared with the import's text. */
const LATER_REMARKS = `EXISTS (
  ${WRITTEN} AND written.sender_group_id IS NOT NULL AND written.changes -> 'remarks' ->> 1 IS DISTINCT FROM (
    SELECT remarks FROM active_prospect AS own
    WHERE own.account_id = $1 AND own.sender_group_id = written.sender_group_id AND own.prospect_id = company.id))`;
/** For a company that the import added: another group's remarks, or a flag. */
const OTHER_NOTES = `EXISTS (
  SELECT FROM active_prospect AS own
  WHERE own.account_id = $1 AND own.prospect_id = company.id AND (NOT own.active OR own.remarks <> '' AND NOT EXISTS (
    ${WRITTEN} AND written.sender_group_id = own.sender_group_id)))`;
/** A real mail that was or may have been sent, or still may be. */
const MAILED = `EXISTS (
  SELECT FROM delivery
  WHERE delivery.account_id = $1 AND delivery.prospect_id = company.id AND NOT test_send_mode
    AND (state <> 'cancelled' OR maybe_sent)
) OR EXISTS (
  SELECT FROM recorded_contact AS recorded
  JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
  WHERE recorded.account_id = $1 AND recorded.prospect_id = company.id AND NOT log.test_send_mode)`;
/** A real mail to a person that the import added to a company that was there before. */
const PERSON_MAILED = `EXISTS (
  SELECT FROM delivery JOIN person ON person.account_id = $1 AND person.id = delivery.person_id
  WHERE delivery.account_id = $1 AND delivery.prospect_id = company.id AND NOT delivery.test_send_mode
    AND (delivery.state <> 'cancelled' OR delivery.maybe_sent) AND person.import_run_id = $2)`;
const RESERVED = `EXISTS (
  SELECT FROM reservation_target AS target
  WHERE target.account_id = $1 AND target.prospect_id = company.id AND pending)`;
/** Rows that prevent deleting a company, or that a person may still want to read. */
const HAS_HISTORY = `EXISTS (SELECT FROM delivery WHERE account_id = $1 AND prospect_id = company.id)
  OR EXISTS (SELECT FROM reservation_target WHERE account_id = $1 AND prospect_id = company.id)
  OR EXISTS (SELECT FROM recorded_contact WHERE account_id = $1 AND prospect_id = company.id)`;

/** Finds and locks the companies that the import added or changed. One that was changed again later is kept. */
export async function findTouched(
  client: pg.PoolClient,
  { accountId, importRunId }: ImportSource,
  importedAt: Date,
): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE undo_company (id bigint PRIMARY KEY, is_added boolean, stays text) ON COMMIT DROP',
  );
  await client.query(
    `INSERT INTO undo_company (id, is_added)
     SELECT id, import_run_id IS NOT DISTINCT FROM $2 FROM prospect
     WHERE account_id = $1 AND (import_run_id = $2 OR id IN (
       SELECT prospect_id FROM prospect_change WHERE account_id = $1 AND import_run_id = $2))
     ORDER BY id FOR UPDATE`,
    [accountId, importRunId],
  );
  await client.query('ANALYZE undo_company');
  await client.query(
    `UPDATE undo_company AS company SET stays = CASE
       WHEN is_added AND (${MAILED}) THEN 'mailed'
       WHEN is_added AND ${RESERVED} THEN 'reserved'
       WHEN ${LATER_CHANGE} OR NOT is_added AND ${PERSON_MAILED} OR ${LATER_REMARKS} OR is_added AND ${OTHER_NOTES}
         THEN 'edited' END`,
    [accountId, importRunId, importedAt],
  );
}

type Found = Pick<UndoCounts, 'restored' | 'mailed' | 'reserved' | 'edited'>;

/** Counts the companies to be restored, and those that are kept, by reason. */
export async function countFound(client: pg.PoolClient): Promise<Found> {
  const { rows } = await client.query<Found>(
    `SELECT count(*) FILTER (WHERE stays IS NULL AND NOT is_added)::integer AS restored,
       count(*) FILTER (WHERE stays = 'mailed')::integer AS mailed,
       count(*) FILTER (WHERE stays = 'reserved')::integer AS reserved,
       count(*) FILTER (WHERE stays = 'edited')::integer AS edited
     FROM undo_company`,
  );
  return onlyRow(rows);
}

/** Archives added companies with a history, such as a test mail. @returns how many */
export async function archiveAdded(
  client: pg.PoolClient,
  { accountId, memberId, importRunId }: ImportSource,
): Promise<number> {
  const { rowCount } = await client.query(
    `WITH archived AS (
       UPDATE prospect SET archived_at = coalesce(archived_at, now())
       FROM undo_company AS company
       WHERE prospect.account_id = $1 AND prospect.id = company.id AND is_added AND stays IS NULL AND (${HAS_HISTORY})
       RETURNING prospect.id
     ), kept AS (
       UPDATE undo_company SET stays = 'archived' FROM archived WHERE undo_company.id = archived.id
     )
     INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind)
     SELECT $1, $2::bigint, id, $3::bigint, 'archived' FROM archived`,
    [accountId, memberId, importRunId],
  );
  return rowCount ?? 0;
}

/** Deletes the added companies that are not kept. @returns how many */
export async function removeAdded(client: pg.PoolClient, { accountId }: ImportSource): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM prospect USING undo_company AS company
     WHERE prospect.account_id = $1 AND prospect.id = company.id AND is_added AND stays IS NULL`,
    [accountId],
  );
  return rowCount ?? 0;
}
