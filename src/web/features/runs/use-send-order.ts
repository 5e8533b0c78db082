import { type SubmitEvent, useState } from 'react';
import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { useRouter } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { minuteWithWeekday, withWeekday } from '#web/lib/with-weekday.ts';
import { isReservation, postReservation, type Reservation, type ReserveAnswer } from './reserve-mail.ts';
import { postMail, type SendOrder } from './send-mail.ts';
import type { OrderChecks } from './use-order-checks.ts';
import { SENDING_MESSAGES } from './words.ts';

const { leftOut } = DATA_MESSAGES;
const { reserving, sending } = SENDING_MESSAGES;

interface Parts {
  readonly order: SendOrder;
  readonly checks: Pick<OrderChecks, 'acknowledged' | 'accept' | 'refuse'>;
  /** The address of a reservation. */
  readonly reservationPath: (id: number) => string;
  readonly onClose: () => void;
  /** The server has answered, so the lists may have changed. @param isAccepted whether any company gets a mail */
  readonly onTaken: (isAccepted: boolean) => void;
  /** Gets the run of an accepted send, and the end of its undo window. */
  readonly onAccepted: (sendLogId: number, startsAt?: string) => void;
}

/** Sends or reserves an order, and shows the outcome. A refusal keeps the dialog open. */
export function useSendOrder({ order, checks, reservationPath, onClose, onTaken, onAccepted }: Parts) {
  const [busy, setBusy] = useState(false);
  const router = useRouter();

  /** The end of a session has a toast of its own. */
  function showProblem(failure: ApiFailure): void {
    if (!checks.refuse(failure) && failure.status !== 401) toast('warning', failure.message);
  }

  function close(isAccepted: boolean): void {
    if (isAccepted) checks.accept();
    onClose();
    onTaken(isAccepted);
  }

  async function send(): Promise<void> {
    const answer = await postMail(order, checks.acknowledged);
    if (!answer.ok) return showProblem(answer);
    const { send_log_id, skipped, starts_at } = answer.data;
    close(send_log_id !== null);
    if (send_log_id === null) toast('warning', sending.nothing + leftOutLine(skipped));
    else {
      if (skipped.length > 0) toast('info', leftOut.skipped(skipped.length));
      onAccepted(send_log_id, starts_at);
    }
  }

  async function reserve(reservation: Reservation): Promise<void> {
    const answer = await postReservation(reservation, checks.acknowledged);
    if (!answer.ok) return showProblem(answer);
    close(answer.data.status !== 'no-added');
    const { id } = answer.data;
    const onShow = () => void (id !== null && router.navigate(reservationPath(id)));
    toastReservation(answer.data, { sendAt: order.sendAt ?? 0, targets: order.targets.length, onShow });
  }

  async function confirm(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    await (isReservation(order) ? reserve(order) : send());
    setBusy(false);
  }

  return { busy, confirm };
}

/** Returns a line with the number of skipped companies and the reasons; '' if none was skipped. */
function leftOutLine(skipped: ReserveAnswer['skipped']): string {
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
function toastReservation({ status, skipped, ends_about }: ReserveAnswer, { sendAt, targets, onShow }: Reserved): void {
  const more = leftOutLine(skipped);
  if (status === 'added' || status === 'updated') {
    const at = withWeekday(formatMinute(sendAt));
    const end = ends_about === undefined ? '' : `\n${reserving.endsAbout(minuteWithWeekday(ends_about))}`;
    const lines = `${reserving[status]}\n${reserving.summary(at, targets - skipped.length)}${end}${more}`;
    toast('success', lines, undefined, { label: reserving.show, run: onShow });
  } else if (skipped.every(({ reason }) => reason === 'reserved')) toast('warning', reserving.already);
  // Some or all companies were left out for other reasons, which the toast lists.
  else
    toast(
      'warning',
      (skipped.some(({ reason }) => reason === 'reserved') ? reserving.already : reserving.nothing) + more,
    );
}
