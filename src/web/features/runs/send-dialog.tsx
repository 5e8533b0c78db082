import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LegalFault } from '#domain/law/profile.ts';
import { Button } from '#web/components/button.tsx';
import { type Check, CheckList } from '#web/components/check-list.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { holidays } from '#web/lib/holidays.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CountField, isCount } from './count-field.tsx';
import { LegalErrors, LegalWarnings, type PlaceOf } from './legal-notes.tsx';
import { orderChecks } from './order-checks.ts';
import { OrderFacts } from './order-facts.tsx';
import { hasReservation, isReservation } from './reserve-mail.ts';
import styles from './send-dialog.module.css';
import type { SendOrder } from './send-mail.ts';
import { type DomainWarning, useLegalChecks } from './use-legal-checks.ts';
import { useSendOrder } from './use-send-order.ts';
import { SENDING_MESSAGES } from './words.ts';

const { sending, reserving, real, checks } = SENDING_MESSAGES;

/** For this many companies or more, the user types their number before they get mail. */
const MIN_TYPED_COUNT = 100;

interface OrderDomain {
  readonly checks: readonly Check[];
  /** What a person ticks; null: nothing. */
  readonly warning: DomainWarning | null;
}

interface Found {
  /** Of all mails. Only real mails show them. */
  readonly checks: readonly Check[];
  readonly testChecks: readonly Check[];
  readonly legalFaults: readonly LegalFault[];
}

interface Props {
  readonly order: SendOrder;
  /** What the server has checked; undefined: loading. */
  readonly found: Found | undefined;
  /** What is known of the sender's domain. The dialog does not wait for it. */
  readonly domain: OrderDomain;
  readonly placeOf: PlaceOf;
  /** Where reservations are listed. */
  readonly reservationsPath: string;
  readonly onClose: () => void;
  /** The order was accepted, so the lists have changed. */
  readonly onTaken: () => void;
  /** Gets the run of an accepted send. */
  readonly onAccepted: (sendLogId: number) => void;
}

/** Asks before mail is sent or reserved. After a failure it stays open, so that the same order can be retried. */
export function SendDialog({ order, found, domain, placeOf, reservationsPath, onClose, onTaken, onAccepted }: Props) {
  const [typed, setTyped] = useState('');
  // The button waits for it, because nobody should confirm without the notice.
  const { data: joins = false, isLoading: isNoticeLoading } = useQuery(hasReservation(order));
  const messages = messagesFor(order, joins);
  const targets = order.targets.length;
  const isReal = order.testTo === null;
  const asksNumber = isReal && targets >= MIN_TYPED_COUNT;
  const legal = useLegalChecks(found?.legalFaults, !isReal, domain.warning);

  const { busy, confirm } = useSendOrder({ order, legal, reservationsPath, onClose, onTaken, onAccepted });

  return (
    <Dialog title={messages.title} size={isReal ? 560 : 460} grows onClose={() => !busy && onClose()}>
      <form onSubmit={(event) => void confirm(event)}>
        {isReal ? <RealNotice order={order} /> : null}
        <OrderFacts order={order} />
        {isReal ? (
          <Checks order={order} mailChecks={found?.checks} domainChecks={domain.checks} />
        ) : (
          <TestChecks found={found?.testChecks} />
        )}
        <LegalErrors errors={legal.errors} isTest={!isReal} placeOf={placeOf} />
        <LegalWarnings
          warnings={legal.warnings}
          ticked={legal.ticked}
          onTick={legal.tick}
          isBlocked={isReal && legal.errors.length > 0}
        />
        {asksNumber ? (
          <div className={styles.typed}>
            <CountField targets={targets} typed={typed} onType={setTyped} />
          </div>
        ) : null}
        <Consequence messages={messages} isReal={isReal} joins={joins} />
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
            busy={busy || isNoticeLoading || found === undefined}
            disabled={(asksNumber && !isCount(typed, targets)) || (found !== undefined && !legal.isPassed)}
          >
            {messages.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConsequenceProps {
  readonly messages: { readonly question: string; readonly consequence: string };
  readonly isReal: boolean;
  /** A reservation exists that the targets are added to. */
  readonly joins: boolean;
}

function Consequence({ messages, isReal, joins }: ConsequenceProps) {
  return (
    <>
      <p className={dialog.question}>{messages.question}</p>
      <p className={isReal ? dialog.consequence : styles.test}>{messages.consequence}</p>
      {joins ? (
        <p role="status" className={styles.joins}>
          {reserving.into}
        </p>
      ) : null}
    </>
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

interface ChecksProps {
  readonly order: SendOrder;
  /** undefined: loading. */
  readonly mailChecks: readonly Check[] | undefined;
  readonly domainChecks: readonly Check[];
}

function Checks({ order, mailChecks, domainChecks }: ChecksProps) {
  const [openedAt] = useState(Date.now);
  const { data: names } = useQuery(holidays);
  const loading: readonly Check[] = [{ kind: 'fine', text: checks.loading }];
  return (
    <section className={styles.checks}>
      <h3 className={styles.checksTitle}>{checks.label}</h3>
      <CheckList
        label={checks.label}
        checks={[...orderChecks(order, openedAt, names), ...(mailChecks ?? loading), ...domainChecks]}
      />
    </section>
  );
}

/** Checks of the mails that hold for test sends too. */
const TestChecks = ({ found = [] }: { readonly found: readonly Check[] | undefined }) =>
  found.length === 0 ? null : <CheckList label={checks.label} checks={found} />;

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
