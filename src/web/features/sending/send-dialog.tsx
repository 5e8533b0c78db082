import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { toast } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import { OrderFacts } from './order-facts.tsx';
import { hasReservation, isReservation, postReservation, type Reservation } from './reserve-mail.ts';
import styles from './send-dialog.module.css';
import { postMail, type SendOrder } from './send-mail.ts';
import { leftOutLine, tellReservation } from './tell-reservation.ts';

interface Props {
  readonly order: SendOrder;
  readonly onClose: () => void;
  /** The run of a send that was taken. */
  readonly onAccepted: (sendLogId: number) => void;
  /** A reservation was answered, or a send with nobody left to mail: the lists may have changed. */
  readonly onReserved: () => void;
}

/** Asks before a mass mail or its reservation. After a failure it stays, so that the same order can be tried again. */
export function SendDialog({ order, onClose, onAccepted, onReserved }: Props) {
  const [busy, setBusy] = useState(false);
  const { data: joins = false } = useQuery(hasReservation(order));
  const words = wordsOf(order, joins);

  async function send(): Promise<void> {
    const answer = await postMail(order);
    if (!answer.ok) return refuse(answer);
    const { send_log_id, skipped } = answer.data;
    onClose();
    if (send_log_id === null) {
      toast('warning', WORDS.sending.nothing + leftOutLine(skipped));
      onReserved();
    } else {
      if (skipped.length > 0) toast('info', WORDS.sending.skipped(skipped.length));
      onAccepted(send_log_id);
    }
  }

  async function reserve(reservation: Reservation): Promise<void> {
    const answer = await postReservation(reservation);
    if (!answer.ok) return refuse(answer);
    onClose();
    tellReservation(answer.data);
    onReserved();
  }

  async function confirm(): Promise<void> {
    setBusy(true);
    await (isReservation(order) ? reserve(order) : send());
    setBusy(false);
  }

  return (
    <Dialog title={words.title} onClose={() => !busy && onClose()}>
      <OrderFacts order={order} />
      <p className={dialog.question}>{words.question}</p>
      <p className={order.testTo === null ? dialog.consequence : styles.test}>{words.consequence}</p>
      {isReservation(order) ? (
        // Its place is kept free until it is known: no button moves under a finger.
        <p className={styles.joins} style={{ visibility: joins ? 'visible' : 'hidden' }}>
          {WORDS.reserving.into}
        </p>
      ) : null}
      <div className={dialog.buttons}>
        <span role="status" className={styles.progress}>
          {busy ? words.progress : null}
        </span>
        <Button busy={busy} onClick={onClose} data-autofocus>
          {WORDS.actions.cancel}
        </Button>
        <Button variant="primary" busy={busy} onClick={() => void confirm()}>
          {words.action}
        </Button>
      </div>
    </Dialog>
  );
}

/** The end of a session is told in its own words. */
function refuse({ status, message }: { readonly status: number; readonly message: string }): void {
  if (status !== 401) toast('warning', message);
}

/** @param joins whether a reservation is there that takes the targets in */
function wordsOf({ sendAt, testTo }: SendOrder, joins: boolean) {
  const { sending, reserving, actions } = WORDS;
  const words = sendAt === null ? sending : reserving;
  const isTest = testTo !== null;
  return {
    title: isTest ? words.testTitle : words.title,
    question: words.question,
    consequence: isTest ? sending.testConsequence : words.consequence,
    progress: joins ? reserving.progressUpdate : words.progress,
    action: sendAt === null ? actions.send : actions.reserve,
  };
}
