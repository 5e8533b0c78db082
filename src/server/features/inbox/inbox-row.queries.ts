import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';

/** Why the mailbox could not be read. */
export type InboxFault = 'connection' | 'login' | 'mailbox' | 'other';

/** How far a mailbox was read. The uids are valid for one `uidValidity` (RFC 3501). */
export interface InboxCursor {
  readonly uidValidity: number | null;
  readonly lastUid: number;
}

/** The reader of the mailbox `name`. */
export interface InboxReader {
  readonly name: string;
  readonly workerId: string;
}

/** Longer than a look. Afterwards a dead reader is replaced. */
const LEASE_SECONDS = 30;
const leaseEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

/** Takes or renews the lease of a mailbox. @returns its cursor; null: another worker has the lease */
export async function leaseInbox(db: Db, { name, workerId }: InboxReader): Promise<InboxCursor | null> {
  const { rows } = await sql<InboxCursor>`
    INSERT INTO inbox AS own (name, worker_id, lease_until) VALUES (${name}, ${workerId}, ${leaseEnd})
    ON CONFLICT (name) DO UPDATE SET worker_id = excluded.worker_id, lease_until = excluded.lease_until
      WHERE own.worker_id = excluded.worker_id OR own.lease_until IS NULL OR own.lease_until < now()
    RETURNING uid_validity AS "uidValidity", last_uid AS "lastUid"`.execute(db);
  return rows[0] ?? null;
}

/** Releases the lease, so that another worker takes over at once. */
export async function releaseInbox(db: Db, reader: InboxReader): Promise<void> {
  await ownRow(db, reader).set({ lease_until: null }).execute();
}

/** Records that the mailbox is read up to the end. */
export async function recordLook(db: Db, reader: InboxReader): Promise<void> {
  await ownRow(db, reader).set({ read_at: sql<Date>`now()`, tried_at: sql<Date>`now()`, fault: null }).execute();
}

export async function recordFault(db: Db, reader: InboxReader, fault: InboxFault): Promise<void> {
  await ownRow(db, reader).set({ fault, tried_at: sql<Date>`now()` }).execute();
}

/** Resets the cursor of a mailbox whose uids have changed. */
export async function resetCursor(db: Db, reader: InboxReader, uidValidity: number, lastUid: number): Promise<void> {
  await ownRow(db, reader).set({ uid_validity: uidValidity, last_uid: lastUid }).execute();
}

/** The results of a few mails. */
interface ReadMails {
  /** The uid of the last one. */
  readonly uid: number;
  readonly mails: number;
  readonly unmatched: number;
  readonly skipped: number;
}

/** Advances the cursor past read mails: a first look at a full mailbox takes long. */
export async function advanceCursor(
  db: Db,
  reader: InboxReader,
  { uid, mails, unmatched, skipped }: ReadMails,
): Promise<void> {
  await ownRow(db, reader)
    .set((row) => ({
      last_uid: uid,
      tried_at: sql<Date>`now()`,
      mails: sql<number>`${row.ref('mails')} + ${mails}`,
      unmatched: sql<number>`${row.ref('unmatched')} + ${unmatched}`,
      skipped: sql<number>`${row.ref('skipped')} + ${skipped}`,
    }))
    .execute();
}

const ownRow = (db: Db, { name, workerId }: InboxReader) =>
  db.updateTable('inbox').where('name', '=', name).where('worker_id', '=', workerId);

/** At the first look and after a change of the uids, older bounces and replies are skipped. */
const OLDEST_DAYS = 30;

/** Returns the first day that is read: the one before our first mail, within OLDEST_DAYS. */
export async function readSince(db: Db): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    SELECT coalesce(min(created_at), now()) - interval '1 day' AS since FROM delivery
    WHERE created_at > now() - make_interval(days => ${sql.lit(OLDEST_DAYS)})`.execute(db);
  return rows[0]?.since ?? new Date();
}
