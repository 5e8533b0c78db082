import { type Expression, sql } from 'kysely';
import { WEEKDAYS } from '#domain/time/calendar.ts';

/** A longer subject is cut, so that the result behind it stays in view. */
const SUBJECT_CHARACTERS = 40;

/** The subject of the run `send_log`, as the title of its page; its group where it has none. */
const RUN_NAME = sql`(
  SELECT CASE WHEN subject = '' THEN sender_group.group_name
    WHEN length(subject) > ${sql.lit(SUBJECT_CHARACTERS)} THEN left(subject, ${sql.lit(SUBJECT_CHARACTERS - 1)}) || '…'
    ELSE subject END
  FROM coalesce(send_log.mail ->> 'subject', '') AS subject)`;

const mails = (number: Expression<unknown>, before: string, after: string) =>
  sql`${sql.lit(before)} || to_char(${number}, 'FM999,999,999') || ${sql.lit(after)}`;

/** Writes a time as `timeInSentence` of the domain does: 11/29（日）9:00, with its year where it is another one. */
const sentenceTime = (at: Expression<unknown>) => sql`(
  SELECT CASE WHEN date_part('year', clock) = date_part('year', now() AT TIME ZONE 'Asia/Tokyo') THEN ''
      ELSE to_char(clock, 'FMYYYY"/"') END
    || to_char(clock, 'FMMM"/"FMDD"（"') || substr(${sql.lit(WEEKDAYS.join(''))}, date_part('dow', clock)::int + 1, 1)
    || to_char(clock, '"）"FMHH24:MI')
  FROM (SELECT ${at} AT TIME ZONE 'Asia/Tokyo') AS tokyo (clock))`;

/** The mails of the run `send_log` by outcome, as ` 46通送信・4通失敗`. Outcomes without mails are left out. */
const runResult = sql`(
  SELECT coalesce(
    ' ' || string_agg(${mails(sql`counted.mails`, '', '通')} || outcome.word, '・' ORDER BY outcome.place), '')
  FROM (VALUES ('sent', '送信', 1), ('failed', '失敗', 2), ('unknown', '不明', 3), ('cancelled', '取り消し', 4))
    AS outcome (state, word, place)
  JOIN (SELECT delivery.state, count(*) AS mails FROM delivery
    WHERE delivery.account_id = send_log.account_id AND delivery.send_log_id = send_log.id
    GROUP BY delivery.state) AS counted ON counted.state = outcome.state)`;

/**
 * The names of a notice's (`n`) subjects as JSON `[{id, name}]`, the newest first.
 * A notice holds only ids: what was deleted or erased meanwhile has no name.
 */
export const subjectNames = (accountId: number | Expression<number>) => sql<readonly NoticeSubject[]>`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', named.id, 'name', named.name) ORDER BY named.place) FROM (
    SELECT s.subject AS id, s.place, CASE
      WHEN n.kind IN ('run_ended', 'failures', 'stopped') THEN (
        SELECT ${RUN_NAME} || CASE n.kind WHEN 'run_ended' THEN ${runResult}
          ELSE ${mails(sql`send_log.targets`, '（', '通）')} END
        FROM send_log
        JOIN sender_group
          ON sender_group.account_id = send_log.account_id AND sender_group.id = send_log.sender_group_id
        WHERE send_log.account_id = ${accountId} AND send_log.id = s.subject)
      WHEN n.kind = 'reservation_missed' THEN (
        SELECT ${sentenceTime(sql`reservation.send_at`)} || ' ' || sender_group.group_name
        FROM reservation
        JOIN sender_group
          ON sender_group.account_id = reservation.account_id AND sender_group.id = reservation.sender_group_id
        WHERE reservation.account_id = ${accountId} AND reservation.id = s.subject)
      WHEN n.kind IN ('reply', 'doubtful_reply', 'refusal') THEN (
        SELECT company_name FROM prospect WHERE prospect.account_id = ${accountId} AND prospect.id = s.subject)
      WHEN n.kind = 'import_ended' THEN (
        SELECT file_name FROM import_run WHERE import_run.account_id = ${accountId} AND import_run.id = s.subject)
      WHEN n.kind = 'domain_bad' THEN (
        SELECT lower(substring(profile.email FROM '[^@]*$')) FROM sender
        JOIN sender_profile AS profile ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
        WHERE sender.account_id = ${accountId} AND sender.id = s.subject)
      WHEN n.kind = 'mailbox_lost' THEN (
        SELECT mailbox.name || '（' || address || '）' FROM mailbox
        WHERE mailbox.account_id = ${accountId} AND mailbox.id = s.subject)
      END AS name
    FROM unnest(n.subjects) WITH ORDINALITY AS s (subject, place)
  ) AS named WHERE named.name IS NOT NULL), '[]')`;

export interface NoticeSubject {
  readonly id: number;
  readonly name: string;
}
