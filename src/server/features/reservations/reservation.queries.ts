import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { ListConditions } from '#contract/companies/saved-conditions.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';
import { isHeldReservation } from '../delivery/pauses/held.command.ts';
import { listColumns, listConditionsOf } from '../runs/accept.queries.ts';

/** The key of a pending reservation: targets reserved with the same key are added to it. */
export interface ReservationKey {
  readonly accountId: number;
  readonly senderId: number;
  readonly sendAt: Date;
  readonly test: boolean;
  readonly sendTo: SendTo;
}

export interface ReservationContent {
  /** As in the request. Empty: the mails offer no dates. */
  readonly candidates: readonly CandidateDate[];
  readonly daysFromLastday: number;
  /** The list of the targets; undefined: unknown, or several. */
  readonly listConditions: ListConditions;
}

export interface NewReservation extends ReservationKey, ReservationContent {
  /** The reserving member; null: unknown. */
  readonly memberId: number | null;
  readonly senderGroupId: number;
}

export interface PendingReservation extends ReservationContent {
  readonly id: number;
  /** The reservation waits for a member since the database was set back. */
  readonly isHeld: boolean;
}

type ReservationId = Pick<StoredReservation, 'accountId' | 'id'>;

/** Locks the pending reservation with a key against start and deletion. @returns null when there is none */
export async function lockPendingReservation(
  tx: Tx,
  { accountId, senderId, sendAt, test, sendTo }: ReservationKey,
): Promise<PendingReservation | null> {
  const row = await tx
    .selectFrom('reservation')
    .select(['id', 'candidate_dates', 'days_from_lastday', 'list_conditions', 'companies_chosen'])
    .select(isHeldReservation.as('isHeld'))
    .where('account_id', '=', accountId)
    .where('sender_id', '=', senderId)
    .where('send_at', '=', sendAt)
    .where('test_send_mode', '=', test)
    .where('send_to', '=', sendTo)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ? { ...contentOf(row), id: row.id, isHeld: row.isHeld } : null;
}

/** The columns of a reservation's content. */
export const columnsOf = ({ candidates, daysFromLastday, listConditions }: ReservationContent) => ({
  candidate_dates: candidates.length === 0 ? null : JSON.stringify(candidates),
  days_from_lastday: daysFromLastday,
  ...listColumns(listConditions),
});

/** Inserts a reservation without targets. @returns its id */
export async function addReservation(
  tx: Tx,
  { accountId, senderId, sendAt, test, sendTo, memberId, senderGroupId, ...content }: NewReservation,
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
      send_to: sendTo,
      ...columnsOf(content),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A reservation as a change, a deletion or a start reads it under its lock. */
export interface StoredReservation extends NewReservation, PendingReservation {
  readonly active: boolean;
  readonly version: number;
  readonly isStarted: boolean;
  /** The run of a started reservation; null: none, or deleted. */
  readonly sendLogId: number | null;
  /** The member of the last change; null: no change, or the member was deleted. */
  readonly changedBy: string | null;
  readonly changedAt: Date | null;
  /** The reservation that has its targets now; null: not merged. */
  readonly mergedInto: number | null;
}

/** Locks a reservation against changes, start and deletion. @returns null when the account has no such reservation */
export async function lockReservation(tx: Tx, accountId: number, id: number): Promise<StoredReservation | null> {
  const row = await tx
    .selectFrom('reservation')
    .selectAll()
    .select(isHeldReservation.as('isHeld'))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return null;
  // Read after locking: a start that held the lock has committed its run.
  const { rows } = await sql<{ run: number | null; name: string | null; mergedInto: number | null }>`SELECT
    (SELECT min(id) FROM send_log WHERE account_id = ${accountId} AND reservation_id = ${id}) AS run,
    (SELECT name FROM member WHERE account_id = ${accountId} AND id = ${row.changed_by}) AS name,
    (SELECT (detail #>> '{changes,merged_into}')::bigint FROM audit_event
      WHERE account_id = ${accountId} AND detail ->> 'reservation_id' = ${String(id)}
        AND detail #> '{changes,merged_into}' IS NOT NULL
      ORDER BY id DESC LIMIT 1) AS "mergedInto"`.execute(tx);
  const { run, name, mergedInto } = onlyRow(rows);
  return {
    ...keyOf(row),
    ...contentOf(row),
    id,
    memberId: row.member_id,
    senderGroupId: row.sender_group_id,
    isHeld: row.isHeld,
    active: row.active,
    version: row.version,
    isStarted: row.is_sent || run !== null,
    sendLogId: run,
    changedBy: name,
    changedAt: row.changed_at,
    mergedInto,
  };
}

/**
 * Refuses a change of a reservation that has started, was merged or was deleted.
 * @param refused what can no longer be done
 */
export function unchangeable(reservation: StoredReservation, refused: string): Problem | null {
  const { isStarted, sendLogId, active, changedBy, changedAt, mergedInto } = reservation;
  if (isStarted) {
    const message = `この予約の送信はすでに始まっているため、${refused}。送信履歴を確認してください。`;
    const details = sendLogId === null ? undefined : [{ path: 'send_log_id', message: String(sendLogId) }];
    return new Problem('reservation_started', message, undefined, details);
  }
  if (active) return null;
  const who = `${changedBy === null ? 'ほかの人' : `${changedBy}さん`}が`;
  const when = changedAt === null ? '' : `${timeInSentence(changedAt.getTime(), Date.now())}に`;
  const told = (what: string) => `この予約は、${who}${when}${what}。${refused}。`;
  if (mergedInto === null) return new Problem('reservation_changed', told('削除しました'));
  const message = `${told('ほかの予約にまとめました')}まとめた先の予約を確認してください。`;
  const details = [{ path: 'merged_into', message: String(mergedInto) }];
  return new Problem('reservation_changed', message, undefined, details);
}

/** Refuses additions to a reservation that waits for a member: the new companies would wait too. */
export function heldProblem(id: number): Problem {
  const message =
    'この日時には、バックアップから復元した時点の予約があります。その予約を予定どおり送信するか、送信しないかを選んでから、もう一度お試しください。';
  return new Problem('reservation_held', message, undefined, [{ path: 'id', message: String(id) }]);
}

/** Refuses a change by a client that has seen an older version. */
export const changedSince = (reservation: StoredReservation, version: number): Problem | null =>
  reservation.version === version
    ? null
    : changedMeanwhile('reservation_changed', { by: reservation.changedBy, at: reservation.changedAt });

/** The rules for targets that a reservation already has. */
export const ownTargets = ({ id, test }: Pick<StoredReservation, 'id' | 'test'>) => ({
  // Its own targets must not be skipped as reserved.
  exceptReservationId: id,
  // They were chosen before the reply arrived, and wait for its decision.
  holdsDoubted: !test,
});

const keyOf = (
  row: Pick<Selectable<DB['reservation']>, 'account_id' | 'sender_id' | 'send_at' | 'test_send_mode' | 'send_to'>,
) => ({
  accountId: row.account_id,
  senderId: row.sender_id,
  sendAt: row.send_at,
  test: row.test_send_mode,
  sendTo: row.send_to as SendTo,
});

/** Reads a reservation's offered dates and how its targets were chosen. */
export const contentOf = (
  row: Pick<
    Selectable<DB['reservation']>,
    'candidate_dates' | 'days_from_lastday' | 'list_conditions' | 'companies_chosen'
  >,
): ReservationContent => ({
  candidates: (row.candidate_dates ?? []) as unknown as CandidateDate[],
  daysFromLastday: row.days_from_lastday,
  listConditions: listConditionsOf(row),
});

/** Clears `missed` and the hold by a restore. */
export const LET_GO = { missed_at: null, held_by_restore: false } as const;

/** The columns that a change sets. */
type ReservationUpdate = UpdateObject<DB, 'reservation'>;

/** Changes a reservation, by a member (null: unknown). @returns its version, its time, and since when it is missed */
export async function updateReservation(
  tx: Tx,
  { accountId, id }: ReservationId,
  memberId: number | null,
  update: ReservationUpdate,
): Promise<{ readonly version: number; readonly sendAt: Date; readonly missedAt: Date | null }> {
  return tx
    .updateTable('reservation')
    .set({ ...update, version: sql`version + 1`, changed_at: sql`now()`, changed_by: memberId })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(['version', 'send_at as sendAt', 'missed_at as missedAt'])
    .executeTakeFirstOrThrow();
}

/** Deletes a reservation that this transaction inserted and that received no targets. */
export async function removeReservation(tx: Tx, { accountId, id }: ReservationId): Promise<void> {
  await tx.deleteFrom('reservation').where('account_id', '=', accountId).where('id', '=', id).execute();
}

/** Returns the present subject of a sender's mails. */
export async function subjectOf(tx: Tx, accountId: number, senderId: number): Promise<string> {
  const { rows } = await sql<{ readonly subject: string }>`
    SELECT coalesce(sender.subject, mail_template.subject) AS subject
    FROM sender JOIN mail_template
      ON mail_template.account_id = sender.account_id AND mail_template.id = sender.template_id
    WHERE sender.account_id = ${accountId} AND sender.id = ${senderId}`.execute(tx);
  return onlyRow(rows).subject;
}
