import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import { fromKeysOf } from '../../mailboxes/mailbox.queries.ts';
import { isUnread, lockBox } from '../../mailboxes/mailbox-state.command.ts';
import {
  type DueProfile,
  dueFacts,
  isPaceDue,
  type NotedSender,
  type ProfileKey,
  pace,
} from './due-profiles.queries.ts';

/*
 * Profiles whose mails leave by a mailbox. A mailbox has one connection at a time over all workers and profiles, always
 * a pace, and one pause (decisions/mailboxes). In SQL: rows `t` of sender_throttle, `p` of sender_profile, `b` of
 * mailbox, `state` of mailbox_state.
 */

/** When to look again at a mailbox that is not read: looks are recorded as often. */
const LOOK_AGAIN_MINUTES = 10;

const isPaused = sql`coalesce(state.paused_until > now(), false)`;
const isBoxUnread = isUnread('b');

/** Whether a mailbox may send. @param keys ids of the keys of this process */
const maySend = (keys: RawBuilder<unknown>) => sql`
  b.state = 'ok' AND b.secret_key = ANY (${keys}) AND NOT ${isPaused} AND NOT ${isBoxUnread}`;

const boxesOf = sql`
  JOIN sender_profile p ON p.account_id = t.account_id AND p.id = t.profile_id
  JOIN mailbox b ON b.account_id = p.account_id AND b.id = p.mailbox_id
  JOIN mailbox_state state ON state.account_id = b.account_id AND state.mailbox_id = b.id`;

/** Mails that count for the pace of profiles: held by any worker, or finished within the last minute. */
const recentOf = (profiles: RawBuilder<unknown>) => sql`(
  SELECT count(*)::integer FROM delivery d
  WHERE d.lease_until IS NOT NULL AND d.account_id = t.account_id AND d.profile_id = ${profiles}
) + (
  SELECT count(*)::integer FROM delivery d
  WHERE d.account_id = t.account_id AND d.profile_id = ${profiles} AND d.state <> 'cancelled'
    AND d.finished_at > now() - interval '1 minute' AND d.finished_at < now() + interval '2 minutes'
)`;

/**
 * Whether a worker may claim one mail: no other worker has the connection of the mailbox, this one holds no mail of it,
 * and the last minute leaves room within the paces of the mailbox and of the profile.
 */
const hasShare = (workerId: string) => {
  const profiles = sql`ANY (ARRAY(
    SELECT own.id FROM sender_profile own WHERE own.account_id = b.account_id AND own.mailbox_id = b.id))`;
  return sql`
    NOT EXISTS (
      SELECT FROM sender_connection c
      WHERE c.account_id = b.account_id AND c.mailbox_id = b.id AND c.worker_id <> ${workerId}
        AND c.lease_until > now())
    AND NOT EXISTS (
      SELECT FROM delivery d
      WHERE d.lease_until > now() AND d.account_id = b.account_id AND d.profile_id = ${profiles}
        AND d.worker_id = ${workerId})
    AND ${recentOf(profiles)} < b.per_minute
    AND (${pace} IS NULL OR ${recentOf(sql`t.profile_id`)} < ${pace})`;
};

type DueBoxProfile = DueProfile & { readonly box: NonNullable<DueProfile['box']> };

interface FoundBox extends Omit<DueProfile, 'box' | 'senders'> {
  readonly senders: NotedSender[] | null;
  readonly id: number;
  readonly version: number;
  readonly address: string;
  readonly ids: DueBoxProfile['box']['ids'];
  readonly otherFrom: readonly string[];
  readonly perMinute: number;
  readonly perDay: number;
}

/**
 * Locks the throttle row of a profile with due mail whose mailbox may send now, then the mailbox. Skips profiles for
 * which another worker is claiming. Profiles of one mailbox take turns, by their `next_at`.
 * @param keys ids of the keys of this process: a mailbox whose key is unknown here is left alone
 */
export async function lockDueBox(
  tx: Tx,
  workerId: string,
  keys: readonly number[],
): Promise<DueBoxProfile | undefined> {
  const known = sql`${keys}::integer[]`;
  const query = sql<ProfileKey & { id: number }>`
    WITH due AS MATERIALIZED (
      SELECT DISTINCT s.account_id, s.profile_id
      FROM (SELECT DISTINCT account_id, sender_id FROM sender_due
        WHERE due_at <= now() AND ${isNotFrozen('account_id')}) AS noted
      JOIN sender s ON s.account_id = noted.account_id AND s.id = noted.sender_id
    )
    SELECT t.account_id, t.profile_id, b.id
    FROM due JOIN sender_throttle t ON t.account_id = due.account_id AND t.profile_id = due.profile_id
    ${boxesOf}
    WHERE (${isPaceDue}) AND ${maySend(known)} AND ${hasShare(workerId)}
    ORDER BY t.next_at
    LIMIT 1
    FOR UPDATE OF t SKIP LOCKED`;
  const [due] = await runPrepared(tx, 'delivery_due_box', query);
  if (!due) return undefined;
  const { account_id: accountId, profile_id, id } = due;
  await lockBox(tx, { accountId, id });
  // Read again after locking: another profile's claim, a pause or a member's change may have come before.
  const { rows } = await sql<FoundBox>`
    SELECT t.account_id, t.profile_id, 1 AS connections, 1 AS mails, false AS "isLimited", ${dueFacts},
      b.id, b.version, b.address, b.ids, b.other_from AS "otherFrom", b.per_minute AS "perMinute",
      b.per_day AS "perDay"
    FROM sender_throttle t
    ${boxesOf}
    WHERE t.account_id = ${accountId} AND t.profile_id = ${profile_id} AND b.id = ${id}
      AND ${isNotFrozen('t.account_id')} AND ${maySend(known)} AND ${hasShare(workerId)}`.execute(tx);
  const [found] = rows;
  if (!found?.senders) return undefined;
  const { id: _id, version, address, ids, otherFrom, perMinute, perDay, senders, ...profile } = found;
  const fromKeys = fromKeysOf({ address, other_from: [...otherFrom] });
  const box = { accountId, id, version, address, ids, fromKeys, perMinute, perDay };
  return { ...profile, hasDayLimit: true, senders, box };
}

/**
 * Replaces due notes of mailboxes that may not send, so that workers do not search for their mails: by one at the end
 * of a pause, or at the next look into a mailbox that must be read; else by none. noteBoxMails notes the mails again.
 * Locks mailbox_state, as claims do: two workers would delete notes in different orders.
 */
export async function replaceStuckNotes(tx: Tx): Promise<void> {
  await sql`
    WITH stuck AS (
      SELECT n.account_id, n.sender_id, n.id,
        CASE WHEN b.state <> 'ok' THEN NULL WHEN ${isPaused} THEN state.paused_until
          ELSE now() + make_interval(mins => ${sql.lit(LOOK_AGAIN_MINUTES)}) END AS until
      FROM sender_due n
      JOIN sender s ON s.account_id = n.account_id AND s.id = n.sender_id
      JOIN sender_profile p ON p.account_id = s.account_id AND p.id = s.profile_id
      JOIN mailbox b ON b.account_id = p.account_id AND b.id = p.mailbox_id
      JOIN mailbox_state state ON state.account_id = b.account_id AND state.mailbox_id = b.id
      WHERE n.due_at <= now() AND ${isNotFrozen('n.account_id')} AND (b.state <> 'ok' OR ${isPaused} OR ${isBoxUnread})
      FOR NO KEY UPDATE OF state SKIP LOCKED
    ), gone AS (
      DELETE FROM sender_due n USING stuck
      WHERE n.account_id = stuck.account_id AND n.sender_id = stuck.sender_id AND n.id = stuck.id
      RETURNING n.account_id, n.sender_id, stuck.until
    )
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT DISTINCT account_id, sender_id, until FROM gone WHERE until IS NOT NULL`.execute(tx);
}

/**
 * Returns when the next note is due of a sender whose mails leave by a mailbox, as SQL. Leaves out mailboxes whose key
 * is unknown to this process.
 */
export const nextBoxNote = (keys: readonly number[]) => sql<Date | null>`(
  SELECT n.due_at FROM sender_due n
  JOIN sender s ON s.account_id = n.account_id AND s.id = n.sender_id
  JOIN sender_profile p ON p.account_id = s.account_id AND p.id = s.profile_id
  JOIN mailbox b ON b.account_id = p.account_id AND b.id = p.mailbox_id
  WHERE ${isNotFrozen('n.account_id')} AND (b.state <> 'ok' OR b.secret_key = ANY (${keys}::integer[]))
  ORDER BY n.due_at LIMIT 1)`;

/** The same of senders whose mails leave by the mail server of the environment. */
export const nextRelayNote = sql<Date | null>`(
  SELECT n.due_at FROM sender_due n
  JOIN sender s ON s.account_id = n.account_id AND s.id = n.sender_id
  JOIN sender_profile p ON p.account_id = s.account_id AND p.id = s.profile_id
  WHERE ${isNotFrozen('n.account_id')} AND p.mailbox_id IS NULL
  ORDER BY n.due_at LIMIT 1)`;
