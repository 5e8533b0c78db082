import type { AccountDb } from '../../platform/database/account-db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/**
 * Deletes a reservation that has not started, and frees its targets. A repeated deletion succeeds.
 * @returns 404 for an unknown reservation, 409 for one that has started
 */
export function cancelReservation(account: AccountDb, reservationId: number): Promise<{ status: 'updated' } | Problem> {
  return account.transaction(async (tx) => {
    // The start of a reservation locks the row too: it either finds the deletion or is found here.
    const reservation = await tx
      .selectFrom('reservation')
      .select(['is_sent', 'active'])
      .where('account_id', '=', account.id)
      .where('id', '=', reservationId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!reservation) return notFound();
    const run = await tx
      .selectFrom('send_log')
      .select('id')
      .where('account_id', '=', account.id)
      .where('reservation_id', '=', reservationId)
      .limit(1)
      .executeTakeFirst();
    if (reservation.is_sent || run) {
      return new Problem(
        409,
        'reservation_started',
        'この予約の送信はすでに始まっているため、削除できません。送信ログを確認してください。',
      );
    }
    if (!reservation.active) return { status: 'updated' };
    await tx
      .updateTable('reservation')
      .set({ active: false })
      .where('account_id', '=', account.id)
      .where('id', '=', reservationId)
      .execute();
    await tx
      .updateTable('reservation_target')
      .set({ pending: false })
      .where('account_id', '=', account.id)
      .where('reservation_id', '=', reservationId)
      .execute();
    const detail = { reservation_id: reservationId };
    await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'reservation_deleted', detail });
    return { status: 'updated' };
  });
}
