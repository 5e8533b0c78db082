import { SKIP_REASONS } from '#domain/eligibility.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { ReserveAnswer } from './reserve-mail.ts';
import { SENDING_MESSAGES } from './words.ts';

const { leftOut } = COMMON_MESSAGES;
const { reserving } = SENDING_MESSAGES;

/** A line that says how many companies were left out, and why; empty where none was. */
export function leftOutLine(skipped: ReserveAnswer['skipped']): string {
  const reasons = SKIP_REASONS.map((reason) => ({ reason, count: skipped.filter((it) => it.reason === reason).length }))
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => leftOut.reason(leftOut.reasons[reason], count))
    .join(LIST_SEPARATOR);
  return reasons === '' ? '' : `\n${reserving.skipped(skipped.length, reasons)}`;
}

/** What came of a reservation, and why companies were left out. */
export function tellReservation({ status, skipped }: ReserveAnswer): void {
  const more = leftOutLine(skipped);
  if (status === 'added') toast('success', reserving.added + more);
  else if (status === 'updated') toast('success', reserving.updated + more);
  else if (skipped.every(({ reason }) => reason === 'reserved')) toast('warning', reserving.already);
  // Whoever is not reserved is left out for another reason, which is told; where nobody is reserved, nor is that said.
  else
    toast(
      'warning',
      (skipped.some(({ reason }) => reason === 'reserved') ? reserving.already : reserving.nothing) + more,
    );
}
