import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import { RECEIPTS_KEPT_DAYS, readInstallation } from '../pauses/installation.queries.ts';
import { insertContacts } from '../results/contact.queries.ts';
import { eachFile, receiptsOf } from './receipt-files.ts';
import { type ReceiptFault, readReceipts } from './receipt-lines.ts';

/** A database that was restored from a backup, while sending is still paused. */
export interface RestoredState {
  /** When the backup was made. */
  readonly from: Date;
  /** Epoch milliseconds. The backup lacks the receipts of later claims. */
  readonly receiptsUntil: number;
  /** Receipts of the first mails after the backup may have expired: they are kept for days only. */
  readonly isOutlived: boolean;
}

/** @returns null: the database was not restored from a backup, or sending was resumed since */
export async function readRestored(db: Db): Promise<RestoredState | null> {
  const { rows } = await sql<RestoredState>`
    SELECT restored_from AS "from", extract(epoch FROM receipts_until)::double precision * 1000 AS "receiptsUntil",
      receipts_until <= now() - make_interval(days => ${sql.lit(RECEIPTS_KEPT_DAYS)}) AS "isOutlived"
    FROM installation WHERE restored_from IS NOT NULL`.execute(db);
  return rows[0] ?? null;
}

/**
 * Checks whether this machine has receipts of mails sent after the backup. It then has the receipts of all mails that
 * its workers sent, unless some expired (`isOutlived`) or are unreadable. Lines of unknown mails do not count: commands
 * of any machine write them.
 */
export async function hasLaterReceipts(
  db: Db,
  root: string,
  { receiptsUntil }: Pick<RestoredState, 'receiptsUntil'>,
  onFault: ReceiptFault,
): Promise<boolean> {
  const { id } = await readInstallation(db);
  let found = false;
  await eachFile(receiptsOf(root, id), async ({ path }) => {
    found ||= readReceipts(path, onFault).some(({ claimedAt }) => claimedAt > receiptsUntil);
    return found;
  });
  return found;
}

/** Mails of the backup that may have been sent since. A mail without an address cannot. */
const isOpen = sql`d.state IN ('queued', 'claimed', 'sending')
  AND d.created_at <= (SELECT restored_from FROM installation)
  AND (d.mail_to IS NOT NULL OR d.erased_hash IS NOT NULL)`;

/** The most rows in one statement. */
const ROWS_MAX = 1000;

/**
 * Sets all open mails of the backup to unknown, because they may have been sent since. Their companies count as
 * contacted.
 * @returns how many
 */
export async function doubtOpenMails(db: Db): Promise<number> {
  for (let mails = 0; ; ) {
    const { rows } = await sql<{ doubted: number }>`
      WITH open AS (
        SELECT account_id, id FROM delivery AS d WHERE ${isOpen}
        ORDER BY account_id, id LIMIT ${sql.lit(ROWS_MAX)} FOR UPDATE
      ), doubted AS (
        UPDATE delivery AS d
        SET state = 'unknown', lease_until = NULL, worker_id = NULL, reason = NULL, finished_at = now(), put_off = NULL,
          not_before = CASE WHEN d.not_before = 'infinity' THEN now() ELSE d.not_before END,
          smtp_reply = 'バックアップの後に送信したかどうか分かりません'
        FROM open WHERE d.account_id = open.account_id AND d.id = open.id
        RETURNING d.account_id, d.sender_group_id, d.prospect_id, d.finished_at, NOT d.test_send_mode AS is_contact
      ), contacts AS (${insertContacts(sql`doubted WHERE is_contact`)}
      )
      SELECT count(*)::integer AS doubted FROM doubted`.execute(db);
    const { doubted } = onlyRow(rows);
    if (doubted === 0) return mails;
    mails += doubted;
  }
}
