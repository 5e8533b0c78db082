import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateReservation as updateCall } from '#contract/sending/reservations-changes.ts';
import type { ReservationChanges } from '#contract/sending/reservations-page.ts';
import {
  CANDIDATE_FAULT_MESSAGES,
  type CandidateDate,
  candidateFaults,
  renderCandidates,
} from '#domain/sending/candidate-dates.ts';
import { RESERVATION_FAULT_MESSAGES, reservationFault } from '#domain/sending/reservation-window.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { enterGroup } from '../rights/group-problem.ts';
import { loadSender, pickTargets } from '../runs/order.queries.ts';
import { type Mailing, prepareRun, realRunProblem } from '../runs/prepare-run.ts';
import { loadCalendar } from '../sending-rules/calendar.queries.ts';
import { chosenWith, closedDay, hasOtherDates, pastCandidates } from './reservation.command.ts';
import {
  changedSince,
  columnsOf,
  heldProblem,
  LET_GO,
  lockPendingReservation,
  lockReservation,
  ownTargets,
  type PendingReservation,
  type StoredReservation,
  subjectOf,
  unchangeable,
  updateReservation,
} from './reservation.queries.ts';
import {
  countTargets,
  moveTargets,
  readTargets,
  removeTargets,
  reservationFull,
} from './reservation-targets.queries.ts';

type ChangeBody = z.output<(typeof updateCall)['body']>;
type ChangeAnswer = CallAnswer<typeof updateCall>;
type Skipped = NonNullable<ChangeAnswer['skipped']>;

/** The wanted content of a reservation after a request. */
interface Wanted {
  readonly sendAt: Date;
  /** The reservation was held by a restore, and the request confirms or changes its time: this releases it. */
  readonly isLetGo: boolean;
  readonly candidates: readonly CandidateDate[];
  readonly senderId: number;
  readonly memberId: number | null;
  /** The removed targets, and the remaining ones. */
  readonly removed: readonly number[];
  readonly kept: readonly number[];
}

/** A change in progress: the stored reservation, the wanted one, and the data to judge it. */
interface Change {
  readonly tx: Tx;
  readonly stored: StoredReservation;
  readonly wanted: Wanted;
  readonly by: number | null;
  readonly acknowledged: ChangeBody['acknowledged'];
  readonly now: number;
}

/**
 * Changes a reservation that has not started: its time, dates, sender, targets or owner.
 * Only what differs is validated. A missed one is rescheduled by another time; one held by a restore also by its own
 * time, if that is in the future.
 * @param now epoch milliseconds, by the server's clock
 * @returns the reservation, or the one that it was merged into; 400, 404 or 409
 */
export function changeReservation(
  account: AccountDb,
  id: number,
  body: ChangeBody,
  now: number,
  mailing: Mailing,
): Promise<ChangeAnswer | Problem> {
  const { id: accountId, memberId: by } = account;
  return account.transaction(async (tx) => {
    const foreign = await enterGroup(tx, account, 'reservation', id);
    if (foreign) return foreign;
    const stored = await lockReservation(tx, accountId, id);
    if (!stored) return notFound();
    const closed = unchangeable(stored, '変更できません');
    if (closed) return closed;
    const wanted = await wantedOf(tx, stored, body, by);
    const unknown = notThere(body, wanted);
    if (isSame(stored, wanted)) return { status: 'updated', id, version: stored.version, skipped: unknown };
    const stale = changedSince(stored, body.version ?? 0);
    if (stale) return stale;
    const change = { tx, stored, wanted, by, now, acknowledged: body.acknowledged };
    const problem =
      (await timeProblem(change)) ?? (wanted.kept.length === 0 ? NOTHING_LEFT() : await senderProblem(change, mailing));
    if (problem) return problem;
    const other = await reservationThen(change);
    const refused = other && (await mergeProblem(change, other, body.merge === 1));
    if (refused) return refused;
    const dates = other ? null : datesProblem(change);
    if (dates) return dates;
    const skipped = [...unknown, ...(await fallenOut(change))];
    await removeTargets(tx, stored, wanted.removed);
    return { status: 'updated', ...(other ? await merge(change, other) : await write(change)), skipped };
  });
}

async function wantedOf(
  tx: Tx,
  stored: StoredReservation,
  { update_info, take_over }: ChangeBody,
  by: number | null,
): Promise<Wanted> {
  const targets = (await readTargets(tx, stored.accountId, stored.id)).map(({ prospect_id }) => prospect_id);
  const out = new Set(update_info.remove_prospect_ids);
  return {
    sendAt: update_info.send_at ?? stored.sendAt,
    isLetGo: stored.isHeld && update_info.send_at !== undefined,
    candidates: update_info.datetime_list === undefined ? stored.candidates : (update_info.datetime_list ?? []),
    senderId: update_info.sender_id ?? stored.senderId,
    memberId: take_over === 1 ? by : stored.memberId,
    removed: targets.filter((id) => out.has(id)),
    kept: targets.filter((id) => !out.has(id)),
  };
}

/** Lists the companies to be removed that the reservation does not have. */
function notThere({ update_info: { remove_prospect_ids = [] } }: ChangeBody, { removed }: Wanted): Skipped {
  const had = new Set(removed);
  return [...new Set(remove_prospect_ids)]
    .filter((prospect_id) => !had.has(prospect_id))
    .map((prospect_id) => ({ prospect_id, reason: 'not_found' as const }));
}

const isMoved = (stored: StoredReservation, { sendAt }: Wanted): boolean =>
  sendAt.getTime() !== stored.sendAt.getTime();

const isSame = (stored: StoredReservation, wanted: Wanted): boolean =>
  !(isMoved(stored, wanted) || wanted.isLetGo || hasOtherDates(stored, wanted)) &&
  wanted.senderId === stored.senderId &&
  wanted.memberId === stored.memberId &&
  wanted.removed.length === 0;

const NOTHING_LEFT = () =>
  fieldProblem(
    'update_info.remove_prospect_ids',
    'nothing_left',
    '対象の会社がなくなるため保存できません。予約をやめるときは削除してください。',
  );

async function timeProblem({ tx, stored, wanted, now }: Change): Promise<Problem | null> {
  const path = 'update_info.send_at';
  const at = wanted.sendAt.getTime();
  // An unchanged time is not validated again, nor is it when the reservation starts.
  const fault = isMoved(stored, wanted) ? reservationFault(at, now) : wanted.isLetGo && at <= now ? 'past' : null;
  if (fault) return fieldProblem(path, 'invalid_send_at', `${RESERVATION_FAULT_MESSAGES[fault]}。`);
  if (!isMoved(stored, wanted)) return null;
  return closedDay({ at, calendar: stored.test ? null : await loadCalendar(tx, stored, now) }, path, now);
}

/** Refuses new faulty dates. If the time or the dates change, also refuses dates before the reserved time. */
function datesProblem({ stored, wanted: { candidates, sendAt }, wanted, now }: Change): Problem | null {
  if (!(isMoved(stored, wanted) || hasOtherDates(stored, wanted))) return null;
  const known = new Set(stored.candidates.map((slot) => renderCandidates([slot])));
  const faults = candidateFaults(candidates, now);
  const fault = faults.find(
    (found, at) =>
      found !== null && (found === 'overlap' || !known.has(renderCandidates([candidates[at] as CandidateDate]))),
  );
  const field = 'update_info.datetime_list';
  if (fault) return fieldProblem(field, 'invalid_candidate_date', `${CANDIDATE_FAULT_MESSAGES[fault]}。`);
  const past = pastCandidates(candidates, sendAt);
  return past && fieldProblem(field, past.code, past.message);
}

/** Checks a new sender of the reservation: it must be an active one of the group that may send such mails. */
async function senderProblem({ tx, stored, wanted, now }: Change, mailing: Mailing): Promise<Problem | null> {
  if (wanted.senderId === stored.senderId) return null;
  const { accountId, daysFromLastday, test, sendTo } = stored;
  const { senderId, memberId, candidates } = wanted;
  const sender = await loadSender(tx, { accountId, memberId, senderId });
  if (sender?.sender_group_id !== stored.senderGroupId) return notFound();
  const request = { memberId, senderId, attackList: [], candidates, test, sendTo, daysFromLastday, ...mailing };
  const prepared = await prepareRun(tx, accountId, request, now);
  return prepared instanceof Problem ? prepared : realRunProblem(prepared, test);
}

/** Locks the other reservation of the same sender, time, mode and destination. @returns null if there is none */
async function reservationThen({
  tx,
  stored,
  wanted: { sendAt, senderId },
}: Change): Promise<PendingReservation | null> {
  const found = await lockPendingReservation(tx, { ...stored, senderId, sendAt });
  return found?.id === stored.id ? null : found;
}

/** Refuses a merge with the other reservation: one is held, both are too large, or the request does not ask for it. */
async function mergeProblem(
  { tx, stored: { accountId, id: ownId, isHeld: isOwnHeld }, wanted }: Change,
  { id, isHeld }: PendingReservation,
  isAsked: boolean,
): Promise<Problem | null> {
  if (isHeld) return heldProblem(id);
  if (isOwnHeld && !wanted.isLetGo) return heldProblem(ownId);
  const full = await reservationFull(tx, accountId, id, wanted.kept);
  if (full || isAsked) return full;
  const { all: targets } = await countTargets(tx, accountId, id);
  const message = '同じテンプレートの予約が、この日時にすでにあります。まとめるか、ほかの日時を選んでください。';
  const details = [
    { path: 'id', message: String(id) },
    { path: 'targets', message: String(targets) },
  ];
  return new Problem('reservation_at_that_time', message, undefined, details);
}

/** Lists the targets that would not be mailed at the new time, if the reservation moves. */
async function fallenOut({ tx, stored, wanted, now }: Change): Promise<Skipped> {
  if (!isMoved(stored, wanted)) return [];
  const kept = new Set(wanted.kept);
  const targets = (await readTargets(tx, stored.accountId, stored.id)).filter(({ prospect_id }) =>
    kept.has(prospect_id),
  );
  const picked = await pickTargets(tx, targets, {
    ...stored,
    ...ownTargets(stored),
    now: Math.max(now, wanted.sendAt.getTime()),
  });
  // Test addresses were checked when they were reserved.
  if (picked instanceof Problem) throw new Error(`a reserved target is refused: ${picked.message}`);
  return picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason }));
}

async function write({ tx, stored, wanted, by, acknowledged }: Change): Promise<{ id: number; version: number }> {
  const { accountId, id, test } = stored;
  const { sendAt, senderId, memberId, candidates } = wanted;
  const moved = isMoved(stored, wanted);
  const { version } = await updateReservation(tx, stored, by, {
    ...columnsOf({ ...stored, candidates }),
    send_at: sendAt,
    sender_id: senderId,
    member_id: memberId,
    // A refused start and `missed` belong to the old time and sender.
    ...((moved || senderId !== stored.senderId) && { refused_reason: null }),
    ...((moved || wanted.isLetGo) && LET_GO),
  });
  const changes = await changesOf(tx, stored, wanted);
  const detail = { reservation_id: id, targets: 0, is_test: test, changes, acknowledged };
  await recordAudit(tx, { accountId, memberId: by, kind: 'reservation_changed', detail });
  return { id, version };
}

/** Returns what a change alters, for the history. */
async function changesOf(tx: Tx, stored: StoredReservation, wanted: Wanted): Promise<ReservationChanges> {
  const second = (date: Date): string => formatSecond(date.getTime());
  const dates = ({ candidates }: { readonly candidates: readonly CandidateDate[] }) =>
    candidates.length === 0 ? null : [...candidates];
  return {
    ...(wanted.isLetGo && { let_go: 1 as const }),
    ...(isMoved(stored, wanted) && { send_at: { from: second(stored.sendAt), to: second(wanted.sendAt) } }),
    ...(hasOtherDates(stored, wanted) && { datetime_list: { from: dates(stored), to: dates(wanted) } }),
    ...(wanted.senderId !== stored.senderId && {
      subject: {
        from: await subjectOf(tx, stored.accountId, stored.senderId),
        to: await subjectOf(tx, stored.accountId, wanted.senderId),
      },
    }),
    ...(wanted.removed.length > 0 && { removed: wanted.removed.length }),
    ...(wanted.memberId !== stored.memberId && { taken_over: 1 as const }),
  };
}

/**
 * Moves the targets to another reservation of the same time, which keeps its dates, and ends this one.
 * @returns the other one
 */
async function merge(
  { tx, stored, wanted, by, acknowledged }: Change,
  other: PendingReservation,
): Promise<{ id: number; version: number }> {
  const { accountId, test } = stored;
  await updateReservation(tx, stored, by, { active: false });
  const added = await moveTargets(tx, accountId, { from: stored.id, into: other.id });
  const { version } = await updateReservation(tx, { accountId, id: other.id }, by, {
    ...columnsOf({ ...other, ...chosenWith(stored, other) }),
    ...(wanted.memberId !== stored.memberId && { member_id: wanted.memberId }),
  });
  const changes = { ...(await changesOf(tx, stored, wanted)), merged_into: other.id };
  const detail = { reservation_id: stored.id, targets: 0, is_test: test, changes, acknowledged };
  await recordAudit(tx, { accountId, memberId: by, kind: 'reservation_changed', detail });
  const there = { reservation_id: other.id, targets: added, is_test: test, changes: { merged_from: stored.id } };
  await recordAudit(tx, { accountId, memberId: by, kind: 'reservation_changed', detail: there });
  return { id: other.id, version };
}
