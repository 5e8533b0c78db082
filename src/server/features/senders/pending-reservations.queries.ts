import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { fieldConflict, type Problem } from '../../platform/problem.ts';

/** Counts the reservations of a sender or a group that have not started. Missed ones hold their targets: they count. */
export const countPendingReservations = (
  tx: Tx,
  accountId: number,
  of: { readonly sender_id: number } | { readonly sender_group_id: number },
): Promise<number> =>
  countRows(tx, 'reservation', ownRows('reservation', accountId, { ...of, active: true, is_sent: false }));

/** Refuses to deactivate what reservations depend on. */
export function hasReservations(count: number): Problem {
  const message = `予約が${count}件あります。先に予約を削除するか、ほかの送信者に移してください`;
  return fieldConflict('update_info.active', 'has_reservations', message);
}
