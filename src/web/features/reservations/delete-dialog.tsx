import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { type AnswerOf, type ApiResult, call } from '#web/lib/api/call.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Reservation, reservationSize } from './list-reservations.ts';
import { RESERVATION_MESSAGES } from './words.ts';

interface Props {
  readonly reservation: Pick<Reservation, 'id' | 'label' | 'isTest' | 'isMissed' | 'isHeld'>;
  /** The subject of the reservation's template. */
  readonly subject: string;
  readonly onClose: () => void;
  /** Called when it is no longer pending, deleted here or elsewhere. */
  readonly onGone: () => void;
}

/** HTTP statuses for a reservation that does not exist, or whose sending has begun. */
const GONE_STATUSES = [404, 409];

/** Asks before a reservation is deleted. After a lost connection it stays open for a retry. */
export default function DeleteDialog({ reservation, subject, onClose, onGone }: Props) {
  const [busy, setBusy] = useState(false);
  const size = useQuery(reservationSize(reservation.id));
  const messages = RESERVATION_MESSAGES;
  const { actions } = COMMON_MESSAGES;

  async function remove(): Promise<void> {
    setBusy(true);
    const answer = await deleteReservation(reservation.id);
    setBusy(false);
    if (answer.ok) toast('success', messages.removed);
    else if (answer.status !== 401) toast('warning', answer.message);
    if (answer.ok || GONE_STATUSES.includes(answer.status)) onGone();
  }

  return (
    <Dialog title={reservation.isTest ? messages.testTitle : messages.title} onClose={() => !busy && onClose()}>
      <dl className={styles.facts}>
        <dt>{messages.sendAt}</dt>
        <dd>{messages.option({ ...reservation, label: sentenceTime(reservation.label) })}</dd>
        <dt>{messages.subject}</dt>
        <dd>{subject}</dd>
        <dt>{messages.companies}</dt>
        <dd>
          {size.isError ? (
            <Button variant="quiet" onClick={() => void size.refetch()}>
              {actions.retry}
            </Button>
          ) : size.data === undefined ? (
            messages.counting
          ) : (
            messages.companyCount(size.data)
          )}
        </dd>
      </dl>
      <p className={styles.consequence}>{messages.consequence}</p>
      <p className={styles.question}>{messages.question}</p>
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" busy={busy || size.data === undefined} onClick={() => void remove()}>
            {messages.remove}
          </Button>
        }
      />
    </Dialog>
  );
}

function deleteReservation(id: number): Promise<ApiResult<AnswerOf<'updateReservation'>>> {
  const body = { update_info: { active: 0 } } as const;
  return call('updateReservation', { params: { id: String(id) }, body });
}
