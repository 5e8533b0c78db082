import { sql } from 'kysely';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import type { Tx } from '../../platform/db.ts';
import type { Target } from '../runs/targets.queries.ts';

/** What makes two reservations the same one while neither has been sent. */
export interface ReservationKey {
  readonly accountId: number;
  readonly senderId: number;
  readonly sendAt: Date;
  readonly test: boolean;
}

export interface ReservationContent {
  /** In the form of the wire; none: no dates are offered. */
  readonly candidates: readonly CandidateDate[];
  readonly daysFromLastday: number;
}

export interface PendingReservation extends ReservationContent {
  readonly id: number;
}

interface Reservation {
  readonly accountId: number;
  readonly id: number;
  readonly senderGroupId: number;
  readonly test: boolean;
}

/** Held until the end of the transaction: it is not sent and not deleted in the meantime. */
export async function lockPendingReservation(
  tx: Tx,
  { accountId, senderId, sendAt, test }: ReservationKey,
): Promise<PendingReservation | null> {
  const row = await tx
    .selectFrom('reservation')
    .select(['id', 'candidate_dates', 'days_from_lastday'])
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
  return { id: row.id, candidates, daysFromLastday: row.days_from_lastday };
}

const columnsOf = ({ candidates, daysFromLastday }: ReservationContent) => ({
  candidate_dates: candidates.length === 0 ? null : JSON.stringify(candidates),
  days_from_lastday: daysFromLastday,
});

/** @returns its id */
export async function addReservation(
  tx: Tx,
  {
    accountId,
    senderId,
    sendAt,
    test,
    memberId,
    senderGroupId,
    ...content
  }: ReservationKey & ReservationContent & { readonly memberId: number | null; readonly senderGroupId: number },
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

/** Takes back a reservation of this transaction that nothing could be added to. */
export async function removeReservation(tx: Tx, { accountId, id }: Reservation): Promise<void> {
  await tx.deleteFrom('reservation').where('account_id', '=', accountId).where('id', '=', id).execute();
}

/**
 * Adds targets behind those that are there. The indexes are the last judges of who is taken already: by this reservation, or, but
 * in test mode, by another pending one of the group. @returns the prospects that were added
 */
export async function addTargets(
  tx: Tx,
  { accountId, id, senderGroupId, test }: Reservation,
  targets: readonly Target[],
): Promise<Set<number>> {
  if (targets.length === 0) return new Set();
  const { next } = await tx
    .selectFrom('reservation_target')
    .select(({ fn }) => sql<number>`coalesce(${fn.max('row_index')} + 1, 0)`.as('next'))
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .executeTakeFirstOrThrow();
  const rows = targets
    .map(({ prospect_id, row_index, mail_to }) => ({
      account_id: accountId,
      reservation_id: id,
      prospect_id,
      sender_group_id: senderGroupId,
      test_send_mode: test,
      row_index: next + row_index,
      // A real mail goes to the address the prospect has when it is sent.
      mail_to: test ? mail_to : null,
    }))
    // In one order for everybody: two lists with the same companies must wait for each other, not lock each other out.
    .sort((a, b) => a.prospect_id - b.prospect_id);
  const added = await tx
    .insertInto('reservation_target')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('prospect_id')
    .execute();
  return new Set(added.map(({ prospect_id }) => prospect_id));
}
