import { sql } from 'kysely';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { QueueFigures } from '../../platform/metrics/queue-metrics.ts';
import { isProbing, transportRow } from './pauses/breaker.queries.ts';

/**
 * Counts waiting work over all accounts except frozen ones, by partial indexes. Needs the role kaitaku_service.
 * @param keys ids of the keys of this process
 */
export async function queueFigures(db: Db, keys: readonly number[] = []): Promise<QueueFigures> {
  const { rows } = await sql<QueueFigures>`
    SELECT queue.*, held."inProgress", doubtful.unknown, reserved.*,
      ((transport.paused_until > now()) IS TRUE OR ${isProbing})::integer AS "transportPaused",
      transport.faults AS "transportFaults",
      (installation.rewound_at IS NOT NULL)::integer AS "databaseRewound",
      (SELECT count(*)::integer FROM account WHERE frozen_at IS NOT NULL) AS "frozenAccounts",
      (SELECT count(*)::integer FROM held_arrival) AS "heldArrivals",
      (SELECT count(*)::integer FROM mailbox
        WHERE secret_key <> ALL (${keys}::integer[]) AND ${isNotFrozen('account_id')}) AS "mailboxesWithoutKey"
    FROM ${transportRow}, installation, (
      SELECT count(*) FILTER (WHERE not_before <= now())::integer AS due,
        count(*) FILTER (WHERE not_before > now() AND not_before < 'infinity')::integer AS deferred,
        count(*) FILTER (WHERE not_before = 'infinity')::integer AS paused,
        coalesce(extract(epoch FROM now() - min(not_before) FILTER (WHERE not_before <= now())), 0)::float
          AS "oldestDueSeconds"
      FROM delivery WHERE state = 'queued' AND ${isNotFrozen('account_id')}
    ) AS queue, (
      SELECT count(*)::integer AS "inProgress" FROM delivery WHERE lease_until IS NOT NULL
    ) AS held, (
      SELECT count(*)::integer AS unknown FROM delivery WHERE state = 'unknown'
    ) AS doubtful, (
      SELECT count(*) FILTER (WHERE is_due)::integer AS "reservationsDue",
        count(*) FILTER (WHERE NOT is_due)::integer AS "reservationsMissed",
        coalesce(extract(epoch FROM now() - min(send_at) FILTER (WHERE is_due)), 0)::float
          AS "oldestReservationSeconds"
      FROM (
        SELECT send_at, send_at > now() - ${LATEST_START_MINUTES} * interval '1 minute' AS is_due
        FROM reservation WHERE active AND NOT is_sent AND send_at <= now() AND ${isNotFrozen('account_id')}
      ) AS past
    ) AS reserved`.execute(db);
  const [figures] = rows;
  if (!figures) throw new Error('the row of the transport is missing');
  return figures;
}
