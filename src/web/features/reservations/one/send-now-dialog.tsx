import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useTimeNote } from '#web/lib/data/group-rules.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { type ReservationDetail, reloadReservation, sendReservationNow } from '../reservation-queries.ts';
import { CHANGE_MESSAGES } from './words.ts';

interface Props {
  readonly detail: ReservationDetail;
  readonly onClose: () => void;
  readonly onSent: (sendLogId: number, startsAt?: string) => void;
  readonly undoSeconds: number | undefined;
  /** Called when it has started or was deleted elsewhere. */
  readonly onGone: () => void;
}

const { sendNow: messages, subject, companies } = CHANGE_MESSAGES;

/** Asks before a reservation is sent at once; outside of its group's hours with a tick. It stays open for a retry. */
export function SendNowDialog({ detail, undoSeconds, onClose, onSent, onGone }: Props) {
  const [busy, setBusy] = useState(false);
  const [isTicked, setTicked] = useState(false);
  const [now] = useState(serverNow);
  const client = useQueryClient();
  const { text, isHeld, unknown } = useTimeNote(detail.test_send_mode === 0 ? detail.group.id : undefined, now);

  const asks = text !== null && !isHeld;

  async function send(): Promise<void> {
    setBusy(true);
    const answer = await sendReservationNow(detail, isTicked ? ['outside_hours'] : undefined);
    await reloadReservation(client, detail.id);
    setBusy(false);
    if (answer.ok) {
      const { send_log_id, starts_at, begins_at, skipped } = answer.data;
      if (skipped.length > 0) toast('info', DATA_MESSAGES.leftOut.skipped(skipped.length));
      if (begins_at !== undefined) toast('success', messages.begins(sentenceTime(begins_at)));
      // A run that can be undone has its own line in place of the toast.
      else if (starts_at === undefined) toast('success', messages.sent);
      onSent(send_log_id, starts_at);
      return;
    }
    if (answer.status !== 401) toast('warning', answer.message);
    if (answer.code === 'reservation_started' || answer.status === 404) onGone();
    // The form then shows the current version.
    else if (answer.code === 'reservation_changed') onClose();
  }

  return (
    <Dialog title={messages.title} onClose={() => !busy && onClose()}>
      <dl className={styles.facts}>
        <dt>{subject}</dt>
        <dd>{detail.sender.subject}</dd>
        <dt>{CHANGE_MESSAGES.group}</dt>
        <dd>{detail.group.group_name}</dd>
        <dt>{CHANGE_MESSAGES.targetsLabel}</dt>
        <dd>{companies(detail.targets)}</dd>
      </dl>
      <div className={styles.between}>
        {unknown === null ? null : <Notice role="status">{messages.hours[unknown]}</Notice>}
        {text === null ? null : (
          <Notice tone={asks ? 'warning' : 'plain'}>
            <p>{text}</p>
            {asks ? (
              <label className="line">
                <input type="checkbox" checked={isTicked} onChange={(event) => setTicked(event.target.checked)} />
                {messages.anyway}
              </label>
            ) : null}
          </Notice>
        )}
      </div>
      <p className={styles.question}>{messages.question}</p>
      <p className={styles.consequence}>
        {messages.consequence}
        {undoSeconds === undefined ? null : DATA_MESSAGES.mail.undoConsequence(undoSeconds)}
      </p>
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
        act={
          <Button
            variant="primary"
            busy={busy || unknown === 'loading'}
            disabled={asks && !isTicked}
            onClick={() => void send()}
          >
            {messages.open}
          </Button>
        }
      />
    </Dialog>
  );
}
