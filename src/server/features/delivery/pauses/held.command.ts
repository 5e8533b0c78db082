import { type Expression, type SqlBool, sql } from 'kysely';
import type { PausedBy } from '#domain/sending/delivery-state.ts';
import type { Db } from '../../../platform/database/db.ts';
import { PAUSED } from '../queue/run-rows.queries.ts';
import { recordServer } from './installation.queries.ts';

/*
 * Holds what is open after a set-back (decisions/backup). A database in an older state lacks what members withdrew
 * since: stopped runs, deleted or moved reservations. Open work waits until a member decides.
 */

const RESTORED: PausedBy = 'restored';

/** The run `send_log` waits for a member's decision since the database was set back. */
export const isHeldRun = sql<boolean>`send_log.paused_by = ${sql.lit(RESTORED)}`;

/** The same of a reservation. Rescheduling clears `missed`; programs of 1.0.0 clear nothing else. */
export const isHeldReservation = sql<boolean>`(reservation.held_by_restore AND reservation.missed_at IS NOT NULL
  AND reservation.active AND NOT reservation.is_sent)`;

/** A mail `delivery` that is not being sent yet. */
const isUnsent = sql<boolean>`delivery.state IN ('queued', 'claimed')`;

/** Excludes accounts that have moved: none of their mails is sent here. */
const livesHere = (column: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} <> ALL (ARRAY(SELECT id FROM account WHERE moved_to IS NOT NULL))`;

/**
 * Since when decisions count in this state of the database (`installation`). Earlier ones, made while another server
 * answered, may have been withdrawn since.
 */
const STATE_SINCE = sql`(SELECT greatest(rewound_at, server_since) FROM installation)`;

/** A member has set the time of the `reservation` in this state. No other change counts as a decision. */
const isDecidedReservation = sql<boolean>`EXISTS (
  SELECT FROM audit_event AS event
  WHERE event.account_id = reservation.account_id AND event.detail ->> 'reservation_id' = reservation.id::text
    AND event.kind = 'reservation_changed' AND event.detail -> 'changes' ?| '{let_go,send_at}'
    AND event.at >= ${STATE_SINCE})`;

/** A member has resumed the run `send_log` in this state. */
const isDecidedRun = sql<boolean>`EXISTS (
  SELECT FROM audit_event AS event
  WHERE event.account_id = send_log.account_id AND event.detail ->> 'send_log_id' = send_log.id::text
    AND event.kind = 'run_resumed' AND event.at >= ${STATE_SINCE})`;

/** Holds all open work of a restored database, and records that. */
export const holdAll = (db: Db): Promise<void> => holdAndStore(db, { isDecidedLeft: false });

/**
 * Holds open work of a database that was set back, except what members have decided in this state. Runs once per state:
 * a second call would also hold newer work.
 */
export async function holdOnce(db: Db): Promise<void> {
  await recordServer(db);
  const { rows } = await sql`SELECT FROM installation WHERE ${isUnheld}`.execute(db);
  if (rows.length > 0) await holdAndStore(db, { isDecidedLeft: true });
}

const holdAndStore = (db: Db, { isDecidedLeft }: { readonly isDecidedLeft: boolean }): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await holdOpen(tx, { isDecidedLeft });
    await tx.updateTable('installation').set({ held_at: sql<Date>`now()` }).execute();
  });

interface HeldScope {
  /** One account; absent: all that live here. */
  readonly only?: number;
  /** Leaves out what members have decided in this state. */
  readonly isDecidedLeft: boolean;
}

/**
 * Pauses runs with unsent mails, even paused ones, and sets reservations to missed. Writes one notice event for each
 * account in which something was newly held.
 * @param tx a transaction
 */
export async function holdOpen(tx: Db, { only, isDecidedLeft }: HeldScope): Promise<void> {
  const isOf = (column: string) =>
    only === undefined ? livesHere(column) : sql<SqlBool>`${sql.ref(column)} = ${only}`;
  const unless = (isDecided: Expression<SqlBool>) => (isDecidedLeft ? sql`AND NOT ${isDecided}` : sql``);
  // Orders and starts of reservations lock their group first. Each has committed, or starts after this transaction.
  await sql`SELECT FROM sender_group WHERE ${isOf('account_id')} ORDER BY account_id, id FOR NO KEY UPDATE`.execute(tx);
  const { rows: runs } = await sql<{ account_id: number }>`
    WITH open AS MATERIALIZED (
      SELECT account_id, id FROM send_log
      WHERE ${isOf('account_id')} AND ${isHeldRun} IS NOT TRUE
        AND (account_id, id) IN (SELECT account_id, send_log_id FROM delivery WHERE ${isUnsent})
        ${unless(isDecidedRun)}
      ORDER BY account_id, id FOR NO KEY UPDATE
    )
    UPDATE send_log SET paused_by = ${RESTORED}
    FROM open WHERE send_log.account_id = open.account_id AND send_log.id = open.id
    RETURNING send_log.account_id`.execute(tx);
  await sql`
    WITH waiting AS MATERIALIZED (
      SELECT delivery.account_id, delivery.id FROM delivery
      JOIN send_log ON send_log.account_id = delivery.account_id AND send_log.id = delivery.send_log_id
      WHERE ${isOf('delivery.account_id')} AND ${isHeldRun} AND ${isUnsent}
      ORDER BY delivery.account_id, delivery.id FOR UPDATE OF delivery
    )
    UPDATE delivery d
    SET state = 'queued', not_before = ${PAUSED}, put_off = NULL, lease_until = NULL, worker_id = NULL
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  const { rows: reservations } = await sql<{ account_id: number }>`
    WITH open AS MATERIALIZED (
      SELECT account_id, id FROM reservation
      WHERE ${isOf('account_id')} AND active AND NOT is_sent AND NOT ${isHeldReservation}
        ${unless(isDecidedReservation)}
      ORDER BY account_id, id FOR NO KEY UPDATE
    )
    -- A member who has it on the screen has seen an older version.
    UPDATE reservation
    SET missed_at = now(), held_by_restore = true, version = version + 1, changed_at = now(), changed_by = NULL
    FROM open WHERE reservation.account_id = open.account_id AND reservation.id = open.id
    RETURNING reservation.account_id`.execute(tx);
  const accountIds = [...runs, ...reservations].map(({ account_id }) => account_id);
  await sql`
    INSERT INTO notice_event (account_id, kind)
    SELECT DISTINCT account_id, 'restored' FROM unnest(${accountIds}::bigint[]) AS held (account_id)`.execute(tx);
}

/** Selects the held runs and reservations. `mails`: unsent ones, or companies. */
const held = sql`
  SELECT send_log.account_id, 'run' AS kind, send_log.sent_at AS at, send_log.mail ->> 'subject' AS subject, open.mails
  FROM send_log CROSS JOIN LATERAL (
    SELECT count(*)::integer AS mails FROM delivery
    WHERE delivery.account_id = send_log.account_id AND delivery.send_log_id = send_log.id
      AND delivery.state = 'queued') AS open
  WHERE ${isHeldRun} AND open.mails > 0
  UNION ALL
  SELECT reservation.account_id, 'reservation', reservation.send_at, coalesce(sender.subject, mail_template.subject),
    (SELECT count(*)::integer FROM reservation_target AS target
      WHERE target.account_id = reservation.account_id AND target.reservation_id = reservation.id)
  FROM reservation
  JOIN sender ON sender.account_id = reservation.account_id AND sender.id = reservation.sender_id
  JOIN mail_template ON mail_template.account_id = sender.account_id AND mail_template.id = sender.template_id
  WHERE ${isHeldReservation}`;

/** A held run or reservation. */
export interface Held {
  readonly accountId: number;
  readonly company: string;
  readonly kind: 'run' | 'reservation';
  /** When the run was accepted, or the reserved time. */
  readonly at: Date;
  readonly subject: string;
  /** Unsent mails, or companies. */
  readonly mails: number;
}

/** Lists held runs and reservations of local accounts, the latest first. @returns the first few, and the total */
export async function listHeld(db: Db, limit: number): Promise<{ rows: readonly Held[]; total: number }> {
  const { rows } = await sql<Held & { readonly total: number }>`
    SELECT account_id AS "accountId", account.company, kind, at, subject, mails, count(*) OVER ()::integer AS total
    FROM (${held}) AS held JOIN account ON account.id = held.account_id
    WHERE account.moved_to IS NULL
    ORDER BY at DESC, account_id, kind LIMIT ${limit}`.execute(db);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** The open work of accounts that live here. */
export interface OpenCounts {
  readonly runs: number;
  /** Unsent mails of the runs. */
  readonly mails: number;
  readonly reservations: number;
}

/**
 * The database (`installation`) was set back, and its open work is not held yet. `held_at` from a backup may be older.
 * For a new server process recordServer() has cleared it.
 */
const isUnheld = sql<boolean>`(rewound_at IS NOT NULL AND (held_at >= rewound_at) IS NOT TRUE)`;

/**
 * Counts the undecided open work that would continue when sending is resumed.
 * @returns null: sending is not paused, the open work is held, or nothing is open
 */
export async function readUnheld(db: Db): Promise<OpenCounts | null> {
  await recordServer(db);
  const { rows } = await sql<OpenCounts>`
    SELECT open.runs, open.mails, planned.reservations
    FROM installation
    CROSS JOIN (
      SELECT count(DISTINCT (send_log.account_id, send_log.id))::integer AS runs, count(*)::integer AS mails
      FROM delivery JOIN send_log ON send_log.account_id = delivery.account_id AND send_log.id = delivery.send_log_id
      WHERE ${isUnsent} AND ${livesHere('delivery.account_id')} AND ${isHeldRun} IS NOT TRUE
        AND NOT ${isDecidedRun}) AS open
    CROSS JOIN (
      SELECT count(*)::integer AS reservations FROM reservation
      WHERE active AND NOT is_sent AND missed_at IS NULL AND ${livesHere('account_id')}
        AND NOT ${isDecidedReservation}) AS planned
    WHERE ${isUnheld} AND open.mails + planned.reservations > 0`.execute(db);
  return rows[0] ?? null;
}
