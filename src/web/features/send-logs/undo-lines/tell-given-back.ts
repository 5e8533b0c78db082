import type { CallAnswer } from '#contract/call.ts';
import type { steerRun } from '#contract/sending/runs-changes.ts';
import { reservationPath } from '#web/lib/address/paths.ts';
import type { Router } from '#web/lib/router/router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { UNDO_LINE_MESSAGES } from './words.ts';

/**
 * Shows what became of the reservation of a run that was taken back, with the way to it.
 * @param first what is said before; without it, nothing is shown of a run that was no reservation
 */
export function tellGivenBack(
  { reservation, reservation_id, reserved_for, reserved_elsewhere = 0 }: CallAnswer<typeof steerRun>,
  navigate: Router['navigate'],
  first: readonly string[] = [],
): void {
  if (reservation === undefined || reservation_id === undefined) {
    if (first.length > 0) toast('success', first.join('\n'));
    return;
  }
  const { givenBack, reservedElsewhere, seeReservation } = UNDO_LINE_MESSAGES;
  const lines = [
    ...first,
    givenBack[reservation](sentenceTime(reserved_for ?? '')),
    ...(reserved_elsewhere > 0 && reservation !== 'taken' ? [reservedElsewhere(reserved_elsewhere)] : []),
  ];
  const act = { label: seeReservation, run: () => navigate(reservationPath(reservation_id)) };
  toast(reservation === 'restored' ? 'success' : 'warning', lines.join('\n'), undefined, act);
}
