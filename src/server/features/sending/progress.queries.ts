import type { CallAnswer } from '#contract/call.ts';
import type { getSendLog } from '#contract/sending.ts';
import { OPEN_STATES } from '#domain/delivery-state.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { Db } from '../../platform/db.ts';
import { transportPausedUntil } from './transport.queries.ts';

type Run = CallAnswer<typeof getSendLog>;

/** How far a run of the account is, or null when it has none with this id. */
export async function runProgress(db: Db, accountId: number, sendLogId: number): Promise<Run | null> {
  const log = await db
    .selectFrom('send_log')
    .select(['id', 'test_send_mode', 'sent_at', 'targets', 'paused_by'])
    .where('account_id', '=', accountId)
    .where('id', '=', sendLogId)
    .executeTakeFirst();
  if (!log) return null;
  const counted = await db
    .selectFrom('delivery')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('send_log_id', '=', sendLogId)
    .groupBy('state')
    .execute();
  const count = (...states: string[]) =>
    counted.reduce((sum, row) => (states.includes(row.state) ? sum + row.count : sum), 0);
  const finished = count(...OPEN_STATES) === 0;
  const pausedUntil = finished ? null : await transportPausedUntil(db);
  return {
    id: log.id,
    test_send_mode: log.test_send_mode ? 1 : 0,
    sent_at: formatSecond(log.sent_at.getTime()),
    targets: log.targets,
    queued: count('queued'),
    sending: count('claimed', 'sending'),
    sent: count('sent'),
    failed: count('failed'),
    unknown: count('unknown'),
    cancelled: count('cancelled'),
    finished,
    paused_by: log.paused_by as Run['paused_by'],
    transport_paused_until: pausedUntil && formatSecond(pausedUntil.getTime()),
  };
}
