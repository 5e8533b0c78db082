import { SKIP_REASONS } from '#domain/eligibility.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { ReserveAnswer } from './reserve-mail.ts';
import { SENDING_MESSAGES } from './words.ts';

const { leftOut } = COMMON_MESSAGES;
const { reserving } = SENDING_MESSAGES;

/** Returns a line with the number of skipped companies and the reasons; '' if none was skipped. */
export function leftOutLine(skipped: ReserveAnswer['skipped']): string {
  const reasons = SKIP_REASONS.map((reason) => ({ reason, count: skipped.filter((it) => it.reason === reason).length }))
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => leftOut.reason(leftOut.reasons[reason], count))
    .join(LIST_SEPARATOR);
  return reasons === '' ? '' : `\n${reserving.skipped(skipped.length, reasons)}`;
}

/** Shows the result of a reservation, and why companies were left out. */
export function toastReservation({ status, skipped }: ReserveAnswer): void {
  const more = leftOutLine(skipped);
  if (status === 'added') toast('success', reserving.added + more);
  else if (status === 'updated') toast('success', reserving.updated + more);
  else if (skipped.every(({ reason }) => reason === 'reserved')) toast('warning', reserving.already);
  // Some or all companies were left out for other reasons, which the toast lists.
  else
    toast(
      'warning',
      (skipped.some(({ reason }) => reason === 'reserved') ? reserving.already : reserving.nothing) + more,
    );
}
