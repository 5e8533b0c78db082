import { sql } from 'kysely';
import { GATHER_MINUTES, NOTICE_KINDS, NOTICE_SUBJECTS_MAX, NOTICE_WINDOW_MINUTES } from '#domain/account/notice.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** The most events in one transaction. */
const EVENTS_MAX = 5000;
/** The key of the advisory lock: one worker folds at a time. */
const FOLD_LOCK = 7_101_057;

const windowLength = sql`make_interval(mins => ${sql.lit(NOTICE_WINDOW_MINUTES)})`;

/**
 * Turns events into notices of the active members, and deletes the events: each counts once.
 * Events of a kind join one notice while it is unread and younger than an hour. Kinds that a member has switched off in
 * both places make none.
 * @returns whether more events may be left
 */
export async function foldEvents(db: Db): Promise<boolean> {
  const { rows: any } = await sql`
    SELECT FROM notice_event WHERE kind <> 'failed_mails' AND ${isNotFrozen('account_id')} LIMIT 1`.execute(db);
  if (any.length === 0) return false;
  return db.transaction().execute(async (tx) => {
    if (!(await lockNotices(tx))) return false;
    const { rows } = await sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM notice_event WHERE (account_id, id) IN (
          SELECT account_id, id FROM notice_event WHERE kind <> 'failed_mails' AND ${isNotFrozen('account_id')}
          ORDER BY account_id, id LIMIT ${sql.lit(EVENTS_MAX)})
        RETURNING *
      ), concerned AS (
        -- A lost mailbox concerns its owner and the admins; all else, everybody.
        SELECT taken.*, kind = 'mailbox_lost' AS for_admins, CASE kind WHEN 'mailbox_lost' THEN (
          SELECT owner_id FROM mailbox WHERE mailbox.account_id = taken.account_id AND mailbox.id = taken.subject_id
        ) END AS owner_id
        FROM taken
      ), gathered AS (
        -- Events for the same members: each on its own, 5,000 events of a team of 200 would be a million rows.
        SELECT account_id, kind, from_percent, percent, for_admins, owner_id, count(*) AS count, max(id) AS newest_id,
          min(at) AS first_at, max(at) AS last_at,
          ${newest(sql`array_agg(subject_id ORDER BY id DESC) FILTER (WHERE subject_id IS NOT NULL)`)} AS subjects
        FROM concerned GROUP BY account_id, kind, from_percent, percent, for_admins, owner_id
      ), told AS (
        SELECT gathered.account_id, own.member_id, member.role, gathered.kind, sum(gathered.count)::integer AS count,
          max(CASE gathered.kind WHEN 'failures' THEN own.failure_percent END) AS percent,
          min(gathered.first_at) AS first_at, max(gathered.last_at) AS last_at,
          NOT gathered.kind = ANY (own.screen_off) AS on_screen, NOT gathered.kind = ANY (own.mail_off) AS by_mail,
          make_interval(mins => max(gather.minutes)) AS gather
        FROM gathered
        JOIN unnest(${NOTICE_KINDS}::text[], ${NOTICE_KINDS.map((kind) => GATHER_MINUTES[kind])}::integer[])
          AS gather (kind, minutes) ON gather.kind = gathered.kind
        JOIN member ON member.account_id = gathered.account_id AND member.active
        JOIN notice_member own ON own.account_id = member.account_id AND own.member_id = member.id
        WHERE ${concerns(sql`member.role`, sql`member.id`)}
          AND NOT (gathered.kind = ANY (own.screen_off) AND gathered.kind = ANY (own.mail_off))
          AND (gathered.kind <> 'failures'
            OR gathered.from_percent <= own.failure_percent AND own.failure_percent < gathered.percent)
        GROUP BY gathered.account_id, own.member_id, member.role, gathered.kind, own.screen_off, own.mail_off
      ), due AS (
        -- Mails about a kind are an hour apart, whichever notices they tell.
        SELECT told.*, (
          SELECT coalesce(array_agg(subject ORDER BY newest_id DESC, place), '{}')
          FROM gathered CROSS JOIN unnest(subjects) WITH ORDINALITY AS s (subject, place)
          WHERE gathered.account_id = told.account_id AND gathered.kind = told.kind
            AND ${concerns(sql`told.role`, sql`told.member_id`)}
            AND (told.percent IS NULL OR from_percent <= told.percent AND told.percent < gathered.percent)
        ) AS subjects, CASE WHEN by_mail THEN greatest(now() + gather, ${windowLength} + (
          SELECT max(mailed_at) FROM notice
          WHERE notice.account_id = told.account_id AND notice.member_id = told.member_id
            AND notice.kind = told.kind)) END AS due_at
        FROM told
      ), open AS (
        SELECT DISTINCT ON (due.account_id, due.member_id, due.kind) notice.id, due.*
        FROM due JOIN notice USING (account_id, member_id, kind, on_screen)
        WHERE notice.read_at IS NULL AND notice.first_at > now() - ${windowLength}
        ORDER BY due.account_id, due.member_id, due.kind, notice.id DESC
      ), merged AS (
        UPDATE notice SET count = notice.count + open.count, last_at = open.last_at, percent = open.percent,
          -- A member may have read it since: now there is more.
          read_at = NULL,
          subjects = ${newest(sql`open.subjects || notice.subjects`)},
          mail_due_at = least(notice.mail_due_at, open.due_at)
        FROM open WHERE notice.account_id = open.account_id AND notice.id = open.id
      ), added AS (
        INSERT INTO notice (account_id, member_id, kind, count, subjects, percent, first_at, last_at, on_screen,
          mail_due_at)
        SELECT account_id, member_id, kind, count, ${newest(sql`subjects`)}, percent, first_at, last_at, on_screen,
          due_at
        FROM due
        WHERE NOT EXISTS (SELECT FROM open
          WHERE open.account_id = due.account_id AND open.member_id = due.member_id AND open.kind = due.kind)
      )
      SELECT count(*)::integer AS taken FROM taken`.execute(tx);
    return rows[0]?.taken === EVENTS_MAX;
  });
}

/** @returns false: another worker turns events into notices now */
async function lockNotices(tx: Tx): Promise<boolean> {
  const { rows: lock } = await sql<{ ours: boolean }>`
    SELECT pg_try_advisory_xact_lock(${sql.lit(FOLD_LOCK)}) AS ours`.execute(tx);
  if (lock[0]?.ours !== true) return false;
  // Locks the member's row first, as all do that change several notices of a member, so that none deadlock.
  await sql`
    SELECT FROM notice_member WHERE account_id IN (SELECT account_id FROM notice_event)
    ORDER BY account_id, member_id FOR NO KEY UPDATE`.execute(tx);
  return true;
}

/** Whether the events of the row `gathered` concern a member. */
const concerns = (role: ReturnType<typeof sql>, memberId: ReturnType<typeof sql>) =>
  sql`(NOT gathered.for_admins OR ${role} = 'admin' OR gathered.owner_id = ${memberId})`;

/** Keeps the first few distinct ones of an array. */
const newest = (subjects: ReturnType<typeof sql>) => sql`coalesce((
  SELECT array_agg(kept.subject ORDER BY kept.place) FROM (
    SELECT subject, min(place) AS place FROM unnest(${subjects}) WITH ORDINALITY AS s (subject, place)
    GROUP BY subject ORDER BY 2 LIMIT ${sql.lit(NOTICE_SUBJECTS_MAX)}) AS kept), '{}')`;
