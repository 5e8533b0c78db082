import { sql } from 'kysely';
import type { z } from 'zod';
import type { steerRun as steerCall } from '#contract/run-control.ts';
import { OPEN_STATES } from '#domain/delivery-state.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import type { ClaimedMail } from './claim.queries.ts';
import type { Finished } from './finish.queries.ts';
import { fenced } from './lease.queries.ts';
import { cancelRun, HELD, holdRun, lockRun, type RunKey, releaseRun } from './run-control.queries.ts';

type Wanted = z.output<(typeof steerCall)['body']>['update_info']['state'];

/**
 * Steers a run of the account. After the answer to a pause or cancel no mail of it begins; those whose body is on its way are
 * finished. Asked for twice it is no fault; a run that has ended is.
 */
export function steerRun(
  account: AccountDb,
  sendLogId: number,
  wanted: Wanted,
): Promise<{ status: 'updated' } | Refusal> {
  const key = { accountId: account.id, id: sendLogId };
  return account.transaction(async (tx) => {
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    if (wanted === 'cancelled' && run.cancelled) return { status: 'updated' };
    if (!(await hasOpenMails(tx, key))) {
      return new Refusal(409, 'run_finished', 'この送信はすでに終わっています。画面を読み込み直してください。');
    }
    if (wanted === 'paused') await holdRun(tx, key, 'user');
    else if (wanted === 'sending') await releaseRun(tx, key);
    else await cancelRun(tx, key);
    return { status: 'updated' };
  });
}

async function hasOpenMails(tx: Tx, { accountId, id }: RunKey): Promise<boolean> {
  const open = await tx
    .selectFrom('delivery')
    .select('id')
    .where('account_id', '=', accountId)
    .where('send_log_id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** Runs whose sender the mail server will not take wait for their owner, instead of asking the server for each mail again. */
export async function pauseRefusedRuns(db: Db, finished: readonly Finished[]): Promise<void> {
  const refused = finished.filter(({ outcome }) => outcome.kind === 'sender-refused').map(({ claim }) => claim);
  for (const mails of Map.groupBy(refused, ({ sendLogId }) => sendLogId).values()) {
    const [{ accountId, sendLogId: id }] = mails as [ClaimedMail, ...ClaimedMail[]];
    await db.transaction().execute(async (tx) => {
      const key = { accountId, id };
      const run = await lockRun(tx, key);
      if (run?.paused_by === null && (await waitBecauseOfUs(tx, mails))) await holdRun(tx, key, 'sender_refused');
    });
  }
}

/**
 * Whether these mails wait for their next try still: where the run was paused and resumed meanwhile, its owner knows of the refusal. By the
 * clock, and not by now(): we may have begun before the resume that we waited for.
 */
async function waitBecauseOfUs(tx: Tx, mails: readonly ClaimedMail[]): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM (${fenced(mails, sql`d.state = 'queued' AND d.not_before > clock_timestamp() AND d.not_before <> ${HELD}`)}) AS ours
    LIMIT 1`.execute(tx);
  return rows.length > 0;
}
