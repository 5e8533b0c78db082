import type { Tx } from '../../platform/database/db.ts';
import { fieldConflict, type Problem } from '../../platform/problem.ts';

/** Counts the reservations of a sender or a group that have not started. Missed ones hold their targets: they count. */
export async function countPendingReservations(
  tx: Tx,
  accountId: number,
  of: { readonly column: 'sender_id' | 'sender_group_id'; readonly id: number },
): Promise<number> {
  const { count } = await tx
    .selectFrom('reservation')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where(of.column, '=', of.id)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Refuses to deactivate what reservations depend on. */
export function hasReservations(count: number): Problem {
  const message = `予約が${count}件あります。先に予約を削除するか、ほかの送信者に移してください`;
  return fieldConflict('update_info.active', 'has_reservations', message);
}
