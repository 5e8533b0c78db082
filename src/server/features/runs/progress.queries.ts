import { sql } from 'kysely';
import type { Run } from '#contract/sending.ts';
import { mayLeaveAt } from '#domain/open-time.ts';
import { estimateEnd } from '#domain/run-estimate.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { Db } from '../../platform/db.ts';
import { reservedFor } from '../delivery/claim.queries.ts';
import { isRewound } from '../delivery/installation.queries.ts';
import { transportPausedUntil } from '../delivery/transport.queries.ts';

/** How far a run of the account is, or null when it has none with this id. @param now epoch milliseconds */
export async function runProgress(db: Db, accountId: number, sendLogId: number, now: number): Promise<Run | null> {
  const [run] = await progressOf(db, accountId, [sendLogId], now);
  return run ?? null;
}

/** How far runs of the account are, the newest first. */
export async function progressOf(
  db: Db,
  accountId: number,
  sendLogIds: readonly number[],
  now: number,
): Promise<Run[]> {
  if (sendLogIds.length === 0) return [];
  const runs = await countStates(db, accountId, sendLogIds);
  const isOpen = runs.some(({ queued, sending }) => queued + sending > 0);
  const pausedUntil = isOpen ? ((await transportPausedUntil(db))?.getTime() ?? null) : null;
  const rewound = isOpen && (await isRewound(db));
  return runs.map((counted): Run => {
    const { sentAt, ahead, mailsPerMinute, recent, seconds, firstDueAt, lastDueAt, reservedFor, ...run } = counted;
    const finished = run.queued + run.sending === 0;
    const paused_by = finished ? null : run.paused_by;
    const first = Math.max(now, firstDueAt?.getTime() ?? 0, pausedUntil ?? 0);
    const opensAt = mayLeaveAt(first, reservedFor);
    const isClosed = firstDueAt !== null && (opensAt > first || mayLeaveAt(now, reservedFor) > now);
    const end =
      finished || paused_by !== null || rewound
        ? null
        : estimateEnd(
            {
              ahead,
              mailsPerMinute,
              recent: { mails: recent, seconds },
              lastDueAt: lastDueAt?.getTime() ?? now,
              pausedUntil,
              reservedFor,
            },
            now,
          );
    return {
      ...run,
      test_send_mode: run.test_send_mode ? 1 : 0,
      sent_at: formatSecond(sentAt.getTime()),
      finished,
      paused_by,
      transport_paused_until: finished || pausedUntil === null ? null : formatSecond(pausedUntil),
      database_rewound: rewound && !finished,
      put_off_until: isClosed ? formatSecond(opensAt) : null,
      estimated_end_at: end === null ? null : formatSecond(end),
    };
  });
}

type Counted = Omit<
  Run,
  | 'sent_at'
  | 'test_send_mode'
  | 'finished'
  | 'transport_paused_until'
  | 'database_rewound'
  | 'put_off_until'
  | 'estimated_end_at'
> & {
  readonly test_send_mode: boolean;
  readonly sentAt: Date;
  readonly ahead: number;
  readonly mailsPerMinute: number | null;
  /** Mails that ended in the last minute, or since the run began. */
  readonly recent: number;
  readonly seconds: number;
  /** Of the mails in the queue. */
  readonly firstDueAt: Date | null;
  readonly lastDueAt: Date | null;
  readonly reservedFor: number | null;
};

async function countStates(db: Db, accountId: number, sendLogIds: readonly number[]): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    SELECT l.id, l.test_send_mode, l.sent_at AS "sentAt", g.group_name, coalesce(l.mail->>'subject', '') AS subject, l.targets,
      counts.queued, counts.sending, counts.sent, counts.failed, counts.unknown, counts.cancelled, l.paused_by, counts.recent,
      extract(epoch FROM least(now() - l.sent_at, interval '1 minute'))::double precision AS seconds,
      counts."firstDueAt", counts."lastDueAt", ${reservedFor(sql`r.send_at`)} AS "reservedFor", t.mails_per_minute AS "mailsPerMinute",
      counts.sending + CASE WHEN counts."lastDueAt" IS NULL THEN 0 ELSE (
        SELECT count(*)::integer FROM delivery d
        WHERE d.account_id = l.account_id AND d.sender_id = l.sender_id AND d.state = 'queued' AND d.not_before <= counts."lastDueAt"
      ) END AS ahead
    FROM send_log l
    JOIN sender_group g ON g.account_id = l.account_id AND g.id = l.sender_group_id
    LEFT JOIN reservation r ON r.account_id = l.account_id AND r.id = l.reservation_id
    LEFT JOIN sender_throttle t ON t.account_id = l.account_id AND t.sender_id = l.sender_id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE d.state = 'queued')::integer AS queued,
        count(*) FILTER (WHERE d.state IN ('claimed', 'sending'))::integer AS sending,
        count(*) FILTER (WHERE d.state = 'sent')::integer AS sent,
        count(*) FILTER (WHERE d.state = 'failed')::integer AS failed,
        count(*) FILTER (WHERE d.state = 'unknown')::integer AS unknown,
        count(*) FILTER (WHERE d.state = 'cancelled')::integer AS cancelled,
        count(*) FILTER (WHERE d.state IN ('sent', 'failed', 'unknown') AND d.finished_at > now() - interval '1 minute')::integer
          AS recent,
        min(d.not_before) FILTER (WHERE d.state = 'queued' AND d.not_before <> 'infinity') AS "firstDueAt",
        max(d.not_before) FILTER (WHERE d.state = 'queued' AND d.not_before <> 'infinity') AS "lastDueAt"
      FROM delivery d
      WHERE d.account_id = l.account_id AND d.send_log_id = l.id
    ) counts
    WHERE l.account_id = ${accountId} AND l.id = ANY(${sendLogIds}::bigint[])
    ORDER BY l.id DESC`.execute(db);
  return rows;
}
