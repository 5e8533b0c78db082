import { type Expression, sql } from 'kysely';

/**
 * The names of a notice's (`n`) subjects as JSON `[{id, name}]`, the newest first.
 * A notice holds only ids: what was deleted or erased meanwhile has no name.
 */
export const subjectNames = (accountId: number | Expression<number>) => sql<readonly NoticeSubject[]>`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', named.id, 'name', named.name) ORDER BY named.place) FROM (
    SELECT s.subject AS id, s.place, CASE
      WHEN n.kind IN ('run_ended', 'failures', 'stopped') THEN (
        SELECT sender_group.group_name || '（' || send_log.targets || '通）' FROM send_log
        JOIN sender_group
          ON sender_group.account_id = send_log.account_id AND sender_group.id = send_log.sender_group_id
        WHERE send_log.account_id = ${accountId} AND send_log.id = s.subject)
      WHEN n.kind = 'reservation_missed' THEN (
        SELECT to_char(reservation.send_at AT TIME ZONE 'Asia/Tokyo', 'FMMM"月"FMDD"日 "FMHH24:MI')
          || ' ' || sender_group.group_name
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
      END AS name
    FROM unnest(n.subjects) WITH ORDINALITY AS s (subject, place)
  ) AS named WHERE named.name IS NOT NULL), '[]')`;

export interface NoticeSubject {
  readonly id: number;
  readonly name: string;
}
