import { type RawBuilder, sql } from 'kysely';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';

/** A sender with due mail, whose throttle row this transaction has locked. */
export interface DueSender {
  account_id: number;
  sender_id: number;
  /** Connections that the worker may hold. */
  connections: number;
  /** Mails that it may claim now. */
  mails: number;
  /** Due rows of the sender in `sender_due`: notes of due mail, which triggers write. */
  notes: number;
  /** The mail server refuses its mails for our quota: one of them may try. */
  isLimited: boolean;
}

/** The pace of a sender (the row `t`): the operator's limit or the account's own, whichever is lower; NULL: none. */
const pace = sql`least(t.mails_per_minute, t.chosen_per_minute)`;

/** The mails that a sender without a pace may claim. */
const UNLIMITED_MAILS = sql.lit(1_000_000);

/** The most mails a sender with a pace may claim at once: a second's worth. */
const burst = sql`greatest(${pace} / 60, 1)`;

/** Time that mails take at the sender's pace. 61 s for a minute's worth, so that leftOfMinute seldom delays one. */
const secondsOf = (mails: RawBuilder<unknown>) => sql`make_interval(secs => (${mails}) * 61.0 / ${pace})`;

/**
 * Whether the sender's pace permits a claim now.
 * No pace waits longer than 61 s: a `next_at` far ahead was written before the database's clock was set back.
 */
const isDue = sql`(${pace} IS NULL OR next_at <= now() OR next_at > now() + interval '2 minutes')`;

/** Whether the sender (the row `t`) is not limited by the mail server, or one of its mails may try. */
const mayTry = sql`(t.probe_at IS NULL OR t.probe_at <= now())`;

/** Connections of a sender (the row `t`) that a worker may hold; other workers' leases are subtracted. */
const connectionsFor = (workerId: string, connectionsMax: number) => sql`
  least(${connectionsMax}::integer, t.max_connections - (
    SELECT coalesce(sum(c.connections), 0)::integer FROM sender_connection c
    WHERE c.account_id = t.account_id AND c.sender_id = t.sender_id AND c.worker_id <> ${workerId}
      AND c.lease_until > now()))`;

/**
 * Mails of a sender with a pace that a worker holds; 0 without a pace.
 * A worker holds at most one for each connection: more would wait behind a slow server and then leave in a burst.
 */
const heldBy = (workerId: string) => sql`
  CASE WHEN ${pace} IS NULL THEN 0 ELSE (
    SELECT count(*)::integer FROM delivery d
    WHERE d.lease_until > now() AND d.account_id = t.account_id AND d.sender_id = t.sender_id
      AND d.worker_id = ${workerId}) END`;

/**
 * How many mails of a sender may be claimed without exceeding its pace in any minute at the mail server.
 *
 * Subtracts the mails that any worker holds and those that were finished within the last minute; later claims subtract
 * the mails of this one. A deferred try (4xx) counts while it lasts. A finish far ahead of the database's clock was
 * written before the clock was set back: it does not count.
 */
const leftOfMinute = sql`
  CASE WHEN ${pace} IS NULL THEN ${UNLIMITED_MAILS} ELSE ${pace} - (
    SELECT count(*)::integer FROM delivery d
    WHERE d.lease_until IS NOT NULL AND d.account_id = t.account_id AND d.sender_id = t.sender_id
  ) - (
    SELECT count(*)::integer FROM delivery d
    WHERE d.account_id = t.account_id AND d.sender_id = t.sender_id AND d.state <> 'cancelled'
      AND d.finished_at > now() - interval '1 minute' AND d.finished_at < now() + interval '2 minutes') END`;

/**
 * Locks the throttle row of a sender with a due note, free connections and mails left in its minute.
 * Skips senders that another worker is claiming for.
 */
export async function lockDueSender(tx: Tx, workerId: string, connectionsMax: number): Promise<DueSender | undefined> {
  const query = sql<Pick<DueSender, 'account_id' | 'sender_id' | 'notes'>>`
    WITH due AS MATERIALIZED (
      SELECT account_id, sender_id, count(*)::integer AS notes FROM sender_due
      WHERE due_at <= now()
      GROUP BY account_id, sender_id
    )
    SELECT t.account_id, t.sender_id, due.notes
    FROM due JOIN sender_throttle t ON t.account_id = due.account_id AND t.sender_id = due.sender_id
    WHERE ${isDue} AND ${mayTry}
      AND ${connectionsFor(workerId, connectionsMax)} > ${heldBy(workerId)}
      AND ${leftOfMinute} > 0
    ORDER BY t.next_at
    LIMIT 1
    FOR UPDATE OF t SKIP LOCKED`;
  const [due] = await runPrepared(tx, 'delivery_due_sender', query);
  if (!due) return undefined;
  // Read again behind the lock: only a new statement sees what another worker took just before it.
  const { rows: shares } = await sql<Omit<DueSender, 'notes'>>`
    SELECT account_id, sender_id, connections, limited_since IS NOT NULL AS "isLimited",
      CASE WHEN ${pace} IS NULL THEN ${UNLIMITED_MAILS}
        ELSE least(${burst}, connections - held, left_of_minute) END AS mails
    FROM sender_throttle t CROSS JOIN LATERAL (
      SELECT ${connectionsFor(workerId, connectionsMax)} AS connections, ${heldBy(workerId)} AS held,
        ${leftOfMinute} AS left_of_minute
    ) AS share
    WHERE account_id = ${due.account_id} AND sender_id = ${due.sender_id} AND ${mayTry}`.execute(tx);
  const share = shares.find(({ connections, mails }) => connections > 0 && mails > 0);
  return share && { ...share, notes: due.notes };
}

/** When another mail of a limited sender may try, if one tries now. */
export const nextProbe = sql<Date>`now() + make_interval(secs => ${sql.lit(LIMIT_PROBE_SECONDS)})`;

/** Lets the next mail of a limited sender probe at once, because the last probe reached no server. */
export async function probeAgain(db: Db, { account_id, sender_id }: Pick<DueSender, 'account_id' | 'sender_id'>) {
  await db
    .updateTable('sender_throttle')
    .set({ probe_at: sql<Date>`now()` })
    .where('account_id', '=', account_id)
    .where('sender_id', '=', sender_id)
    .where('limited_since', 'is not', null)
    .execute();
}

/**
 * Advances the sender's `next_at` by the claimed mails.
 * A sender that is behind its pace makes up for at most half a burst. One without a pace moves behind all others.
 * Where the sender is limited, this mail is the probe: the next probe comes a while later, whatever becomes of it.
 */
export async function advancePace(tx: Tx, { account_id, sender_id }: DueSender, claimed: number): Promise<void> {
  const lateness = secondsOf(sql`0.5 * ${burst}`);
  await sql`
    UPDATE sender_throttle AS t
    SET next_at = coalesce(
      greatest(least(next_at, now()), now() - ${lateness}) + ${secondsOf(sql.lit(claimed))},
      now()),
      probe_at = CASE WHEN limited_since IS NOT NULL THEN ${nextProbe} END
    WHERE account_id = ${account_id} AND sender_id = ${sender_id}`.execute(tx);
}
