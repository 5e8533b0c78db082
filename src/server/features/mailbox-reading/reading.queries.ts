import { sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { InboxFault } from '../inbox/inbox-row.queries.ts';
import type { MailboxKey } from '../mailboxes/mailbox.queries.ts';
import { loseMailbox, noteUnreadMails } from '../mailboxes/mailbox-state.command.ts';

/** A mailbox that this worker reads. `version` rises with each change of what connects. */
export interface LeasedMailbox extends MailboxKey {
  readonly version: number;
}

/** Three renewals may fail. Afterwards another worker reads the mailboxes. */
export const LEASE_SECONDS = 120;

interface Lease {
  readonly workerId: string;
  /** The ids of the keys that this process opens seals with. */
  readonly keyIds: readonly number[];
  /** The most mailboxes of a worker. */
  readonly limit: number;
}

/** The condition on a mailbox `m` and its state `s` that this process may read it. */
const isReadable = (keyIds: readonly number[]) => sql`
  m.reads_replies AND m.state = 'ok' AND m.secret_key = ANY (${keyIds}::integer[]) AND ${isNotFrozen('m.account_id')}`;

/**
 * Renews the leases of a worker, and takes free ones, in one statement.
 * Mailboxes that are not connected or not read, whose key this process lacks, and those of frozen accounts are left.
 * A row that a claim has locked is renewed next time: one mailbox must not delay the others. Above the limit accounts
 * take turns, so that none with many mailboxes keeps the others from being read.
 * @returns the mailboxes that it reads now
 */
export async function leaseMailboxes(db: Db, { workerId, keyIds, limit }: Lease): Promise<LeasedMailbox[]> {
  const isOpen = sql`(s.reader_id = ${workerId} OR s.reader_until IS NULL OR s.reader_until < now())`;
  const { rows } = await sql<LeasedMailbox>`
    WITH held AS MATERIALIZED (
      SELECT s.account_id, s.mailbox_id, m.version
      FROM mailbox_state s JOIN mailbox m ON m.account_id = s.account_id AND m.id = s.mailbox_id
      WHERE s.reader_id = ${workerId} AND s.reader_until > now() AND ${isReadable(keyIds)}
    ), turns AS MATERIALIZED (
      SELECT s.account_id, s.mailbox_id, m.version, row_number() OVER (
        PARTITION BY s.account_id ORDER BY s.reader_id IS DISTINCT FROM ${workerId}, s.mailbox_id) AS turn
      FROM mailbox_state s JOIN mailbox m ON m.account_id = s.account_id AND m.id = s.mailbox_id
      WHERE ${isOpen} AND ${isReadable(keyIds)}
      ORDER BY turn, s.account_id
      LIMIT ${limit}
    ), leased AS MATERIALIZED (
      SELECT s.account_id, s.mailbox_id, turns.version
      FROM turns JOIN mailbox_state s ON s.account_id = turns.account_id AND s.mailbox_id = turns.mailbox_id
      WHERE ${isOpen}
      FOR NO KEY UPDATE OF s SKIP LOCKED
    ), renewed AS (
      UPDATE mailbox_state s
      SET reader_id = ${workerId}, reader_until = now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})
      FROM leased WHERE s.account_id = leased.account_id AND s.mailbox_id = leased.mailbox_id
      RETURNING s.account_id, s.mailbox_id, leased.version
    )
    SELECT account_id AS "accountId", mailbox_id AS id, version FROM (
      SELECT * FROM held UNION SELECT * FROM renewed
    ) AS read ORDER BY account_id, mailbox_id`.execute(db);
  return rows;
}

/** Releases all leases of a worker, so that another one takes over at once. */
export async function releaseMailboxes(db: Db, workerId: string): Promise<void> {
  await sql`UPDATE mailbox_state SET reader_until = NULL WHERE reader_id = ${workerId}`.execute(db);
}

/** A mailbox and the worker that reads it. Its writes change nothing once another worker reads it. */
export interface MailboxReaderKey extends MailboxKey {
  readonly workerId: string;
}

/** How far a mailbox was read. The uids are valid for one `uidValidity` (RFC 3501). */
export interface MailboxCursor {
  readonly uidValidity: number | null;
  readonly lastUid: number;
  /** Mails that arrived before are not read. */
  readonly since: Date;
}

/** After a long pause, older mails are not read. */
const OLDEST_DAYS = 30;

/** @returns null: another worker reads the mailbox now */
export async function readCursor(db: Db, { accountId, id, workerId }: MailboxReaderKey): Promise<MailboxCursor | null> {
  const { rows } = await sql<MailboxCursor>`
    SELECT uid_validity AS "uidValidity", coalesce(last_uid, 0) AS "lastUid",
      greatest(coalesce(reads_from, now()), now() - make_interval(days => ${sql.lit(OLDEST_DAYS)})) AS since
    FROM mailbox_state WHERE account_id = ${accountId} AND mailbox_id = ${id} AND reader_id = ${workerId}`.execute(db);
  return rows[0] ?? null;
}

const ownState = (db: Db, { accountId, id, workerId }: MailboxReaderKey) =>
  db
    .updateTable('mailbox_state')
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', id)
    .where('reader_id', '=', workerId)
    .where(isNotFrozen('mailbox_state.account_id'));

/**
 * Records that a mailbox is read up to the end, and how far. The first time, that its reading begins now.
 * A log-in by IMAP ends refusals of IMAP alone: SMTP may refuse what IMAP takes.
 * @returns false: another worker reads it now
 */
export const recordLook = (
  db: Db,
  key: MailboxReaderKey,
  { uidValidity, lastUid }: { readonly uidValidity: number; readonly lastUid: number },
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await noteUnreadMails(tx, key);
    const written = await ownState(tx, key)
      .set(({ ref }) => ({
        uid_validity: uidValidity,
        last_uid: lastUid,
        reads_from: sql<Date>`coalesce(reads_from, now())`,
        read_at: sql<Date>`now()`,
        read_fault: null,
        login_refusals: sql<number>`CASE WHEN why = 'log_in' THEN ${ref('login_refusals')} ELSE 0 END`,
      }))
      .returning('mailbox_id')
      .executeTakeFirst();
    return written !== undefined;
  });

/** Records why a mailbox could not be read, once for faults of one kind. */
export async function recordReadFault(db: Db, key: MailboxReaderKey, fault: InboxFault): Promise<void> {
  await ownState(db, key)
    .set({ read_fault: fault })
    .where(sql<boolean>`read_fault IS DISTINCT FROM ${fault}`)
    .execute();
}

/** Log-ins that a server may refuse in a row, by SMTP or IMAP. Once may be a fault of its own. */
const REFUSALS_MAX = 2;

/**
 * Counts a log-in that the server refused, and asks for a new token. After the second in a row the mailbox is lost.
 * @param reply of the server
 */
export async function recordRefusedLogIn(account: AccountDb, key: MailboxReaderKey, reply: string): Promise<void> {
  await account.transaction(async (tx) => {
    const counted = await ownState(tx, key)
      .set({ login_refusals: sql<number>`login_refusals + 1`, read_fault: 'login' })
      .returning('login_refusals')
      .executeTakeFirst();
    if (!counted) return;
    if (counted.login_refusals >= REFUSALS_MAX) await loseMailbox(tx, key, reply);
    else {
      await tx
        .updateTable('mailbox')
        .set({ token_expires_at: sql<Date>`now()` })
        .where('account_id', '=', key.accountId)
        .where('id', '=', key.id)
        .where('token_expires_at', 'is not', null)
        .execute();
    }
  });
}
