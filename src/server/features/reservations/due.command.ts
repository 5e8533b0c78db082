import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { sendReservationNow } from '#contract/sending/reservations-changes.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type AccountDb, accountDbOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { lockGroupOf } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { isSendingAllowed } from '../delivery/pauses/installation.queries.ts';
import { enterGroup } from '../rights/group-problem.ts';
import { type NewRun, writeRun } from '../runs/accept.queries.ts';
import { beginOfSend, datesOverProblem } from '../runs/begins.queries.ts';
import { type Mailing, type PreparedRun, prepareRun, realRunProblem } from '../runs/prepare-run.ts';
import {
  changedSince,
  lockReservation,
  ownTargets,
  type StoredReservation,
  unchangeable,
  updateReservation,
} from './reservation.queries.ts';
import { freeTargets, readTargets } from './reservation-targets.queries.ts';

/**
 * The reservation is too late to start, by the database's clock, which all processes share. Or it was open in a
 * database that was set back, and waits for a member (delivery/pauses/held.command.ts).
 */
export const isMissed = sql<boolean>`(reservation.active AND NOT reservation.is_sent AND (
  reservation.send_at <= now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute'
  OR reservation.missed_at IS NOT NULL))`;

/**
 * The reservation may start now. Reads a range of reservation_due_idx without missed ones. Those of a frozen account
 * wait, and may be missed.
 * In a database that was set back the reservation may have started before, and receipts may still bring contacts: none
 * starts until sending is resumed.
 */
const isDue = sql<boolean>`(${isNotFrozen('reservation.account_id')} AND reservation.active AND NOT reservation.is_sent
  AND reservation.send_at <= now()
  AND reservation.send_at > now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute'
  AND reservation.missed_at IS NULL AND ${isSendingAllowed})`;

/** The message for the owner of a reservation whose sender cannot be used. */
export const NO_SENDER = 'テンプレート（送信者）が無効になっています。有効にするか、予約を削除してください。';

export interface DueReservation {
  readonly accountId: number;
  readonly id: number;
}

/**
 * Finds the due reservations of all accounts, earliest first, by the database's clock.
 * A reservation that could not start in time (the program was down) becomes missed, and keeps its targets until it is
 * deleted.
 * @param db a pool of the role kaitaku_service
 */
export async function findDue(db: Db): Promise<DueReservation[]> {
  const rows = await db
    .selectFrom('reservation')
    .select(['account_id', 'id'])
    .where(isDue)
    .orderBy('send_at')
    .orderBy('id')
    .execute();
  return rows.map(({ account_id, id }) => ({ accountId: account_id, id }));
}

/** Returns the seconds until the next reservation falls due, or Infinity. Ignores due ones. */
export async function secondsUntilNextReservation(db: Db): Promise<number> {
  const next = await db
    .selectFrom('reservation')
    .select(sql<number>`extract(epoch FROM send_at - now())::double precision`.as('seconds'))
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .where('send_at', '>', sql<Date>`now()`)
    .where(isNotFrozen('account_id'))
    .orderBy('send_at')
    .limit(1)
    .executeTakeFirst();
  return next?.seconds ?? Number.POSITIVE_INFINITY;
}

/**
 * Starts a due reservation: writes a run of its targets that may be mailed now.
 * The other targets get a cancelled delivery with the reason. The run is written even when no target is left, so that
 * its owner sees why nothing was sent (decisions/runs).
 * @param now epoch milliseconds
 * @returns the run; null if another process is starting it or it was deleted; or why it cannot start now. The scheduler
 * then retries until it is missed
 */
export function startReservation(
  db: Db,
  due: DueReservation,
  now: number,
  mailing: Mailing,
): Promise<{ sendLogId: number } | null | Problem> {
  const { accountId } = due;
  return accountDbOf(db)(accountId, null).transaction(async (tx) => {
    await lockGroupOf(tx, accountId, 'reservation', due.id);
    const isStillDue = await tx
      .selectFrom('reservation')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', '=', due.id)
      // Checked again: the reservation may have changed, or the machine have slept, since it was found due.
      .where(isDue)
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst();
    const reservation = isStillDue && (await lockReservation(tx, accountId, due.id));
    if (!reservation) return null;
    const prepared = await prepareStart(tx, reservation, now, mailing);
    if (prepared instanceof Problem) return prepared;
    await tx
      .updateTable('reservation')
      .set({ is_sent: true, refused_reason: null })
      .where('account_id', '=', accountId)
      .where('id', '=', due.id)
      .execute();
    // If the group is closed, the first claim defers the run, or pauses it if its dates would be over.
    const start = { memberId: reservation.memberId, now, begins: { at: now, calendar: null } };
    const { send_log_id: sendLogId } = await writeReservedRun(tx, reservation, prepared, start);
    return { sendLogId };
  });
}

const SET_BACK =
  'データベースが過去の状態に戻ったため、予約の送信を始められません。送信が再開されてから、もう一度お試しください。';

/** As at a start: receipts may still show that the reservation was sent. */
async function isSetBack(tx: Tx): Promise<boolean> {
  const row = await tx
    .selectFrom('installation')
    .select('only_row')
    .where('rewound_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

type SendNowAnswer = CallAnswer<typeof sendReservationNow>;

/**
 * Starts a pending or missed reservation at once, for the requesting member. It is an immediate order: it can be undone
 * for some seconds, and its mails wait while the group is closed.
 * @param body with the version that the member has seen
 * @param now epoch milliseconds
 * @returns the run; 404; 409 if it has started, was changed or cannot be sent; 400 if no company may be mailed
 */
export function sendNow(
  account: AccountDb,
  id: number,
  { version, acknowledged }: z.output<(typeof sendReservationNow)['body']>,
  now: number,
  mailing: Mailing,
): Promise<SendNowAnswer | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const refused = await enterGroup(tx, account, 'reservation', id);
    if (refused) return refused;
    const reservation = await lockReservation(tx, accountId, id);
    if (!reservation) return notFound();
    const problem = unchangeable(reservation, '送信できません') ?? changedSince(reservation, version);
    if (problem) return problem;
    if (await isSetBack(tx)) return new Problem('sending_paused', SET_BACK);
    const prepared = await prepareStart(tx, reservation, now, mailing);
    if (prepared instanceof Problem) {
      return prepared.code === 'not_found' ? new Problem('sender_off', NO_SENDER) : prepared;
    }
    if (prepared.picked.targets.length === 0) {
      return new Problem(
        'nothing_left',
        'いま送信できる会社がないため、送信できません。対象の会社を確認してください。',
      );
    }
    const { test, candidates } = reservation;
    const { undoSeconds, begins } = await beginOfSend(tx, accountId, { test, calendar: prepared.calendar, now });
    const over = datesOverProblem(candidates, begins);
    if (over) return over;
    const started = { send_at: sql<Date>`now()`, is_sent: true, refused_reason: null };
    const { sendAt } = await updateReservation(tx, reservation, memberId, started);
    const changes = {
      send_at: { from: formatSecond(reservation.sendAt.getTime()), to: formatSecond(sendAt.getTime()) },
      sent_now: 1 as const,
    };
    const detail = { reservation_id: id, targets: 0, is_test: test, changes };
    await recordAudit(tx, { accountId, memberId, kind: 'reservation_changed', detail });
    const start = { memberId, now, begins, undoSeconds, acknowledged, wasReservedFor: reservation.sendAt };
    return { ...(await writeReservedRun(tx, reservation, prepared, start)), status: 'accepted' };
  });
}

/** Picks the targets of a reservation that may be mailed now. @returns the targets, or why it cannot start */
async function prepareStart(
  tx: Tx,
  reservation: StoredReservation,
  now: number,
  mailing: Mailing,
): Promise<PreparedRun | Problem> {
  const { accountId, id, memberId, senderId, candidates, test, sendTo, daysFromLastday } = reservation;
  const attackList = await readTargets(tx, accountId, id);
  const order = { attackList, candidates, test, sendTo, daysFromLastday };
  const rules = { ...ownTargets(reservation), memberId, senderId, ...order };
  const prepared = await prepareRun(tx, accountId, { ...rules, ...mailing }, now);
  return prepared instanceof Problem ? prepared : (realRunProblem(prepared, test) ?? prepared);
}

interface Start extends Pick<NewRun, 'now' | 'begins' | 'undoSeconds' | 'wasReservedFor'> {
  /** Who sent it early; if it came due, who reserved it. */
  readonly memberId: number | null;
  readonly acknowledged?: readonly Acknowledgement[] | undefined;
}

/** Writes the run of a reservation that was marked as sent. */
async function writeReservedRun(
  tx: Tx,
  { accountId, id, test, sendTo, daysFromLastday, candidates, listConditions, memberId: madeBy }: StoredReservation,
  { sender, picked, mail }: PreparedRun,
  { memberId, acknowledged, ...times }: Start,
) {
  await freeTargets(tx, accountId, id);
  const rules = { test, sendTo, daysFromLastday, candidates, listConditions, mail, reservationId: id, ...times };
  const answer = await writeRun(tx, { accountId, memberId: madeBy, sender, ...rules }, picked);
  if (!answer) throw new Error('a run without an idempotency key conflicts with another');
  const { send_log_id, accepted: mails } = answer;
  const detail = { send_log_id, mails, is_test: test, reservation_id: id, acknowledged };
  await recordAudit(tx, { accountId, memberId, kind: 'run_accepted', detail });
  return answer;
}

/** Stores for its owner why a reservation cannot start. Does nothing if it is no longer due. */
export async function recordRefusal(db: Db, { accountId, id }: DueReservation, reason: string): Promise<void> {
  await db
    .updateTable('reservation')
    .set({ refused_reason: reason })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(isDue)
    .execute();
}
