import { type SqlBool, sql } from 'kysely';
import { MAX_RESERVATION_TARGETS } from '#domain/limits.ts';
import type { Tx } from '../../platform/database/db.ts';
import { insertRows, SLICE_ROWS } from '../../platform/database/driver/insert-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';
import type { ListedTarget, Target } from '../runs/order.queries.ts';

/** `followUpOf`: the run that the mail follows up; null: a first mail. */
export type ReservedTarget = Target & { readonly followUpOf: number | null };

interface Reservation {
  readonly accountId: number;
  readonly id: number;
  readonly senderGroupId: number;
  readonly test: boolean;
}

/** Reads a reservation's targets in list order, one slice per statement. */
export async function readTargets(tx: Tx, accountId: number, id: number): Promise<ListedTarget[]> {
  const targets: ListedTarget[] = [];
  let last = { row_index: -1, prospect_id: 0 };
  for (let read = SLICE_ROWS; read === SLICE_ROWS; ) {
    const rows = await tx
      .selectFrom('reservation_target')
      .select(['prospect_id', 'mail_to', 'follow_up_of', 'row_index'])
      .where('account_id', '=', accountId)
      .where('reservation_id', '=', id)
      .where(sql<SqlBool>`(row_index, prospect_id) > (${last.row_index}, ${last.prospect_id})`)
      .orderBy('row_index')
      .orderBy('prospect_id')
      .limit(SLICE_ROWS)
      .execute();
    for (const { prospect_id, mail_to, follow_up_of } of rows) {
      targets.push({ prospect_id, company_email: mail_to ?? undefined, followUpOf: follow_up_of ?? undefined });
    }
    last = rows.at(-1) ?? last;
    read = rows.length;
  }
  return targets;
}

/** Counts a reservation's targets, and those among given prospects. */
export async function countTargets(
  tx: Tx,
  accountId: number,
  id: number,
  prospectIds: readonly number[] = [],
): Promise<{ readonly all: number; readonly given: number }> {
  const { rows } = await sql<{ all: number; given: number }>`
    SELECT count(*)::integer AS all,
      (count(*) FILTER (WHERE prospect_id = ANY(${prospectIds}::bigint[])))::integer AS given
    FROM reservation_target WHERE account_id = ${accountId} AND reservation_id = ${id}`.execute(tx);
  return onlyRow(rows);
}

/**
 * Refuses targets that would make a reservation too large. Its row is locked, so that no other request adds some.
 * @returns null if they fit, or the reservation already has them all
 */
export async function reservationFull(
  tx: Tx,
  accountId: number,
  id: number,
  prospectIds: readonly number[],
): Promise<Problem | null> {
  const { all: has, given } = await countTargets(tx, accountId, id, prospectIds);
  const asked = prospectIds.length - given;
  if (asked === 0 || has + asked <= MAX_RESERVATION_TARGETS) return null;
  const [held, more, most] = [has, asked, MAX_RESERVATION_TARGETS].map((count) => count.toLocaleString('ja-JP'));
  const message =
    `この日時の予約には、すでに${held}社が入っています。1つの予約に入れられるのは${most}社までのため、${more}社を加えられません。` +
    'ほかの日時を選ぶか、会社を減らしてください。';
  const details = Object.entries({ has, asked, most: MAX_RESERVATION_TARGETS }).map(([path, count]) => ({
    path,
    message: String(count),
  }));
  return new Problem('reservation_full', message, undefined, details);
}

/** Lists the targets of an ended real reservation that another pending one of its group has by now. */
export async function reservedElsewhere(tx: Tx, accountId: number, id: number): Promise<number[]> {
  const { rows } = await sql<{ prospect_id: number }>`
    SELECT own.prospect_id FROM reservation_target own
    JOIN reservation_target other ON other.account_id = own.account_id
      AND other.sender_group_id = own.sender_group_id AND other.prospect_id = own.prospect_id
      AND other.pending AND NOT other.test_send_mode
    WHERE own.account_id = ${accountId} AND own.reservation_id = ${id} AND NOT own.test_send_mode`.execute(tx);
  return rows.map(({ prospect_id }) => prospect_id);
}

/** Deletes targets of a reservation, because its start reads all of its rows. */
export async function removeTargets(
  tx: Tx,
  { accountId, id }: Pick<Reservation, 'accountId' | 'id'>,
  prospectIds: readonly number[],
): Promise<void> {
  if (prospectIds.length === 0) return;
  await tx
    .deleteFrom('reservation_target')
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .where('prospect_id', '=', sql<number>`any(${prospectIds}::bigint[])`)
    .execute();
}

/**
 * Appends a reservation's targets to another one, which keeps those that both have.
 * The first one keeps its rows as not pending, like a deleted reservation.
 * @returns how many were added
 */
export async function moveTargets(
  tx: Tx,
  accountId: number,
  { from, into }: { readonly from: number; readonly into: number },
): Promise<number> {
  await freeTargets(tx, accountId, from);
  const { numAffectedRows } = await sql`
    INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode,
      row_index, mail_to, follow_up_of)
    SELECT account_id, ${into}, prospect_id, sender_group_id, test_send_mode,
      row_index + (SELECT coalesce(max(row_index) + 1, 0) FROM reservation_target
        WHERE account_id = ${accountId} AND reservation_id = ${into}),
      mail_to, follow_up_of
    FROM reservation_target WHERE account_id = ${accountId} AND reservation_id = ${from}
    ORDER BY prospect_id
    ON CONFLICT DO NOTHING`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

const TARGET_TYPES = {
  account_id: 'bigint',
  reservation_id: 'bigint',
  prospect_id: 'bigint',
  sender_group_id: 'bigint',
  test_send_mode: 'boolean',
  row_index: 'integer',
  mail_to: 'text',
  follow_up_of: 'bigint',
};

/**
 * Appends targets to a reservation. Unique indexes reject a prospect that this reservation already has. Except in
 * tests, they also reject one in another pending reservation of the group.
 * @returns the ids of the added prospects
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
      // A real mail goes to the prospect's address at the reservation's start.
      mail_to: test ? mail_to : null,
      follow_up_of: followUpOf,
    }))
    // All transactions insert in the same order, so that two with the same prospects do not deadlock.
    .sort((a, b) => a.prospect_id - b.prospect_id);
  const added = await insertRows(tx, 'reservation_target', TARGET_TYPES, rows, (insert) =>
    insert.onConflict((conflict) => conflict.doNothing()).returning('prospect_id'),
  );
  return new Set(added.map(({ prospect_id }) => prospect_id));
}

/** Frees the targets of a started or deleted reservation. @returns how many */
export const freeTargets = (tx: Tx, accountId: number, id: number) => setPending(tx, accountId, id, false);

/** Reserves the targets of a reservation again. @param id no other pending reservation of its group has any of them */
export const reserveAgain = (tx: Tx, accountId: number, id: number) => setPending(tx, accountId, id, true);

async function setPending(tx: Tx, accountId: number, id: number, pending: boolean): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('reservation_target')
    .set({ pending })
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
