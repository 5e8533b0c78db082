import { sql } from 'kysely';
import type { DeliveryReason } from '#domain/delivery-state.ts';
import type { Tx } from '../../platform/db.ts';

export interface RunKey {
  readonly accountId: number;
  readonly id: number;
}

/** Mails with this not_before belong to a paused run: no claim finds them. */
export const HELD = sql<Date>`'infinity'::timestamptz`;

/** What a mail (the row `d`) becomes that is cancelled, or refused: nobody can take back the earlier try of one that was sent again after an unknown end. */
const unlessMaybeSent = (state: 'cancelled' | 'failed') =>
  sql<string>`CASE WHEN d.maybe_sent THEN 'unknown' ELSE ${sql.lit(state)} END`;
export const cancelledState = unlessMaybeSent('cancelled');
export const failedState = unlessMaybeSent('failed');

const CANCELLED: DeliveryReason = 'run_cancelled';
export const cancelledReason = sql<string | null>`CASE WHEN NOT d.maybe_sent THEN ${sql.lit(CANCELLED)} END`;

/**
 * Locks a run against everybody who changes what its waiting mails wait for: people, and workers that put a mail back into the queue
 * (finish.queries.ts). Locked before any of its deliveries. @returns undefined where the account has no such run
 */
export const lockRun = (tx: Tx, { accountId, id }: RunKey) =>
  tx
    .selectFrom('send_log')
    .select(['id', 'sender_group_id', 'days_from_lastday', 'test_send_mode', 'paused_by', 'cancelled'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    // One that was recorded by hand has nothing to steer.
    .where('sender_id', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

export type LockedRun = NonNullable<Awaited<ReturnType<typeof lockRun>>>;

/** When the mails of a run may be claimed that are put into the queue now. */
export const claimableFrom = ({ paused_by }: Pick<LockedRun, 'paused_by'>) =>
  paused_by === null ? sql<Date>`now()` : HELD;

/** The mails whose body has not begun, locked by id as all who lock several of them do: they wait, and do not lock each other out. */
const waiting = ({ accountId, id }: RunKey) => sql`
  SELECT account_id, id FROM delivery
  WHERE account_id = ${accountId} AND send_log_id = ${id} AND state IN ('queued', 'claimed')
  ORDER BY account_id, id
  FOR UPDATE`;

/** No mail of the run begins after this commits: a worker that holds one finds out at its mark. The run must be locked. */
export async function holdRun(tx: Tx, run: RunKey, by: 'user' | 'sender_refused'): Promise<void> {
  await setRun(tx, run, { paused_by: by });
  await sql`
    WITH waiting AS (${waiting(run)})
    UPDATE delivery d SET state = 'queued', not_before = ${HELD}, lease_until = NULL, worker_id = NULL
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}

/** The run must be locked. Mails that were to wait before another try begin at once. */
export async function releaseRun(tx: Tx, run: RunKey): Promise<void> {
  await setRun(tx, run, { paused_by: null });
  await tx
    .updateTable('delivery')
    .set({ not_before: sql<Date>`now()` })
    .where('account_id', '=', run.accountId)
    .where('send_log_id', '=', run.id)
    .where('state', '=', 'queued')
    .where('not_before', '=', HELD)
    .execute();
}

/** What has not begun never will. The run must be locked. */
export async function cancelRun(tx: Tx, run: RunKey): Promise<void> {
  await setRun(tx, run, { paused_by: null, cancelled: true });
  await sql`
    WITH waiting AS (${waiting(run)})
    UPDATE delivery d SET state = ${cancelledState}, reason = ${cancelledReason}, lease_until = NULL, worker_id = NULL,
      finished_at = now()
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}

/** A mail of a cancelled run that its owner wants sent after all opens the run again. */
export const reopenRun = (tx: Tx, run: RunKey) => setRun(tx, run, { cancelled: false });

async function setRun(tx: Tx, { accountId, id }: RunKey, values: Partial<Pick<LockedRun, 'paused_by' | 'cancelled'>>) {
  await tx.updateTable('send_log').set(values).where('account_id', '=', accountId).where('id', '=', id).execute();
}
