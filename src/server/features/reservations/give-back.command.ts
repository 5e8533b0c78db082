import { sql } from 'kysely';
import { GIVE_BACK_SECONDS } from '#domain/limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { GiveBack, GivenBack } from '../runs/run-control.command.ts';
import {
  lockPendingReservation,
  lockReservation,
  type StoredReservation,
  updateReservation,
} from './reservation.queries.ts';
import { removeTargets, reserveAgain, reservedElsewhere } from './reservation-targets.queries.ts';

/**
 * Restores a reservation that was sent early, at its old time with its companies, except those that another reservation
 * has by now.
 * Does nothing if another reservation has that time. Restores it as missed if the time is over or imminent: nothing may
 * be sent right after the undo. Whoever undoes it gets a reservation whose member was stopped meanwhile.
 */
export const giveBack: GiveBack = async (tx, { accountId, id }, memberId) => {
  const run = await tx
    .selectFrom('send_log')
    .select(['reservation_id', 'was_reserved_for'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { reservation_id: reservationId, was_reserved_for: sendAt } = run;
  const stored = reservationId === null ? null : await lockReservation(tx, accountId, reservationId);
  if (!stored || !sendAt) throw new Error(`run ${id} was no reservation that was sent now`);
  const given = { ...(await reserveBack(tx, stored, sendAt, memberId)), reserved_for: formatSecond(sendAt.getTime()) };
  // A reservation counts as started while a run refers to it.
  const named = given.reservation === 'taken' ? {} : { reservation_id: null };
  await tx
    .updateTable('send_log')
    .set({ ...named, given_back: JSON.stringify(given) })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  return given;
};

/** The reason for the owner. */
const TOO_LATE = `「今すぐ送信」を取り消したときに、予約日時が過ぎていたか、${GIVE_BACK_SECONDS}秒以内でした。`;

async function reserveBack(
  tx: Tx,
  stored: StoredReservation,
  sendAt: Date,
  memberId: number | null,
): Promise<GivenBack> {
  const { accountId, id, test } = stored;
  const elsewhere = await reservedElsewhere(tx, accountId, id);
  const count = { reserved_elsewhere: elsewhere.length };
  const other = await lockPendingReservation(tx, { ...stored, sendAt });
  if (other) return { reservation: 'taken', reservation_id: other.id, ...count };
  // At least one remains: a company with an open mail until now could not be reserved.
  await removeTargets(tx, stored, elsewhere);
  await reserveAgain(tx, accountId, id);
  // A reservation that was already missed keeps its earlier time of missing.
  const soon = sql`clock_timestamp() + make_interval(secs => ${GIVE_BACK_SECONDS})`;
  const isLate = sql`missed_at IS NULL AND ${sendAt} <= ${soon}`;
  const isOfStopped = sql`EXISTS (SELECT FROM member
    WHERE member.account_id = reservation.account_id AND member.id = reservation.member_id AND NOT member.active)`;
  const { missedAt } = await updateReservation(tx, stored, memberId, {
    member_id: sql`CASE WHEN ${isOfStopped} THEN ${memberId}::bigint ELSE reservation.member_id END`,
    send_at: sendAt,
    is_sent: false,
    missed_at: sql`CASE WHEN ${isLate} THEN now() ELSE missed_at END`,
    refused_reason: sql`CASE WHEN ${isLate} THEN ${TOO_LATE} END`,
  });
  const changes = {
    send_at: { from: formatSecond(stored.sendAt.getTime()), to: formatSecond(sendAt.getTime()) },
    ...(elsewhere.length > 0 && { removed: elsewhere.length }),
    taken_back: 1 as const,
  };
  const detail = { reservation_id: id, targets: 0, is_test: test, changes };
  await recordAudit(tx, { accountId, memberId, kind: 'reservation_changed', detail });
  return { reservation: missedAt === null ? 'restored' : 'missed', reservation_id: id, ...count };
}
