import { sql } from 'kysely';
import type { DeliveryState } from '#domain/sending/delivery-state.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import type { KeepUnknown, UnknownMail } from '../leases/claim.ts';
import { readInstallation } from '../pauses/installation.queries.ts';
import { insertContacts } from './contact.queries.ts';

/** The most rows in one statement. */
const SWEPT_ROWS_MAX = 1000;

/** Returns the seconds until the first lease ends; 0 or less: it has ended. Infinity: no mail is claimed. */
export async function secondsUntilLeaseEnds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM min(lease_until) - now())::double precision AS seconds
    FROM delivery WHERE lease_until IS NOT NULL`.execute(db);
  return onlyRow(rows).seconds ?? Number.POSITIVE_INFINITY;
}

interface Swept {
  readonly requeued: number;
  readonly unknown: number;
}

interface LostMail extends UnknownMail {
  readonly state: DeliveryState;
  readonly test: boolean;
}

/**
 * Takes over mails whose lease has ended: claimed ones are queued again, sending ones become unknown.
 * The server may have accepted an unknown mail, so its company counts as contacted. Any number of processes may sweep
 * at once.
 * @param keepUnknown called before the commit
 */
export const sweepLostClaims = (db: Db, keepUnknown?: KeepUnknown): Promise<Swept> =>
  db.transaction().execute((tx) => sweepInTransaction(tx, keepUnknown));

/** The same in the caller's transaction. */
export async function sweepInTransaction(tx: Tx, keepUnknown?: KeepUnknown): Promise<Swept> {
  const lost = await lockLost(tx);
  if (lost.length === 0) return { requeued: 0, unknown: 0 };
  const sending = lost.filter(({ state }) => state === 'sending');
  const kept = sending.filter(({ test }) => !test);
  if (keepUnknown && kept.length > 0) keepUnknown((await readInstallation(tx)).id, kept);
  await sql`
    WITH swept AS (
      UPDATE delivery d
      SET state = CASE d.state WHEN 'claimed' THEN 'queued' ELSE 'unknown' END, lease_until = NULL, worker_id = NULL,
        smtp_reply = CASE d.state WHEN 'sending' THEN '送信中に処理が途絶えました' ELSE d.smtp_reply END,
        attempts = CASE d.state WHEN 'sending' THEN d.attempts + 1 ELSE d.attempts END,
        finished_at = CASE d.state WHEN 'sending' THEN now() END
      FROM unnest(${lost.map(({ accountId }) => accountId)}::bigint[], ${lost.map(({ id }) => id)}::bigint[])
        AS lost (account_id, id)
      WHERE d.account_id = lost.account_id AND d.id = lost.id
      RETURNING d.account_id, d.sender_group_id, d.prospect_id, d.finished_at,
        d.state = 'unknown' AND NOT d.test_send_mode AS is_contact
    )
    ${insertContacts(sql`swept WHERE is_contact`)}`.execute(tx);
  return { requeued: lost.length - sending.length, unknown: sending.length };
}

/** `claimedAt` is now: the row lacks the time of its claim, and a person's decisions about the mail come later. */
async function lockLost(tx: Tx): Promise<readonly LostMail[]> {
  const { rows } = await sql<LostMail>`
    SELECT account_id AS "accountId", id, claim_no AS "claimNo", message_id AS "messageId", attempts,
      sender_group_id AS "senderGroupId", prospect_id AS "prospectId", state, test_send_mode AS test,
      (extract(epoch FROM now()) * 1000)::double precision AS "claimedAt"
    FROM delivery
    WHERE lease_until < now()
    ORDER BY account_id, id
    LIMIT ${sql.lit(SWEPT_ROWS_MAX)}
    FOR UPDATE SKIP LOCKED`.execute(tx);
  return rows;
}
