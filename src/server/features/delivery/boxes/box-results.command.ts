import { sql } from 'kysely';
import type { MAILBOX_PAUSES } from '#contract/senders/mailboxes-names.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { lockBox, loseMailbox, noteBoxMails, UNPAUSED } from '../../mailboxes/mailbox-state.command.ts';
import type { ClaimedBox } from '../leases/claim.ts';
import { type DeliveryResult, hasAnswer, isFault } from '../leases/delivery-result.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { limitTimes } from '../quota/transport-limit.queries.ts';

/*
 * What the server of a mailbox answers concerns that mailbox alone. A fault pauses it, the next mail tries, and any
 * answer about a mail ends the pause.
 */

const PAUSE_SECONDS = 60;
const PAUSE_SECONDS_MAX = 600;
/** Without a log-in at this moment: another process asks for a token, or the provider does not answer. */
const NO_LOG_IN_SECONDS = 15;
/** Refused log-ins in a row, by SMTP or IMAP, after which a member must connect the mailbox again. */
const LOGIN_REFUSALS_MAX = 2;

type BoxOutcome = DeliveryResult['outcome'];

/** @returns the mailboxes whose waiting mails must go back, because a pause begins */
export async function recordBoxResults(
  { db, log }: Pick<WorkerContext, 'db' | 'log'>,
  results: readonly DeliveryResult[],
): Promise<readonly ClaimedBox[]> {
  const paused: ClaimedBox[] = [];
  for (const ofBox of Map.groupBy(results, ({ claim: { box } }) => box && `${box.accountId} ${box.id}`).values()) {
    const box = ofBox[0]?.claim.box;
    if (!box) continue;
    // Mails of a mailbox follow each other, so that the last one counts.
    const last = ofBox.findLast((result) => kindOf(result) !== null || hasAnswer(result.outcome));
    if (!last) continue;
    const why = kindOf(last);
    if (why === null) {
      if (await isHindered(db, box)) await db.transaction().execute((tx) => endPause(tx, box));
      continue;
    }
    const isLost = await db.transaction().execute((tx) => pauseBox(tx, box, why, last.outcome));
    const { kind, reply } = last.outcome;
    if (kind !== 'not-taken') log.error({ mailbox: box.id, why, reply }, isLost ? LOST : PAUSED);
    paused.push(box);
  }
  return paused;
}

const PAUSED = 'a mailbox cannot send: its mails wait';
const LOST = "a mailbox's log-in is refused again: its member must connect it again";

type Why = (typeof MAILBOX_PAUSES)[number];

/** Returns why a result pauses its mailbox; null: it does not. */
function kindOf(result: DeliveryResult): Why | null {
  const { outcome } = result;
  if (outcome.kind === 'not-taken' || (outcome.kind === 'transport' && outcome.isLogInRefused)) return 'log_in';
  if (outcome.kind === 'limited' || outcome.kind === 'crowded') return outcome.kind;
  return isFault(result) ? 'fault' : null;
}

/** @returns whether the mailbox is lost */
async function pauseBox(tx: Tx, box: ClaimedBox, why: Why, outcome: BoxOutcome): Promise<boolean> {
  const state = await lockBox(tx, box);
  if (!state || !(await isCurrent(tx, box))) return false;
  const { reply: last_fault } = outcome;
  const isRefused = outcome.kind === 'transport' && outcome.isLogInRefused === true;
  const refusals = state.login_refusals + Number(isRefused);
  if (refusals >= LOGIN_REFUSALS_MAX) return loseMailbox(tx, box, last_fault);
  const times = timesOf(why, state, outcome);
  await tx
    .updateTable('mailbox_state')
    .set({
      ...times,
      why,
      login_refusals: refusals,
      ...(outcome.kind !== 'not-taken' && { last_fault, pauses: state.pauses + 1 }),
    })
    .where('account_id', '=', box.accountId)
    .where('mailbox_id', '=', box.id)
    .execute();
  if (isRefused) await renewToken(tx, box);
  return false;
}

type PauseState = Pick<NonNullable<Awaited<ReturnType<typeof lockBox>>>, 'pauses' | 'why'>;

/** Returns the times of a pause. `told_until`: the time that members see. */
function timesOf(why: Why, { pauses, why: before }: PauseState, outcome: BoxOutcome) {
  if (outcome.kind === 'limited') {
    const { nextTry, toldUntil } = limitTimes(outcome.seconds, before !== 'limited', sql.ref('told_until'));
    return { paused_until: nextTry, told_until: toldUntil };
  }
  if (outcome.kind === 'not-taken') return untilAfter(NO_LOG_IN_SECONDS);
  return untilAfter(
    why === 'fault' ? Math.min(PAUSE_SECONDS * 2 ** Math.min(pauses, 10), PAUSE_SECONDS_MAX) : PAUSE_SECONDS,
  );
}

function untilAfter(seconds: number) {
  const until = sql<Date>`now() + make_interval(secs => ${seconds}::double precision)`;
  return { paused_until: until, told_until: until };
}

/** Whether the mailbox is still as it was at the claim: what another server answered concerns it no more. */
async function isCurrent(tx: Tx, { accountId, id, version }: ClaimedBox): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM mailbox WHERE account_id = ${accountId} AND id = ${id} AND version = ${version}`.execute(tx);
  return rows.length > 0;
}

/** The next log-in asks for a new access token. A mailbox with a password has none. */
async function renewToken(tx: Tx, { accountId, id }: ClaimedBox): Promise<void> {
  await tx
    .updateTable('mailbox')
    .set({ token_expires_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('token_expires_at', 'is not', null)
    .execute();
}

/** Whether a pause or a refused log-in is recorded. Most answers find none. */
async function isHindered(db: Db, { accountId, id }: ClaimedBox): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM mailbox_state
    WHERE account_id = ${accountId} AND mailbox_id = ${id}
      AND (pauses > 0 OR login_refusals > 0 OR paused_until IS NOT NULL)`.execute(db);
  return rows.length > 0;
}

/** Ends a pause, and notes the mails that wait for it. */
async function endPause(tx: Tx, box: ClaimedBox): Promise<void> {
  await tx
    .updateTable('mailbox_state')
    .set({ ...UNPAUSED, login_refusals: 0 })
    .where('account_id', '=', box.accountId)
    .where('mailbox_id', '=', box.id)
    .execute();
  await noteBoxMails(tx, box);
}
