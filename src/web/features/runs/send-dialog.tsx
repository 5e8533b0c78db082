import IconArrowNarrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowNarrowRight.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { renderCandidates } from '#domain/sending/candidate-dates.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { type Check, CheckList } from '#web/components/field/check-list.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies } from '#web/lib/phrases.ts';
import { spokenTime } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CountField, isCount } from './count-field.tsx';
import type { PlaceOf } from './order-checks.ts';
import styles from './send-dialog.module.css';
import { type Found, type RulesFound, useOrderChecks } from './use-order-checks.ts';
import { hasReservation, type SendOrder, useSendOrder } from './use-send-order.ts';
import { SENDING_MESSAGES } from './words.ts';

const { undoConsequence } = DATA_MESSAGES.mail;
const { sending, reserving, real, test, legal, checks: checkMessages, days: dayMessages } = SENDING_MESSAGES;

/** For this many companies or more, the user types their number before they get mail. */
const MIN_TYPED_COUNT = 100;

interface Props {
  readonly order: SendOrder;
  /** What the server has found in the mails; undefined: loading. */
  readonly found: Found | undefined;
  /** What is known of the sender's domain. The dialog does not wait for it. */
  readonly domainChecks: readonly Check[];
  /** What the rules of its group say. The dialog does not wait for it. */
  readonly rules: RulesFound;
  readonly placeOf: PlaceOf;
  /** The address of a reservation. */
  readonly reservationPath: (id: number) => string;
  /** So long a real send can be taken back; 0: it cannot; undefined: unknown. */
  readonly undoSeconds: number | undefined;
  /** Shows the mails of these companies; undefined: all of the order. */
  readonly onShowMails: (prospectIds?: readonly number[]) => void;
  readonly onClose: () => void;
  /** The order was accepted, so the lists have changed. */
  readonly onTaken: (isAccepted: boolean) => void;
  /** Gets the run of an accepted send, and the end of its undo window. */
  readonly onAccepted: (sendLogId: number, startsAt?: string) => void;
}

/** Asks before mail is sent or reserved. After a failure it stays open, so that the same order can be retried. */
export function SendDialog(props: Props) {
  const { order, found, domainChecks, rules, placeOf, undoSeconds, onShowMails, ...after } = props;
  const [typed, setTyped] = useState('');
  // The button waits for it, because nobody should confirm without the notice.
  const { data: joins = false, isLoading: isNoticeLoading } = useQuery(hasReservation(order));
  const messages = messagesFor(order, joins, undoSeconds);
  const targets = order.targets.length;
  const isReal = order.testTo === null;
  const asksNumber = isReal && targets >= MIN_TYPED_COUNT;
  const checks = useOrderChecks({ order, found, domainChecks, rules, placeOf });
  const told = checks.checks.filter(({ ask }) => ask === undefined);
  const asked = checks.checks.filter(({ ask }) => ask !== undefined);
  const { busy, confirm } = useSendOrder({ order, checks, ...after });

  // No tick helps there: what is to be mended stands in view instead.
  const isBlocked = isReal && checks.errors.length > 0;
  const ticks =
    asked.length === 0 ? null : (
      <div>
        <CheckList
          label={checkMessages.ticks}
          checks={asked}
          onShow={onShowMails}
          ticks={{
            label: order.sendAt === null ? checkMessages.tick : checkMessages.tickReserve,
            isTicked: checks.isTicked,
            onTick: checks.tick,
          }}
        />
      </div>
    );

  return (
    <Dialog title={messages.title} size={680} grows isSheet onClose={() => !busy && after.onClose()}>
      <form className={styles.form} onSubmit={(event) => void confirm(event)}>
        {rules.days === null ? null : <Days days={rules.days} />}
        <OrderText order={order} onShowMails={() => onShowMails()} />
        <CheckList
          label={checkMessages.label}
          checks={joins ? [...told, { kind: 'warning', text: reserving.into }] : told}
          onShow={onShowMails}
        />
        {checks.errors.length === 0 ? null : (
          <Errors label={isReal ? legal.errors : legal.testErrors} errors={checks.errors} />
        )}
        {isBlocked ? ticks : null}
        {asksNumber ? <CountField targets={targets} typed={typed} onType={setTyped} /> : null}
        <div className={`stack ${dialog.foot}`}>
          <div>
            <p>{messages.question}</p>
            <p className={dialog.consequence}>{messages.consequence}</p>
          </div>
          {isBlocked ? null : ticks}
          <div className={dialog.buttons}>
            <p role="status" className={dialog.consequence}>
              {busy
                ? messages.progress
                : isBlocked
                  ? messages.blockedHelp
                  : checks.isTickAwaited
                    ? messages.tickHelp
                    : ''}
            </p>
            <Button busy={busy} onClick={after.onClose} data-autofocus>
              {COMMON_MESSAGES.actions.cancel}
            </Button>
            <Button
              type="submit"
              variant={isReal ? 'primary' : 'outline'}
              busy={busy || isNoticeLoading || found === undefined}
              disabled={(asksNumber && !isCount(typed, targets)) || (found !== undefined && !checks.isPassed)}
            >
              {messages.action}
            </Button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}

function Errors({ label, errors }: { readonly label: string; readonly errors: readonly Check[] }) {
  return (
    <div role="alert" className={styles.order}>
      <p className={styles.errors}>{label}</p>
      <CheckList label={label} checks={errors} />
    </div>
  );
}

/** On which days the mails leave, as the first thing that is read below the number of all. */
function Days({ days }: { readonly days: NonNullable<RulesFound['days']> | undefined }) {
  return (
    <div className={styles.days} role="status">
      <IconHourglass size={20} aria-hidden />
      {days === undefined ? (
        <p>{dayMessages.loading}</p>
      ) : (
        <>
          <ul aria-label={dayMessages.label}>
            {days.map(({ day, mails }) => (
              <li key={day}>
                {day} <strong>{companies(mails)}</strong>
              </li>
            ))}
          </ul>
          <p className="note">{dayMessages.help[days.length === 1 ? 'one' : 'several']}</p>
        </>
      )}
    </div>
  );
}

interface OrderTextProps {
  readonly order: SendOrder;
  readonly onShowMails: () => void;
}

/** What is sent, from whom and to whom. */
function OrderText({ order, onShowMails }: OrderTextProps) {
  const { subject, followUpOf, origin, testTo, targets } = order;
  const [first] = targets;
  const to = testTo ?? real.andOthers(first?.company_name ?? '', targets.length - 1);
  return (
    <div className={styles.order}>
      <p className={styles.subject}>{followUpOf === undefined ? subject : sending.followUpSubject}</p>
      <p className={styles.route}>
        <span>
          <span>{DATA_MESSAGES.mail.address(origin.from.name, origin.from.address)}</span>{' '}
          <IconArrowNarrowRight size={16} aria-hidden /> <span>{to}</span>
        </span>
        <Button variant="quiet" onClick={onShowMails}>
          {sending.showMails}
        </Button>
      </p>
      <Facts order={order} />
    </div>
  );
}

type Fact = readonly [term: string, value: ReactNode];

/** What neither the number nor the first company reveals. */
function Facts({ order: { testTo, origin, candidateDates, followUpOf } }: Pick<OrderTextProps, 'order'>) {
  const conditions = followUpOf === undefined ? origin.conditions : [real.followed, ...origin.conditions];
  const facts: readonly Fact[] = [
    ...(testTo === null
      ? [
          [
            real.conditions,
            <ul key="conditions" className={styles.conditions}>
              {(conditions.length === 0 ? [real.everyone] : conditions).map((condition) => (
                <li key={condition}>{condition}</li>
              ))}
            </ul>,
          ] as const,
        ]
      : []),
    ...(testTo === null && origin.bcc !== '' ? [[real.bcc, origin.bcc] as const] : []),
    ...(candidateDates === null
      ? []
      : [
          [
            reserving.candidateDates,
            <div key="dates" className={styles.dates}>
              {renderCandidates(candidateDates)}
            </div>,
          ] as const,
        ]),
  ];
  if (facts.length === 0) return null;
  return (
    <dl className={`${dialog.facts} ${styles.facts}`}>
      {facts.flatMap(([term, value]) => [<dt key={term}>{term}</dt>, <dd key={`${term} value`}>{value}</dd>])}
    </dl>
  );
}

/** @param joins whether a reservation exists that the targets are added to */
function messagesFor(
  { sendAt, testTo, targets: { length: targets } }: SendOrder,
  joins: boolean,
  undoSeconds: Props['undoSeconds'],
) {
  const names = testTo === null ? real : test;
  const { question, tickHelp, blockedHelp, ...messages } =
    sendAt === null
      ? { ...sending, consequence: undoSeconds === undefined ? '' : undoConsequence(undoSeconds) }
      : reserving;
  const shared = {
    question,
    tickHelp,
    blockedHelp,
    consequence: testTo === null ? messages.consequence : sending.testConsequence,
  };
  if (sendAt === null) {
    const action = names.send(targets);
    return { ...shared, title: action, action, progress: DATA_MESSAGES.mail.sending };
  }
  const action = names.reserve(targets);
  const title = reserving.title(spokenTime(sendAt), action);
  return { ...shared, title, action, progress: joins ? reserving.progressUpdate : reserving.progress };
}
