import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** Mails in one transaction. Their rows stay locked for some 30 ms. */
const BATCH_MAILS = 1000;
/** The wait until the next look at an account whose old mails are all blanked. */
const IDLE = sql`interval '1 hour'`;
/** The pause after a batch, as a multiple of its duration: blanking takes at most a tenth of a core. */
const REST_FACTOR = 9;
const REST_MS_MIN = 100;

interface DueAccount {
  readonly accountId: number;
  readonly months: number;
  /** Where the last batch ended: the run, and the company in it. */
  readonly sendLogId: number | null;
  readonly afterProspectId: number;
}

/**
 * Blanks a batch of old mails while sending continues. Any number of processes may call this.
 * @returns milliseconds until the next batch; undefined: no account is due
 */
export async function blankAndRest(db: Db): Promise<number | undefined> {
  const begin = performance.now();
  const blanked = await blankBatch(db);
  return blanked === null ? undefined : Math.max(REST_MS_MIN, (performance.now() - begin) * REST_FACTOR);
}

/**
 * Removes names and addresses from the next old mails of the account that has waited longest.
 * A batch is one transaction, so that a killed worker loses nothing. Workers take different accounts.
 * @param batch the most mails of a run that are read
 * @returns how many mails were blanked; null: no account is due
 */
export const blankBatch = (db: Db, batch = BATCH_MAILS): Promise<number | null> =>
  db.transaction().execute(async (tx) => {
    const due = await lockDueAccount(tx);
    if (!due) return null;
    const runId = await lockOldestRun(tx, due);
    if (runId === null) {
      await setNext(tx, due, { next: sql`now() + ${IDLE}`, sendLogId: null, afterProspectId: 0 });
      return 0;
    }
    const after = runId === due.sendLogId ? due.afterProspectId : 0;
    const page = await lockPage(tx, due, runId, { after, batch });
    const blanked = await blankMails(tx, due, page.ids);
    const isDone = page.looked < batch;
    if (isDone) await endRun(tx, due, runId);
    const afterProspectId = isDone ? 0 : page.lastProspectId;
    // Queues the account behind all others that are due.
    await setNext(tx, due, { next: sql`clock_timestamp()`, sendLogId: isDone ? null : runId, afterProspectId });
    return blanked;
  });

async function lockDueAccount(tx: Tx): Promise<DueAccount | undefined> {
  const { rows } = await sql<DueAccount>`
    SELECT account_id AS "accountId", months, send_log_id AS "sendLogId", after_prospect_id AS "afterProspectId"
    FROM mail_retention WHERE next_at <= now() AND ${isNotFrozen('account_id')}
    ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows[0];
}

/** The instant before which an account's runs and their mails must have ended. */
const cutoff = ({ months }: DueAccount) => sql`now() - make_interval(months => ${months})`;

/** Locks the run, as a reopening does, so that its mails do not change meanwhile. */
async function lockOldestRun(tx: Tx, due: DueAccount): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM send_log
    WHERE account_id = ${due.accountId} AND ended_at < ${cutoff(due)} AND ended_at IS NOT NULL AND blanked_at IS NULL
    ORDER BY ended_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`.execute(tx);
  return rows[0]?.id ?? null;
}

interface Page {
  /** Finished, locked mails, to which no new row can refer. */
  readonly ids: readonly number[];
  /** How many mails of the run were read. */
  readonly looked: number;
  readonly lastProspectId: number;
}

async function lockPage(
  tx: Tx,
  due: DueAccount,
  runId: number,
  { after, batch }: { after: number; batch: number },
): Promise<Page> {
  const { rows } = await sql<{ id: number; prospectId: number; isOld: boolean }>`
    SELECT id, prospect_id AS "prospectId", state IN ('sent', 'failed', 'cancelled') AND NOT maybe_sent
      AND blanked_at IS NULL AND coalesce(finished_at < ${cutoff(due)}, false) AS "isOld"
    FROM delivery
    WHERE account_id = ${due.accountId} AND send_log_id = ${runId} AND prospect_id > ${after}
    ORDER BY prospect_id LIMIT ${batch}`.execute(tx);
  const old = rows.flatMap(({ id, isOld }) => (isOld ? [id] : []));
  // By id, as in every statement that locks several deliveries. Skips rows that another transaction holds.
  const locked = await sql<{ id: number }>`
    SELECT id FROM delivery WHERE account_id = ${due.accountId} AND id = ANY (${old}::bigint[])
      AND state IN ('sent', 'failed', 'cancelled')
    ORDER BY id FOR UPDATE SKIP LOCKED`.execute(tx);
  return {
    ids: locked.rows.map(({ id }) => id),
    looked: rows.length,
    lastProspectId: rows.at(-1)?.prospectId ?? after,
  };
}

/**
 * Blanks locked mails, except those that a reply, a bounce or a suppression refers to. The address's hash is kept.
 * @returns how many
 */
async function blankMails(tx: Tx, { accountId }: DueAccount, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const isNamedBy = (table: string) => sql`EXISTS (
    SELECT FROM ${sql.table(table)} AS naming
    WHERE naming.account_id = d.account_id AND naming.delivery_id = d.id)`;
  // A mail of an erased person keeps its own hash.
  const { numAffectedRows } = await sql`
    UPDATE delivery AS d
    SET blanked_at = CASE WHEN erased_hash IS NULL THEN now() END,
      erased_hash = coalesce(erased_hash, address_hash(account_id, address_key)), mail_to = NULL, company_name = '',
      person_in_charge = '', person_id = NULL, merge_values = NULL, smtp_reply = NULL
    WHERE d.account_id = ${accountId} AND d.id = ANY (${ids}::bigint[]) AND NOT ${isNamedBy('reply')}
      AND NOT ${isNamedBy('bounce')} AND NOT ${isNamedBy('suppression')} AND NOT ${isNamedBy('lifted_suppression')}
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}

async function endRun(tx: Tx, { accountId }: DueAccount, runId: number): Promise<void> {
  await sql`UPDATE send_log SET blanked_at = now() WHERE account_id = ${accountId} AND id = ${runId}`.execute(tx);
}

async function setNext(
  tx: Tx,
  { accountId }: DueAccount,
  { next, sendLogId, afterProspectId }: { next: unknown; sendLogId: number | null; afterProspectId: number },
): Promise<void> {
  await sql`
    UPDATE mail_retention SET next_at = ${next}, send_log_id = ${sendLogId}, after_prospect_id = ${afterProspectId}
    WHERE account_id = ${accountId}`.execute(tx);
}
