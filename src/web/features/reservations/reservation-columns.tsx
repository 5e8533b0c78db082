import type { ProspectView } from '#contract/companies/prospects.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import type { Reservation } from './list-reservations.ts';

/** Fits a time and the mark behind it. Constant, so that nothing moves when the reservations load. */
const SEND_AT_WIDTH = 200;

/** Adds a mark to the times of test reservations. */
export function markTests(
  columns: readonly Column<ProspectView>[],
  reservations: readonly Reservation[] = [],
): readonly Column<ProspectView>[] {
  const tests = new Set(reservations.filter(({ isTest }) => isTest).map(({ id }) => id));
  // In this list every row has a reservation.
  return columns.map(({ blank, ...column }) =>
    column.id === 'send_at'
      ? {
          ...column,
          width: SEND_AT_WIDTH,
          render: ({ send_at, reservation_id }) =>
            reservation_id !== null && tests.has(reservation_id) ? (
              <span>
                {send_at} <TestTag />
              </span>
            ) : (
              send_at
            ),
        }
      : { ...column, blank: column.id === 'status' ? undefined : blank },
  );
}
