import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { type Check, CheckList } from '#web/components/check-list.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { holidays } from '#web/lib/holidays.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CountField, isCount } from './count-field.tsx';
import { orderChecks } from './order-checks.ts';
import { OrderFacts } from './order-facts.tsx';
import { hasReservation, isReservation, postReservation, type Reservation } from './reserve-mail.ts';
import styles from './send-dialog.module.css';
import { postMail, type SendOrder } from './send-mail.ts';
import { leftOutLine, toastReservation } from './toast-reservation.ts';
import { SENDING_MESSAGES } from './words.ts';

const { sending, reserving, real, checks } = SENDING_MESSAGES;

/** For this many companies or more, the user types their number before they get mail. */
const MIN_TYPED_COUNT = 100;

interface Props {
  readonly order: SendOrder;
  /** The checks of the first mail; undefined: loading. A test run has none. */
  readonly mailChecks: readonly Check[] | undefined;
  readonly onClose: () => void;
  /** The order was accepted, so the lists have changed. */
  readonly onTaken: () => void;
  /** Gets the run of an accepted send. */
  readonly onAccepted: (sendLogId: number) => void;
}

/** Asks before mail is sent or reserved. After a failure it stays open, so that the same order can be retried. */
export function SendDialog({ order, mailChecks, onClose, onTaken, onAccepted }: Props) {
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  // The button waits for it, because nobody should confirm without the notice.
  const { data: joins = false, isLoading: isNoticeLoading } = useQuery(hasReservation(order));
  const messages = messagesFor(order, joins);
  const targets = order.targets.length;
  const isReal = order.testTo === null;
  const asksNumber = isReal && targets >= MIN_TYPED_COUNT;

  async function send(): Promise<void> {
    const answer = await postMail(order);
    if (!answer.ok) return showRefusal(answer);
    const { send_log_id, skipped } = answer.data;
    onClose();
    onTaken();
    if (send_log_id === null) toast('warning', sending.nothing + leftOutLine(skipped));
    else {
      if (skipped.length > 0) toast('info', sending.skipped(skipped.length));
      onAccepted(send_log_id);
    }
  }

  async function reserve(reservation: Reservation): Promise<void> {
    const answer = await postReservation(reservation);
    if (!answer.ok) return showRefusal(answer);
    onClose();
    toastReservation(answer.data);
    onTaken();
  }

  async function confirm(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    await (isReservation(order) ? reserve(order) : send());
    setBusy(false);
  }

  return (
    <Dialog title={messages.title} size={isReal ? 560 : 460} onClose={() => !busy && onClose()}>
      <form onSubmit={(event) => void confirm(event)}>
        {isReal ? <RealNotice order={order} /> : null}
        <OrderFacts order={order} />
        {isReal ? <Checks order={order} mailChecks={mailChecks} /> : null}
        {asksNumber ? (
          <div className={styles.typed}>
            <CountField targets={targets} typed={typed} onType={setTyped} />
          </div>
        ) : null}
        <p className={dialog.question}>{messages.question}</p>
        <p className={isReal ? dialog.consequence : styles.test}>{messages.consequence}</p>
        {joins ? (
          <p role="status" className={styles.joins}>
            {reserving.into}
          </p>
        ) : null}
        <div className={dialog.buttons}>
          <span role="status" className={styles.progress}>
            {busy ? messages.progress : null}
          </span>
          <Button busy={busy} onClick={onClose} data-autofocus>
            {COMMON_MESSAGES.actions.cancel}
          </Button>
          <Button
            type="submit"
            variant={isReal ? 'primary' : 'outline'}
            busy={busy || isNoticeLoading || (isReal && mailChecks === undefined)}
            disabled={asksNumber && !isCount(typed, targets)}
          >
            {messages.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RealNotice({ order }: { readonly order: SendOrder }) {
  return (
    <p className={styles.real}>
      <IconAlertTriangle size={20} aria-hidden />
      <strong>{isReservation(order) ? real.reserveNotice : real.notice}</strong>
      <strong className={styles.companies}>{real.companies(order.targets.length)}</strong>
    </p>
  );
}

function Checks({ order, mailChecks }: Pick<Props, 'order' | 'mailChecks'>) {
  const [openedAt] = useState(Date.now);
  const { data: names } = useQuery(holidays);
  const loading: readonly Check[] = [{ kind: 'fine', text: checks.loading }];
  return (
    <section className={styles.checks}>
      <h3 className={styles.checksTitle}>{checks.label}</h3>
      <CheckList label={checks.label} checks={[...orderChecks(order, openedAt, names), ...(mailChecks ?? loading)]} />
    </section>
  );
}

/** Shows a refusal. The end of a session has a toast of its own. */
function showRefusal({ status, message }: { readonly status: number; readonly message: string }): void {
  if (status !== 401) toast('warning', message);
}

/** @param joins whether a reservation exists that the targets are added to */
function messagesFor({ sendAt, testTo, targets }: SendOrder, joins: boolean) {
  const messages = sendAt === null ? sending : reserving;
  const isTest = testTo !== null;
  const realAction = sendAt === null ? real.send(targets.length) : real.reserve(targets.length);
  const testAction = sendAt === null ? COMMON_MESSAGES.actions.send : COMMON_MESSAGES.actions.reserve;
  return {
    title: isTest ? messages.testTitle : messages.title,
    question: messages.question,
    consequence: isTest ? sending.testConsequence : messages.consequence,
    progress: sendAt === null ? COMMON_MESSAGES.mail.sending : joins ? reserving.progressUpdate : reserving.progress,
    action: isTest ? testAction : realAction,
  };
}
