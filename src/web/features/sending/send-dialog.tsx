import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { toast } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './send-dialog.module.css';
import { postMail, type SendOrder } from './send-mail.ts';

interface Props {
  readonly order: SendOrder;
  readonly onClose: () => void;
  readonly onAccepted: (sendLogId: number) => void;
}

/** Asks before a mass mail. After a failure it stays, so that the same order can be tried again. */
export function SendDialog({ order, onClose, onAccepted }: Props) {
  const [busy, setBusy] = useState(false);
  const { sending, actions } = WORDS;
  const isTest = order.testTo !== null;

  async function send(): Promise<void> {
    setBusy(true);
    const answer = await postMail(order);
    setBusy(false);
    if (!answer.ok) {
      if (answer.status !== 401) toast('warning', answer.message);
      return;
    }
    const { send_log_id, accepted, skipped } = answer.data;
    onClose();
    if (accepted === 0) toast('warning', sending.nothingSent);
    else {
      if (skipped.length > 0) toast('info', sending.skipped(skipped.length));
      onAccepted(send_log_id);
    }
  }

  return (
    <Dialog title={isTest ? sending.testTitle : sending.title} onClose={() => !busy && onClose()}>
      <dl className={styles.facts}>
        <dt>{sending.subject}</dt>
        <dd>{order.subject}</dd>
        <dt>{sending.targets}</dt>
        <dd>{sending.targetCount(order.targets.length)}</dd>
        {isTest ? (
          <>
            <dt>{sending.testTo}</dt>
            <dd>{order.testTo}</dd>
          </>
        ) : null}
      </dl>
      <p className={styles.question}>{sending.question}</p>
      <p className={isTest ? styles.test : styles.consequence}>
        {isTest ? sending.testConsequence : sending.consequence}
      </p>
      <div className={styles.buttons}>
        <Button busy={busy} onClick={onClose} data-autofocus>
          {actions.cancel}
        </Button>
        <Button variant="primary" busy={busy} onClick={() => void send()}>
          {actions.send}
        </Button>
      </div>
    </Dialog>
  );
}
