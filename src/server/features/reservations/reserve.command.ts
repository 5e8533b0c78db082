import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { reserve as reserveCall } from '#contract/reservation.ts';
import { type CandidateDate, isOver, renderCandidates } from '#domain/candidate-dates.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import { RESERVATION_FAULT_MESSAGES, reservationFault } from '#domain/reservation-window.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { fieldRefusal, notFound, Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import { lockGroupOf } from '../runs/group-lock.queries.ts';
import { prepareRun, type RunRequest, refuseCandidates } from '../runs/prepare-run.ts';
import {
  addReservation,
  addTargets,
  lockPendingReservation,
  type PendingReservation,
  removeReservation,
  updateReservation,
} from './reservation.queries.ts';

type ReserveBody = z.output<(typeof reserveCall)['body']>;
type ReserveAnswer = CallAnswer<typeof reserveCall>;

/**
 * Reserves an attack list: a new reservation, or targets added to the one that is pending for the same sender, time and mode.
 * @param now epoch milliseconds, by the server's clock
 */
export async function reserve(
  account: AccountDb,
  body: ReserveBody,
  now: number,
  transport: TransportTemplates,
): Promise<ReserveAnswer | Refusal> {
  const { sender_id: senderId, send_at, attack_list: attackList, test_send_mode, datetime_list } = body.add_info;
  const fault = reservationFault(send_at.getTime(), now);
  if (fault) return fieldRefusal('add_info.send_at', 'invalid_send_at', `${RESERVATION_FAULT_MESSAGES[fault]}。`);
  const refused = refuseCandidates(datetime_list ?? [], now) ?? refuseBygone(datetime_list ?? [], send_at);
  if (refused) return refused;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const candidates = datetime_list ?? [];
  const { memberId } = account;
  const asked = { memberId, senderId, attackList, candidates, test: test_send_mode === 1, daysFromLastday, transport };
  return account.transaction((tx) => reserveIn(tx, account.id, body, { asked, now }));
}

/** A slot that is over when the mail leaves is no offer. The slots are valid (refuseCandidates). */
function refuseBygone(candidates: readonly CandidateDate[], sendAt: Date): Refusal | null {
  return candidates.some((candidate) => isOver(candidate, sendAt.getTime()))
    ? new Refusal(400, 'invalid_candidate_date', '候補日が予約日時より前です。予約日時より後の候補日を選んでください。')
    : null;
}

async function reserveIn(
  tx: Tx,
  accountId: number,
  { add_info: add, duplicate_key_update_info: update }: ReserveBody,
  { asked, now }: { asked: RunRequest; now: number },
): Promise<ReserveAnswer | Refusal> {
  // Sends and reservations of a group are made one after the other: what is found below is still so when it is written.
  if (!(await lockGroupOf(tx, accountId, 'sender', asked.senderId))) return notFound();
  const key = { accountId, senderId: asked.senderId, sendAt: add.send_at, test: asked.test };
  const pending = await lockPendingReservation(tx, key);
  // One interval for all of a run: the longer one, so that nobody is mailed sooner than somebody wanted.
  const daysFromLastday = Math.max(asked.daysFromLastday, pending?.daysFromLastday ?? asked.daysFromLastday);
  const candidates = candidatesAfter(pending, pending ? update.datetime_list : add.datetime_list);

  const prepared = await prepareRun(tx, accountId, { ...asked, candidates, daysFromLastday }, now);
  if (prepared instanceof Refusal) return prepared;
  const { sender, picked } = prepared;
  const skipped = picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason }));
  const changesDates = pending !== null && renderCandidates(candidates) !== renderCandidates(pending.candidates);
  if (picked.targets.length === 0 && !changesDates) return { status: 'no-added', id: pending?.id ?? null, skipped };

  const content = { candidates, daysFromLastday };
  const { memberId } = asked;
  const senderGroupId = sender.sender_group_id;
  const id = pending?.id ?? (await addReservation(tx, { ...key, ...content, memberId, senderGroupId }));
  const reservation = { accountId, id, senderGroupId, test: key.test };
  const added = await addTargets(tx, reservation, picked.targets);
  // A reservation of another sender of the group was made beside this one.
  for (const { prospect_id } of picked.targets) {
    if (!added.has(prospect_id)) skipped.push({ prospect_id, reason: 'reserved' });
  }
  if (added.size === 0 && !changesDates) {
    if (!pending) await removeReservation(tx, reservation);
    return { status: 'no-added', id: pending?.id ?? null, skipped };
  }
  if (pending) await updateReservation(tx, reservation, content);
  const detail = { reservation_id: id, targets: added.size, is_test: key.test };
  const kind = pending ? 'reservation_changed' : 'reservation_made';
  await recordAudit(tx, { accountId, memberId, kind, detail });
  return { status: pending ? 'updated' : 'added', id, skipped };
}

/** undefined leaves the dates as they are, null takes them away. */
const candidatesAfter = (
  pending: PendingReservation | null,
  asked: readonly CandidateDate[] | null | undefined,
): readonly CandidateDate[] => (asked === undefined ? (pending?.candidates ?? []) : (asked ?? []));
