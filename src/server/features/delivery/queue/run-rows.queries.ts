import { type Expression, type SqlBool, sql } from 'kysely';
import type { DeliveryReason, PausedBy } from '#domain/sending/delivery-state.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { sendToOf } from '../../attack-list/chosen-address.queries.ts';

export interface RunKey {
  readonly accountId: number;
  readonly id: number;
}

/** `not_before` of the waiting mails of a paused run: no claim finds them. */
export const PAUSED = sql<Date>`'infinity'::timestamptz`;

const IN_DOUBT: DeliveryReason = 'maybe_refused';

/**
 * The reason of a waiting mail that an unclear reply holds. No claim finds it, and resuming its run does not release
 * it.
 */
export const HELD = sql.lit(IN_DOUBT);

/**
 * The final state of a mail (the row `d`) that is cancelled or refused.
 * `unknown` if it was queued again after an unknown result (`maybe_sent`): its earlier attempt may have arrived.
 */
const unlessMaybeSent = (state: 'cancelled' | 'failed') =>
  sql<string>`CASE WHEN d.maybe_sent THEN 'unknown' ELSE ${sql.lit(state)} END`;
export const cancelledState = unlessMaybeSent('cancelled');
export const failedState = unlessMaybeSent('failed');

const CANCELLED: DeliveryReason = 'run_cancelled';
export const cancelledReason = sql<string | null>`CASE WHEN NOT d.maybe_sent THEN ${sql.lit(CANCELLED)} END`;

/**
 * Locks a run against pauses, cancellations and workers that requeue its mails (journal.queries.ts).
 * Lock it before any of its deliveries.
 * @returns undefined where the account has no such run
 */
export const lockRun = (tx: Tx, { accountId, id }: RunKey) =>
  tx
    .selectFrom('send_log')
    .select(['id', 'sender_group_id', 'days_from_lastday', 'test_send_mode', 'paused_by', 'cancelled'])
    .select(sendToOf('send_log').as('send_to'))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    // A run recorded by hand has no mails.
    .where('sender_id', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

export type LockedRun = NonNullable<Awaited<ReturnType<typeof lockRun>>>;

/** Returns the `not_before` of a mail that waits only for the end of the undo window. @param startsAt of its run */
export const afterWindow = (startsAt: Expression<Date | null>) => sql<Date>`greatest(now(), ${startsAt})`;

/** Returns the `not_before` of a mail of this run that is sent again, after its undo window. */
export const claimableFrom = ({ paused_by }: Pick<LockedRun, 'paused_by'>) =>
  paused_by === null ? sql<Date>`now()` : PAUSED;

/**
 * Selects and locks mails of a run.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 */
const lockedMails = ({ accountId, id }: RunKey, condition: Expression<SqlBool>) => sql`
  SELECT account_id, id FROM delivery
  WHERE account_id = ${accountId} AND send_log_id = ${id} AND ${condition}
  ORDER BY account_id, id
  FOR UPDATE`;

const IS_UNSENT = sql<SqlBool>`state IN ('queued', 'claimed')`;
const IS_PAUSED = sql<SqlBool>`state = 'queued' AND not_before = ${PAUSED} AND reason IS NULL`;

/** Pauses a locked run. After the commit no mail of it is marked: a worker that holds one is refused. */
export async function pauseRun(tx: Tx, run: RunKey, by: PausedBy): Promise<void> {
  await setRun(tx, run, { paused_by: by });
  await sql`
    WITH waiting AS (${lockedMails(run, IS_UNSENT)})
    UPDATE delivery d SET state = 'queued', not_before = ${PAUSED}, put_off = NULL, lease_until = NULL, worker_id = NULL
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}

/**
 * Resumes a locked run. Mails waiting for a retry become due at once, but none within the undo window. Mails without an
 * attempt get a new date.
 * A run whose candidate dates are over resumes too: the member has decided about them.
 * @returns the released mails
 */
export async function resumeRun(tx: Tx, run: RunKey & Pick<LockedRun, 'paused_by'>): Promise<number> {
  await setRun(tx, run, { paused_by: null, ...(run.paused_by === 'dates_over' && { dates_until: null }) });
  const startsAt = tx.selectFrom('send_log').select('starts_at').where('account_id', '=', run.accountId);
  const due = afterWindow(startsAt.where('id', '=', run.id).$asScalar());
  const { numAffectedRows } = await sql`
    WITH waiting AS (${lockedMails(run, IS_PAUSED)})
    UPDATE delivery d SET not_before = ${due},
      mail_date = CASE WHEN d.attempts = 0 AND NOT d.maybe_sent THEN ${due} ELSE d.mail_date END
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Cancels the unsent mails of a locked run. @returns how many */
export async function cancelRun(tx: Tx, run: RunKey): Promise<number> {
  await setRun(tx, run, { paused_by: null, cancelled: true });
  const { numAffectedRows } = await sql`
    WITH waiting AS (${lockedMails(run, IS_UNSENT)})
    UPDATE delivery d SET state = ${cancelledState}, reason = ${cancelledReason}, lease_until = NULL, worker_id = NULL,
      finished_at = now()
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Reopens a run that has ended or was cancelled, because a member sends one of its mails after all. */
export const reopenRun = (tx: Tx, run: RunKey) => setRun(tx, run, { cancelled: false, ended_at: null });

interface RunChange extends Partial<Pick<LockedRun, 'paused_by' | 'cancelled'>> {
  readonly ended_at?: null;
  readonly dates_until?: null;
}

async function setRun(tx: Tx, { accountId, id }: RunKey, values: RunChange) {
  await tx.updateTable('send_log').set(values).where('account_id', '=', accountId).where('id', '=', id).execute();
}
