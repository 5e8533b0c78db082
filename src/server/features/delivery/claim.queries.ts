import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { RunMail } from '../mail-content/run-mail.ts';
import type { ClaimedBatch, ClaimedRow } from './claim.ts';
import { isComparedWith, settledAt } from './installation.queries.ts';
import { putOffLate } from './late.queries.ts';
import { lease } from './lease.queries.ts';
import { cancelBlockedClaims } from './recheck.queries.ts';
import { beginProbe, passGate, theTransport } from './transport.queries.ts';

interface Sender {
  account_id: number;
  sender_id: number;
  /** Connections and mails that are free now. */
  connections: number;
  mails: number;
  /** Of its notes those that are due. */
  notes: number;
}

/**
 * Takes due mails of one sender for a worker. The sender's throttle row is locked first, so that its pace and its connections hold
 * over all processes; a sender another worker is just claiming for is passed over.
 * @param limits what the worker can use: connections of its own, and rows at most; and the state of the server
 *   (installation.queries.ts) that it has compared its receipts with
 * @param now epoch milliseconds, for the re-send interval and the hours of late mail; leases and due times go by the database's clock
 * @returns null when nothing is due; 'paused' while sending is paused; 'unknown-server' where another server answers than the one given
 */
export function claimDeliveries(
  db: Db,
  workerId: string,
  limits: { connections: number; rows: number; server?: string | null | undefined },
  now: number,
): Promise<ClaimedBatch | 'paused' | 'unknown-server' | null> {
  return db.transaction().execute(async (tx) => {
    const gate = await passGate(tx, limits.server);
    if (gate === 'paused' || gate === 'unknown-server') return gate;
    const isProbe = gate === 'probe';
    const sender = await lockDueSender(tx, workerId, limits.connections);
    if (!sender) return null;
    const { connections } = sender;
    const rows = isProbe ? 1 : Math.min(limits.rows, sender.mails);
    const found = await claimRows(tx, workerId, sender, rows);
    if (found.length < rows || sender.notes > NOTES_TO_TIDY) await tidyDueNotes(tx, sender);
    const claims = await putOffLate(tx, found, now);
    // A note may be of mails that have been cancelled or paused since.
    if (claims.length === 0) return { claims: [], connections };
    await tx
      .insertInto('sender_connection')
      .values({
        account_id: sender.account_id,
        sender_id: sender.sender_id,
        worker_id: workerId,
        connections,
        lease_until: lease,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'sender_id', 'worker_id']).doUpdateSet({ connections, lease_until: lease }),
      )
      .execute();
    await payPace(tx, sender, claims.length);
    const kept = await cancelBlockedClaims(tx, claims, now);
    if (isProbe && kept.length > 0) await beginProbe(tx);
    const mails = await mailsOfRuns(tx, sender, kept);
    // Every run is there: its mails point to it.
    return { claims: kept.map((row) => ({ ...row, isProbe, mail: mails.get(row.sendLogId) as RunMail })), connections };
  });
}

/** Mails a sender with a pace may claim at once: a second's worth. */
const burst = sql`greatest(mails_per_minute / 60, 1)`;

/** A minute's mails are spread over a little more than one, so that the count of the minute seldom has anybody wait. */
const secondsOf = (mails: RawBuilder<unknown>) => sql`make_interval(secs => (${mails}) * 61.0 / mails_per_minute)`;

/** No pace makes a sender wait longer than a minute: a later moment was written before the database's clock was set back. */
const isDue = sql`(mails_per_minute IS NULL OR next_at <= now() OR next_at > now() + interval '2 minutes')`;

/** Connections of a sender (the row `t`) that a worker may hold. */
const shareOf = (workerId: string, most: number) => sql`
  least(${most}::integer, t.max_connections - (
    SELECT coalesce(sum(c.connections), 0)::integer FROM sender_connection c
    WHERE c.account_id = t.account_id AND c.sender_id = t.sender_id AND c.worker_id <> ${workerId} AND c.lease_until > now()))`;

/**
 * Mails of a sender with a pace that a worker holds already: it is given no more than can leave at once, as those that waited behind a
 * slow server would all leave when it is quick again.
 */
const heldOfPaced = (workerId: string) => sql`
  CASE WHEN t.mails_per_minute IS NULL THEN 0 ELSE (
    SELECT count(*)::integer FROM delivery d
    WHERE d.lease_until > now() AND d.account_id = t.account_id AND d.sender_id = t.sender_id AND d.worker_id = ${workerId}) END`;

/**
 * Mails of a sender with a pace that may be claimed before the mail server could have a minute, wherever it begins, with more of them than the
 * pace: what arrives within a minute of one that is claimed now is held by some worker at this moment, has left it within the last minute, or is
 * claimed later, and then counts this one. A try that was put off (4xx) counts while it lasts. What the database's clock calls
 * far ahead was written before it was set back.
 */
const leftOfMinute = sql`
  CASE WHEN t.mails_per_minute IS NULL THEN 1000000 ELSE t.mails_per_minute - (
    SELECT count(*)::integer FROM delivery d
    WHERE d.lease_until IS NOT NULL AND d.account_id = t.account_id AND d.sender_id = t.sender_id
  ) - (
    SELECT count(*)::integer FROM delivery d
    WHERE d.account_id = t.account_id AND d.sender_id = t.sender_id AND d.state <> 'cancelled'
      AND d.finished_at > now() - interval '1 minute' AND d.finished_at < now() + interval '2 minutes') END`;

/** Locks the throttle row of a sender that has a due note, and a connection and mails left for this worker. */
async function lockDueSender(tx: Tx, workerId: string, most: number): Promise<Sender | undefined> {
  const { rows } = await sql<Pick<Sender, 'account_id' | 'sender_id' | 'notes'>>`
    WITH due AS MATERIALIZED (
      SELECT account_id, sender_id, count(*)::integer AS notes FROM sender_due
      WHERE due_at <= now()
      GROUP BY account_id, sender_id
    )
    SELECT t.account_id, t.sender_id, due.notes
    FROM due JOIN sender_throttle t ON t.account_id = due.account_id AND t.sender_id = due.sender_id
    WHERE ${isDue}
      AND ${shareOf(workerId, most)} > ${heldOfPaced(workerId)}
      AND ${leftOfMinute} > 0
    ORDER BY t.next_at
    LIMIT 1
    FOR UPDATE OF t SKIP LOCKED`.execute(tx);
  const [due] = rows;
  if (!due) return undefined;
  // Asked anew behind the lock: what another worker took just before it is seen by a new statement alone.
  const { rows: shares } = await sql<Omit<Sender, 'notes'>>`
    SELECT account_id, sender_id, connections,
      CASE WHEN mails_per_minute IS NULL THEN 1000000 ELSE least(${burst}, connections - held, left_of_minute) END AS mails
    FROM sender_throttle t CROSS JOIN LATERAL (
      SELECT ${shareOf(workerId, most)} AS connections, ${heldOfPaced(workerId)} AS held, ${leftOfMinute} AS left_of_minute
    ) AS share
    WHERE account_id = ${due.account_id} AND sender_id = ${due.sender_id}`.execute(tx);
  const share = shares.find(({ connections, mails }) => connections > 0 && mails > 0);
  return share && { ...share, notes: due.notes };
}

/** Of a run `l` and the time of its reservation. */
export const reservedFor = (sendAt: Expression<unknown>) =>
  sql<number | null>`CASE WHEN NOT l.test_send_mode THEN (extract(epoch FROM ${sendAt}) * 1000)::double precision END`;

/**
 * Seconds until a claim may find something: a note falls due, or a pause ends. Reads one row of an index, however many senders there are.
 * @param server as of a claim: another one that answers is found at once
 * @returns Infinity: nothing is queued, as far as is known, or a person must end the pause. 0 or less: claim now
 */
export async function secondsUntilDue(db: Db, server: string | null | undefined): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT CASE WHEN ${server === undefined ? sql`true` : isComparedWith(server)}
      THEN extract(epoch FROM
        coalesce(${settledAt}, CASE WHEN transport.paused_until > now() THEN transport.paused_until END,
          (SELECT min(due_at) FROM sender_due)))::double precision - extract(epoch FROM now())::double precision
      ELSE 0 END AS seconds
    FROM ${theTransport}, installation`.execute(db);
  return rows[0]?.seconds ?? Number.POSITIVE_INFINITY;
}

async function claimRows(tx: Tx, workerId: string, sender: Sender, limit: number): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    WITH due AS (
      SELECT account_id, id FROM delivery
      WHERE account_id = ${sender.account_id} AND sender_id = ${sender.sender_id}
        AND state = 'queued' AND not_before <= now()
      ORDER BY not_before, id
      LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d
    SET state = 'claimed', worker_id = ${workerId}, claim_no = d.claim_no + 1, lease_until = ${lease}
    FROM due, send_log l LEFT JOIN reservation r ON r.account_id = l.account_id AND r.id = l.reservation_id
    WHERE d.account_id = due.account_id AND d.id = due.id AND l.account_id = d.account_id AND l.id = d.send_log_id
    RETURNING d.account_id AS "accountId", d.id, d.claim_no AS "claimNo", d.sender_id AS "senderId",
      d.sender_group_id AS "senderGroupId", d.prospect_id AS "prospectId", d.test_send_mode AS test, d.attempts,
      d.mail_to AS "mailTo", d.company_name AS "companyName", d.person_in_charge AS "personInCharge",
      d.message_id AS "messageId", d.mail_date AS "mailDate", d.send_log_id AS "sendLogId",
      l.days_from_lastday AS "daysFromLastday", ${reservedFor(sql`r.send_at`)} AS "reservedFor"`.execute(tx);
  return rows;
}

/** A sender with more due notes than this slows down every look for due mail. */
const NOTES_TO_TIDY = 10;

/**
 * Removes the notes of a sender but one: a due one while it has due mail, else one of its next mail. Its throttle row must be locked.
 * Notes and mails are read in one snapshot: a note that is not in it stays, as do its mails.
 */
async function tidyDueNotes(tx: Tx, { account_id, sender_id }: Sender): Promise<void> {
  const ofSender = sql`account_id = ${account_id} AND sender_id = ${sender_id}`;
  await sql`
    WITH first AS MATERIALIZED (
      SELECT account_id, sender_id, not_before, not_before <= now() AS is_due FROM delivery
      WHERE ${ofSender} AND state = 'queued'
      ORDER BY not_before
      LIMIT 1
    ), kept AS (
      SELECT id FROM sender_due WHERE ${ofSender} AND (SELECT is_due FROM first) ORDER BY due_at LIMIT 1
    ), gone AS (
      DELETE FROM sender_due WHERE ${ofSender} AND id NOT IN (SELECT id FROM kept)
    )
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT account_id, sender_id, not_before FROM first WHERE NOT is_due AND not_before < 'infinity'`.execute(tx);
}

/** What the mails of these runs are made from: one object a run, and not one a mail. */
async function mailsOfRuns(
  tx: Tx,
  { account_id }: Sender,
  claims: readonly ClaimedRow[],
): Promise<Map<number, RunMail>> {
  const runs = [...new Set(claims.map(({ sendLogId }) => sendLogId))];
  const { rows } = await sql<{ id: number; mail: RunMail }>`
    SELECT id, mail FROM send_log WHERE account_id = ${account_id} AND id = ANY (${runs}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, mail }) => [id, mail]));
}

/**
 * Moves the sender's next moment on by what was claimed (half a burst of lateness is made up for); an unlimited sender goes to the
 * end of the row of senders.
 */
async function payPace(tx: Tx, { account_id, sender_id }: Sender, claimed: number): Promise<void> {
  const late = secondsOf(sql`0.5 * ${burst}`);
  await sql`
    UPDATE sender_throttle
    SET next_at = coalesce(greatest(least(next_at, now()), now() - ${late}) + ${secondsOf(sql.lit(claimed))}, now())
    WHERE account_id = ${account_id} AND sender_id = ${sender_id}`.execute(tx);
}
