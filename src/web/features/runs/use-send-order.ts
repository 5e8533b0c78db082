import { type SubmitEvent, useState } from 'react';
import type { ApiFailure } from '#web/lib/call.ts';
import { useRouter } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/toast.ts';
import { isReservation, postReservation, type Reservation } from './reserve-mail.ts';
import { postMail, type SendOrder } from './send-mail.ts';
import { leftOutLine, toastReservation } from './toast-reservation.ts';
import type { LegalChecks } from './use-legal-checks.ts';
import { SENDING_MESSAGES } from './words.ts';

const { sending } = SENDING_MESSAGES;

interface Parts {
  readonly order: SendOrder;
  readonly legal: LegalChecks;
  /** Where reservations are listed. */
  readonly reservationsPath: string;
  readonly onClose: () => void;
  /** The order was accepted, so the lists have changed. */
  readonly onTaken: () => void;
  /** Gets the run of an accepted send. */
  readonly onAccepted: (sendLogId: number) => void;
}

/** Sends or reserves an order, and shows the outcome. A refusal keeps the dialog open. */
export function useSendOrder({ order, legal, reservationsPath, onClose, onTaken, onAccepted }: Parts) {
  const [busy, setBusy] = useState(false);
  const router = useRouter();

  /** The end of a session has a toast of its own. */
  function showProblem(failure: ApiFailure): void {
    if (!legal.refuse(failure) && failure.status !== 401) toast('warning', failure.message);
  }

  function close(): void {
    legal.accept();
    onClose();
    onTaken();
  }

  async function send(): Promise<void> {
    const answer = await postMail(order, legal.acknowledged);
    if (!answer.ok) return showProblem(answer);
    const { send_log_id, skipped } = answer.data;
    close();
    if (send_log_id === null) toast('warning', sending.nothing + leftOutLine(skipped));
    else {
      if (skipped.length > 0) toast('info', sending.skipped(skipped.length));
      onAccepted(send_log_id);
    }
  }

  async function reserve(reservation: Reservation): Promise<void> {
    const answer = await postReservation(reservation, legal.acknowledged);
    if (!answer.ok) return showProblem(answer);
    close();
    const onShow = () => void router.navigate(reservationsPath);
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
