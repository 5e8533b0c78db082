import { type Expression, type SqlBool, sql } from 'kysely';
import type { PausedBy } from '#domain/sending/delivery-state.ts';
import { type Calendar, keepsHours, mayLeaveAt, nextOpenTime } from '#domain/sending/sending-hours.ts';
import { addDays } from '#domain/time/calendar.ts';
import { instantOf } from '#domain/time/tokyo-time.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import type { ClaimedRow } from '../leases/claim.ts';
import type { ProfileKey } from '../queue/due-profiles.queries.ts';
import { PAUSED } from '../queue/run-rows.queries.ts';
import { databaseNow } from './installation.queries.ts';

/** The fields of a claim that decide when its mail may be sent. */
export interface KeptHours {
  readonly reservedFor: number | null;
  readonly calendar: Calendar | null;
}

/** Whether a mail must wait for the next open time of its group. @param now epoch milliseconds */
const isOutsideHours = ({ reservedFor, calendar }: KeptHours, now: number): boolean =>
  mayLeaveAt(now, reservedFor, calendar) > now;

const DATES_OVER: PausedBy = 'dates_over';

/** The wait of mails whose run another transaction has locked: a run is locked before its mails. */
const RUN_LOCKED_SECONDS = 5;

type HeldMail = Pick<ClaimedRow, 'accountId' | 'sendLogId' | keyof KeptHours>;

/**
 * Rechecks the hours before bodies are sent: a claimed mail may have waited for a slow mail server. Defers the runs
 * whose group has closed since, with all claimed mails.
 * @returns the remaining claims
 */
export async function deferClosedClaims<Mail extends HeldMail>(
  db: Db,
  claims: readonly Mail[],
): Promise<readonly Mail[]> {
  // Most mails may be sent at any time: they need no query.
  if (!claims.some(({ reservedFor, calendar }) => keepsHours(reservedFor, calendar))) return claims;
  const { rows } = await sql<{ now: number }>`SELECT ${databaseNow} AS now`.execute(db);
  const { now } = onlyRow(rows);
  const late = claims.filter((claim) => isOutsideHours(claim, now));
  for (const ofRun of Map.groupBy(late, ({ sendLogId }) => sendLogId).values())
    await db.transaction().execute((tx) => deferClosedRuns(tx, ofRun, now));
  return claims.filter((claim) => !late.includes(claim));
}

/**
 * Defers the unsent mails of runs whose group is closed to its next open time. Defers all of a run, so that no claim
 * finds the rest.
 * @param claims of one account and group
 * @returns the remaining claims
 */
export async function deferClosedRuns<Mail extends HeldMail>(
  tx: Tx,
  claims: readonly Mail[],
  now: number,
): Promise<readonly Mail[]> {
  const closed = claims.filter((claim) => isOutsideHours(claim, now));
  const [first] = closed;
  if (!first) return claims;
  const { accountId, reservedFor, calendar } = first;
  const runs = sql`${[...new Set(closed.map(({ sendLogId }) => sendLogId))]}::bigint[]`;
  const until = untilInstant(mayLeaveAt(now, reservedFor, calendar), now);
  await defer(tx, accountId, { runs, until, why: 'hours', isMeant: sql`state = 'claimed' OR not_before < ${until}` });
  return claims.filter((claim) => !closed.includes(claim));
}

/**
 * Defers a profile's due real mails to the opening of the next open day, because a limit of the day is used up. The
 * profile's throttle row must be locked.
 * @param today of the limit, by the database's clock
 */
export async function deferToNextDay(
  tx: Tx,
  { account_id, profile_id }: ProfileKey,
  calendar: Calendar,
  today: string,
): Promise<void> {
  const tomorrow = instantOf(addDays(today, 1), 0);
  const until = sql`to_timestamp(${(nextOpenTime(tomorrow, calendar) ?? tomorrow) / 1000})`;
  const isDue = sql<SqlBool>`NOT test_send_mode AND state = 'queued' AND not_before <= now()
    AND sender_id = ANY (ARRAY(SELECT id FROM sender WHERE account_id = ${account_id} AND profile_id = ${profile_id}))`;
  const runs = sql`ARRAY(SELECT DISTINCT send_log_id FROM delivery WHERE account_id = ${account_id} AND ${isDue})`;
  await defer(tx, account_id, { runs, until, why: 'limit', isMeant: isDue });
}

const untilInstant = (instant: number, now: number) =>
  sql`now() + make_interval(secs => ${Math.ceil((instant - now) / 1000)})`;

interface Deferral {
  /** An array of ids. */
  readonly runs: Expression<unknown>;
  /** Selects the claimed and queued mails of the runs to defer. */
  readonly isMeant: Expression<unknown>;
  readonly until: Expression<unknown>;
  readonly why: 'hours' | 'limit';
}

/**
 * Defers mails of runs. A mail without an attempt gets its date from the new time. A run whose candidate dates would be
 * over by then is paused instead, so that a member decides. Rows locked by others are left to the next claim.
 */
async function defer(tx: Tx, accountId: number, { runs, isMeant, until, why }: Deferral): Promise<void> {
  await sql`
    WITH of_runs AS MATERIALIZED (
      SELECT id, coalesce(dates_until <= ${until}, false) AS is_over FROM send_log
      WHERE account_id = ${accountId} AND id = ANY (${runs})
    ), locked AS MATERIALIZED (
      SELECT id FROM send_log
      WHERE account_id = ${accountId} AND id = ANY (ARRAY(SELECT id FROM of_runs WHERE is_over))
      ORDER BY id
      FOR NO KEY UPDATE SKIP LOCKED
    ), paused AS (
      UPDATE send_log SET paused_by = ${DATES_OVER}
      WHERE account_id = ${accountId} AND id IN (SELECT id FROM locked) AND paused_by IS NULL
    ), waiting AS (
      SELECT account_id, id,
        CASE WHEN send_log_id IN (SELECT id FROM locked) THEN ${PAUSED}
          WHEN send_log_id IN (SELECT id FROM of_runs WHERE is_over)
            THEN now() + make_interval(secs => ${RUN_LOCKED_SECONDS})
          ELSE ${until} END AS until
      FROM delivery
      WHERE account_id = ${accountId} AND send_log_id = ANY (ARRAY(SELECT id FROM of_runs))
        AND state IN ('claimed', 'queued') AND not_before < ${PAUSED}
        AND ((${isMeant}) OR send_log_id IN (SELECT id FROM locked))
      ORDER BY account_id, id
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d SET state = 'queued', not_before = waiting.until, lease_until = NULL, worker_id = NULL,
      put_off = CASE WHEN waiting.until < ${PAUSED} THEN ${why} END,
      mail_date = CASE WHEN d.attempts = 0 AND NOT d.maybe_sent AND waiting.until < ${PAUSED} THEN waiting.until
        ELSE d.mail_date END
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}
