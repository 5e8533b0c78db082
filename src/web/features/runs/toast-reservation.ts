import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/toast.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
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

interface Reserved {
  /** Epoch milliseconds. */
  readonly sendAt: number;
  readonly targets: number;
  /** Opens the reservations. */
  readonly onShow: () => void;
}

/** Shows the result of a reservation with its time, and why companies were left out. */
export function toastReservation({ status, skipped }: ReserveAnswer, { sendAt, targets, onShow }: Reserved): void {
  const more = leftOutLine(skipped);
  if (status === 'added' || status === 'updated') {
    const at = withWeekday(formatMinute(sendAt));
    const lines = `${reserving[status]}\n${reserving.summary(at, targets - skipped.length)}${more}`;
    toast('success', lines, undefined, { label: reserving.show, run: onShow });
  } else if (skipped.every(({ reason }) => reason === 'reserved')) toast('warning', reserving.already);
  // Some or all companies were left out for other reasons, which the toast lists.
  else
    toast(
      'warning',
      (skipped.some(({ reason }) => reason === 'reserved') ? reserving.already : reserving.nothing) + more,
    );
}
