import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { chosenPersonId, companiesOfEither, mailKey, sendToOf } from '../../attack-list/chosen-address.queries.ts';
import {
  lockSomeUnsettled,
  lockUnsettled,
  markSettled,
  type Unsettled,
} from '../../suppressions/write-suppressions.queries.ts';
import { cancelledState } from '../queue/run-rows.queries.ts';

/**
 * Cancels the open real mails to addresses that were suppressed, and marks the suppressions as settled.
 * The suppressions are committed first: this waits for earlier claims, which lock their rows. Later claims and marks
 * find the suppressions themselves. A mail whose body is being sent cannot be recalled.
 * @param ids of suppressions of the account
 */
export async function settleSuppressions(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await settle(tx, accountId, await lockUnsettled(tx, accountId, ids));
}

/** Settles suppressions that dead processes left. Any number of processes may sweep at once. @returns how many */
export function sweepSuppressions(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await lockSomeUnsettled(tx, limit);
    for (const [accountId, ofAccount] of Map.groupBy(rows, (row) => row.accountId)) {
      await settle(tx, accountId, ofAccount);
    }
    return rows.length;
  });
}

async function settle(tx: Tx, accountId: number, rows: readonly Unsettled[]): Promise<void> {
  if (rows.length === 0) return;
  const valuesOf = (kind: Unsettled['kind']) => rows.flatMap((row) => (row.kind === kind ? [row.value] : []));
  await cancelMailsTo(tx, accountId, { addresses: valuesOf('address'), domains: valuesOf('domain') });
  const ids = rows.map(({ id }) => id);
  await markSettled(tx, accountId, ids);
}

/**
 * The mail's destination: a waiting mail's is its company's chosen address as of now. A claimed one's is its own, and
 * so is that of a mail that may have arrived at another person (recheck.queries.ts).
 */
const destination = sql<string | null>`CASE
  WHEN d.state = 'queued' AND NOT (d.maybe_sent AND d.person_id IS DISTINCT FROM ${chosenPersonId(sendToOf('run'))})
  THEN coalesce(nullif(${mailKey(sendToOf('run'))}, ''), d.address_key) ELSE d.address_key END`;

/**
 * Cancels the unsent mails to addresses or domains.
 * Candidates are open mails with the address, mails of companies that have it or whose person has, and the few claimed
 * ones. Those with that destination are cancelled. For a domain, all unsent mails of the account are candidates.
 */
async function cancelMailsTo(
  tx: Tx,
  accountId: number,
  { addresses, domains }: { addresses: readonly string[]; domains: readonly string[] },
): Promise<void> {
  await sql`
    WITH found AS (
      SELECT id FROM delivery
      WHERE account_id = ${accountId} AND address_key = ANY (${addresses}::text[])
        -- Literally the condition of delivery_open_address_key.
        AND state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND NOT shares_address
      UNION
      SELECT mail.id FROM (${companiesOfEither(accountId, addresses)}) AS company
      JOIN delivery mail ON mail.account_id = ${accountId} AND mail.prospect_id = company.id
      WHERE mail.state IN ('queued', 'claimed')
      UNION
      SELECT id FROM delivery
      WHERE lease_until IS NOT NULL AND account_id = ${accountId} AND address_key = ANY (${addresses}::text[])
      ${domains.length === 0 ? sql`` : sql`UNION ${unsentMails(accountId)}`}
    ), unsent AS (
      SELECT d.account_id, d.id FROM delivery d
      JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      JOIN send_log run ON run.account_id = d.account_id AND run.id = d.send_log_id
      WHERE d.account_id = ${accountId} AND d.id IN (SELECT id FROM found) AND NOT d.test_send_mode
        AND d.state IN ('queued', 'claimed')
        AND (${destination} = ANY (${addresses}::text[])
          OR split_part(${destination}, '@', -1) = ANY (${domains}::text[]))
      -- By id, as in every statement that locks several deliveries, so that none of them deadlock.
      ORDER BY d.account_id, d.id
      FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d
    SET state = ${cancelledState}, reason = 'suppressed', lease_until = NULL, worker_id = NULL, finished_at = now()
    FROM unsent WHERE d.account_id = unsent.account_id AND d.id = unsent.id`.execute(tx);
}

const unsentMails = (accountId: number) =>
  sql`SELECT id FROM delivery WHERE account_id = ${accountId} AND state IN ('queued', 'claimed')`;
