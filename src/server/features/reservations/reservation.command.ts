import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { reserve as reserveCall } from '#contract/sending/reservations.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import { type CandidateDate, isOver, renderCandidates } from '#domain/sending/candidate-dates.ts';
import { RESERVATION_FAULT_MESSAGES, reservationFault } from '#domain/sending/reservation-window.ts';
import { closedReason } from '#domain/sending/sending-hours.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { readSendTo } from '../attack-list/follow-up.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { enterGroup, groupProblem } from '../rights/group-problem.ts';
import { type Begins, beginOf, timesOf } from '../runs/begins.queries.ts';
import { followUpTargets } from '../runs/order.queries.ts';
import {
  candidatesProblem,
  legalAnswer,
  type Mailing,
  prepareRun,
  type RunRequest,
  realRunProblem,
} from '../runs/prepare-run.ts';
import {
  addReservation,
  columnsOf,
  heldProblem,
  lockPendingReservation,
  lockReservation,
  type NewReservation,
  type PendingReservation,
  type ReservationContent,
  removeReservation,
  type StoredReservation,
  unchangeable,
  updateReservation,
} from './reservation.queries.ts';
import { addTargets, freeTargets, type ReservedTarget, reservationFull } from './reservation-targets.queries.ts';

type ReserveBody = z.output<(typeof reserveCall)['body']>;
type ReserveAnswer = CallAnswer<typeof reserveCall>;

/**
 * Reserves an attack list: inserts a reservation, or adds to the pending one with the same sender, time, mode and
 * destination.
 * @param now epoch milliseconds, by the server's clock
 * @returns the reservation, or `no-added` if nothing changed, with the skipped targets; 400 or 404
 */
export async function reserve(
  account: AccountDb,
  body: ReserveBody,
  now: number,
  mailing: Mailing,
): Promise<ReserveAnswer | Problem> {
  const { sender_id: senderId, send_at, attack_list, test_send_mode, datetime_list } = body.add_info;
  const fault = reservationFault(send_at.getTime(), now);
  if (fault) return fieldProblem('add_info.send_at', 'invalid_send_at', `${RESERVATION_FAULT_MESSAGES[fault]}。`);
  const problem = candidatesProblem(datetime_list ?? [], now) ?? pastCandidates(datetime_list ?? [], send_at);
  if (problem) return problem;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const candidates = datetime_list ?? [];
  const { memberId } = account;
  const test = test_send_mode === 1;
  const attackList = followUpTargets(attack_list, body.follow_up_of);
  const asked = { memberId, senderId, attackList, candidates, test, daysFromLastday, ...mailing };
  return account.transaction(async (tx) => {
    const sendTo = await readSendTo(tx, account.id, { sendTo: body.send_to, followUpOf: body.follow_up_of });
    return reserveIn(tx, account, body, { request: { ...asked, sendTo }, now });
  });
}

/** Refuses candidate dates that end before `sendAt`. @param candidates accepted by candidatesProblem */
export function pastCandidates(candidates: readonly CandidateDate[], sendAt: Date): Problem | null {
  return candidates.some((candidate) => isOver(candidate, sendAt.getTime()))
    ? new Problem('invalid_candidate_date', '候補日が予約日時より前です。予約日時より後の候補日を選んでください。')
    : null;
}

/** Refuses a time at which the group would defer its mails. @param path of the time in the request */
export function closedDay(begins: Begins, path: string, now: number): Problem | null {
  const open = beginOf(begins);
  if (open <= begins.at || begins.calendar === null) return null;
  const reason = closedReason(begins.at, begins.calendar);
  const message = `予約日時は送信時間外です（${reason}）。次に送信できるのは${timeInSentence(open, now)}です。`;
  const details = [
    { path, message },
    { path: 'next_open_at', message: formatSecond(open) },
  ];
  return new Problem('closed_day', message, undefined, details);
}

async function reserveIn(
  tx: Tx,
  account: AccountDb,
  body: ReserveBody,
  { request, now }: { request: RunRequest; now: number },
): Promise<ReserveAnswer | Problem> {
  const accountId = account.id;
  // The lock keeps concurrent orders and reservations of the group from changing what is read below.
  const refused = await enterGroup(tx, account, 'sender', request.senderId);
  if (refused) return refused;
  const { senderId, test, sendTo } = request;
  const key = { accountId, senderId, sendAt: body.add_info.send_at, test, sendTo };
  const pending = await lockPendingReservation(tx, key);
  if (pending?.isHeld) return heldProblem(pending.id);
  const content = contentAfter(pending, request, body);
  const prepared = await prepareRun(tx, accountId, { ...request, ...content }, now);
  if (prepared instanceof Problem) return prepared;
  const begins = { at: key.sendAt.getTime(), calendar: prepared.calendar };
  const problem = realRunProblem(prepared, request.test) ?? closedDay(begins, 'add_info.send_at', now);
  if (problem) return problem;
  const { sender, picked } = prepared;
  const pickedIds = picked.targets.map(({ prospect_id }) => prospect_id);
  const full = pending && (await reservationFull(tx, accountId, pending.id, pickedIds));
  if (full) return full;
  const changesDates = hasOtherDates(pending, content);
  const { memberId } = request;
  const wanted = { ...key, ...content, memberId, senderGroupId: sender.sender_group_id };
  const followUpOf = body.follow_up_of ?? null;
  const targets = picked.targets.map((target) => ({ ...target, followUpOf }));
  const { id, added } = await writeReservation(tx, pending, wanted, changesDates, targets);
  const skipped = [
    ...picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason })),
    // Another sender of the group reserved these targets concurrently.
    ...picked.targets
      .filter(({ prospect_id }) => !added.has(prospect_id))
      .map(({ prospect_id }) => ({ prospect_id, reason: 'reserved' as const })),
  ];
  if (id === null || (added.size === 0 && !changesDates)) return { status: 'no-added', id, skipped };
  const detail = { reservation_id: id, targets: added.size, is_test: key.test, acknowledged: body.acknowledged };
  const kind = pending ? 'reservation_changed' : 'reservation_made';
  await recordAudit(tx, { accountId, memberId, kind, detail });
  const times = await timesOf(tx, { accountId, profileId: sender.profile_id }, begins, added.size);
  return { status: pending ? 'updated' : 'added', id, skipped, ...legalAnswer(prepared, request.test), ...times };
}

/** Returns the content of the reservation after the request. */
function contentAfter(
  pending: PendingReservation | null,
  { daysFromLastday }: RunRequest,
  { add_info, duplicate_key_update_info, list_conditions: listConditions }: ReserveBody,
): ReservationContent {
  if (!pending) return { candidates: add_info.datetime_list ?? [], daysFromLastday, listConditions };
  const { datetime_list } = duplicate_key_update_info;
  return {
    // undefined keeps the dates, null removes them.
    candidates: datetime_list === undefined ? pending.candidates : (datetime_list ?? []),
    ...chosenWith(pending, { daysFromLastday, listConditions }),
  };
}

type Choice = Omit<ReservationContent, 'candidates'>;

/** Returns the combined choice of two requests that become one reservation. */
export const chosenWith = (one: Choice, other: Choice): Choice => ({
  // The longer interval applies to all targets, so that none is mailed sooner than either request allows.
  daysFromLastday: Math.max(one.daysFromLastday, other.daysFromLastday),
  listConditions: isDeepStrictEqual(one.listConditions, other.listConditions) ? one.listConditions : undefined,
});

type Dates = Pick<ReservationContent, 'candidates'>;

/** @param before null: there was no reservation whose dates could change */
export const hasOtherDates = (before: Dates | null, after: Dates): boolean =>
  before !== null && renderCandidates(before.candidates) !== renderCandidates(after.candidates);

/**
 * Adds targets to the pending reservation, or to a new one.
 * Writes nothing if no target can be added and the dates are unchanged.
 * @returns the id of the reservation (null: none was written) and the added prospects
 */
async function writeReservation(
  tx: Tx,
  pending: PendingReservation | null,
  wanted: NewReservation,
  changesDates: boolean,
  targets: readonly ReservedTarget[],
): Promise<{ id: number | null; added: ReadonlySet<number> }> {
  if (targets.length === 0 && !changesDates) return { id: pending?.id ?? null, added: new Set() };
  const id = pending?.id ?? (await addReservation(tx, wanted));
  const reservation = { ...wanted, id };
  const added = await addTargets(tx, reservation, targets);
  if (pending && (added.size > 0 || changesDates)) {
    await updateReservation(tx, reservation, wanted.memberId, columnsOf(wanted));
  }
  if (pending || added.size > 0) return { id, added };
  await removeReservation(tx, reservation);
  return { id: null, added };
}

/**
 * Deletes a reservation that has not started, and frees its targets. A repeated deletion succeeds.
 * @returns 404 for an unknown reservation; 409 for one that has started, or whose targets another one has now
 */
export function cancelReservation(account: AccountDb, reservationId: number): Promise<{ status: 'updated' } | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    // A start locks the row too: it either finds the deletion, or is found here.
    const reservation = await lockReservation(tx, accountId, reservationId);
    if (!reservation) return notFound();
    const refused = await groupProblem(tx, account, 'reservation', reservationId);
    if (refused) return refused;
    const { active, isStarted, mergedInto } = reservation;
    if (!(active || isStarted) && mergedInto === null) return { status: 'updated' };
    const problem = unchangeable(reservation, '削除できません');
    if (problem) return problem;
    await removeLocked(tx, reservation, memberId);
    return { status: 'updated' };
  });
}

/**
 * Deletes a locked reservation that has not started, and frees its targets.
 * @param memberId the deleting member
 * @returns how many targets
 */
export async function removeLocked(tx: Tx, reservation: StoredReservation, memberId: number | null): Promise<number> {
  const { accountId, id } = reservation;
  await updateReservation(tx, reservation, memberId, { active: false });
  const freed = await freeTargets(tx, accountId, id);
  await recordAudit(tx, { accountId, memberId, kind: 'reservation_deleted', detail: { reservation_id: id } });
  return freed;
}
