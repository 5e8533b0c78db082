import { sql } from 'kysely';
import type { ListConditions } from '#contract/saved-conditions.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import type { Tx } from '../../platform/database/db.ts';
import { listColumns, listConditionsOf } from '../runs/accept.queries.ts';
import type { Target } from '../runs/order.queries.ts';

/** The key of a pending reservation: targets reserved with the same key are added to it. */
export interface ReservationKey {
  readonly accountId: number;
  readonly senderId: number;
  readonly sendAt: Date;
  readonly test: boolean;
}

export interface ReservationContent {
  /** As in the request. Empty: no dates are offered. */
  readonly candidates: readonly CandidateDate[];
  readonly daysFromLastday: number;
  /** From which list the targets come; undefined: unknown, or from several. */
  readonly listConditions: ListConditions;
}

export interface NewReservation extends ReservationKey, ReservationContent {
  /** The member who reserves; null when unknown. */
  readonly memberId: number | null;
  readonly senderGroupId: number;
}

export interface PendingReservation extends ReservationContent {
  readonly id: number;
}

/** `followUpOf`: the run whose mail is followed up; null: a first mail. */
export type ReservedTarget = Target & { readonly followUpOf: number | null };

interface Reservation {
  readonly accountId: number;
  readonly id: number;
  readonly senderGroupId: number;
  readonly test: boolean;
}

/** Locks the pending reservation with a key against start and deletion. @returns null when there is none */
export async function lockPendingReservation(
  tx: Tx,
  { accountId, senderId, sendAt, test }: ReservationKey,
): Promise<PendingReservation | null> {
  const row = await tx
    .selectFrom('reservation')
    .select(['id', 'candidate_dates', 'days_from_lastday', 'list_conditions', 'companies_chosen'])
    .where('account_id', '=', accountId)
    .where('sender_id', '=', senderId)
    .where('send_at', '=', sendAt)
    .where('test_send_mode', '=', test)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const candidates = (row.candidate_dates ?? []) as unknown as CandidateDate[];
  return { id: row.id, candidates, daysFromLastday: row.days_from_lastday, listConditions: listConditionsOf(row) };
}

const columnsOf = ({ candidates, daysFromLastday, listConditions }: ReservationContent) => ({
  candidate_dates: candidates.length === 0 ? null : JSON.stringify(candidates),
  days_from_lastday: daysFromLastday,
  ...listColumns(listConditions),
});

/** Inserts a reservation without targets. @returns its id */
export async function addReservation(
  tx: Tx,
  { accountId, senderId, sendAt, test, memberId, senderGroupId, ...content }: NewReservation,
): Promise<number> {
  const { id } = await tx
    .insertInto('reservation')
    .values({
      account_id: accountId,
      member_id: memberId,
      sender_id: senderId,
      sender_group_id: senderGroupId,
      send_at: sendAt,
      test_send_mode: test,
      ...columnsOf(content),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Replaces the candidate dates, the re-send interval and the list conditions of a reservation. */
export async function updateReservation(
  tx: Tx,
  { accountId, id }: Reservation,
  content: ReservationContent,
): Promise<void> {
  await tx
    .updateTable('reservation')
    .set(columnsOf(content))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a reservation that this transaction inserted and that got no targets. */
export async function removeReservation(tx: Tx, { accountId, id }: Reservation): Promise<void> {
  await tx.deleteFrom('reservation').where('account_id', '=', accountId).where('id', '=', id).execute();
}

/**
 * Appends targets to a reservation.
 * Unique indexes reject a prospect that this reservation has, or, except in a test, another pending one of the group.
 * @returns the ids of the prospects that were added
 */
export async function addTargets(
  tx: Tx,
  { accountId, id, senderGroupId, test }: Reservation,
  targets: readonly ReservedTarget[],
): Promise<Set<number>> {
  if (targets.length === 0) return new Set();
  const { next } = await tx
    .selectFrom('reservation_target')
    .select(({ fn }) => sql<number>`coalesce(${fn.max('row_index')} + 1, 0)`.as('next'))
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .executeTakeFirstOrThrow();
  const rows = targets
    .map(({ prospect_id, row_index, mail_to, followUpOf }) => ({
      account_id: accountId,
      reservation_id: id,
      prospect_id,
      sender_group_id: senderGroupId,
      test_send_mode: test,
      row_index: next + row_index,
      // A real mail goes to the address that the prospect has at the start of the reservation.
      mail_to: test ? mail_to : null,
      follow_up_of: followUpOf,
    }))
    // All transactions insert in the same order, so that two with the same prospects cannot deadlock.
    .sort((a, b) => a.prospect_id - b.prospect_id);
  const added = await tx
    .insertInto('reservation_target')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('prospect_id')
    .execute();
  return new Set(added.map(({ prospect_id }) => prospect_id));
}
