import IconArrowNarrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowNarrowRight.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { renderCandidates } from '#domain/sending/candidate-dates.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { type Check, CheckList } from '#web/components/field/check-list.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, withNote } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { CountField, isCount } from './count-field.tsx';
import styles from './send-dialog.module.css';
import { type CheckedOrder, type OrderChecks, type RulesFound, useOrderChecks } from './use-order-checks.ts';
import { type AfterOrder, hasReservation, type SendOrder, useSendOrder } from './use-send-order.ts';
import { SENDING_MESSAGES } from './words.ts';

const { undoConsequence } = DATA_MESSAGES.mail;
const { sending, reserving, real, test, legal, checks: checkMessages, days: dayMessages } = SENDING_MESSAGES;

/** For this many companies or more, the user types their number before they get mail. */
const MIN_TYPED_COUNT = 100;

interface Props extends CheckedOrder, AfterOrder {
  /** So long a real send can be taken back; 0: it cannot; undefined: unknown. */
  readonly undoSeconds: number | undefined;
  /** Shows the mails of these companies; undefined: all of the order. */
  readonly onShowMails: (prospectIds?: readonly number[]) => void;
}

/** Asks before mail is sent or reserved. After a failure it stays open, so that the same order can be retried. */
export function SendDialog(props: Props) {
  const { order, found, rules, undoSeconds, onShowMails, onClose } = props;
  const [typed, setTyped] = useState('');
  // The button waits for it, because nobody should confirm without the notice.
  const { data: joins = false, isLoading: isNoticeLoading } = useQuery(hasReservation(order));
  const messages = messagesFor(order, joins, undoSeconds);
  const targets = order.targets.length;
  const isReal = order.testTo === null;
  const asksNumber = isReal && targets >= MIN_TYPED_COUNT;
  const checks = useOrderChecks(props);
  const told = checks.checks.filter(({ ask }) => ask === undefined);
  const { busy, confirm } = useSendOrder({ ...props, checks });

  // No tick helps there: what is to be mended stands in view instead.
  const isBlocked = isReal && checks.errors.length > 0;
  const ticks = <Ticks isNow={order.sendAt === null} checks={checks} onShow={onShowMails} />;

  return (
    <Dialog title={messages.title} size={680} grows isSheet onClose={() => !busy && onClose()}>
      <form className={styles.form} onSubmit={(event) => void confirm(event)}>
        <Days days={rules.days} />
        <OrderText order={order} onShowMails={() => onShowMails()} />
        <Errors label={isReal ? legal.errors : legal.testErrors} errors={checks.errors} />
        {isBlocked ? ticks : null}
        <CheckList
          label={checkMessages.label}
          checks={joins ? [...told, { kind: 'warning', text: reserving.into(targets) }] : told}
          onShow={onShowMails}
        />
        {asksNumber ? <CountField targets={targets} typed={typed} onType={setTyped} /> : null}
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
          act={
            <Button
              type="submit"
              variant={isReal ? 'primary' : 'outline'}
              busy={busy || isNoticeLoading || found === undefined}
              disabled={(asksNumber && !isCount(typed, targets)) || (found !== undefined && !checks.isPassed)}
            >
              {messages.action}
            </Button>
          }
        >
          <div>
            <p>
              <strong>{messages.question}</strong>
            </p>
            <p className={dialog.consequence}>{messages.consequence}</p>
          </div>
          {isBlocked ? null : ticks}
          <p role="status" className={dialog.consequence}>
            {statusOf(messages, busy, isBlocked, checks)}
          </p>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface TicksProps {
  readonly isNow: boolean;
  readonly checks: Pick<OrderChecks, 'checks' | 'isTicked' | 'tick'>;
  readonly onShow: Props['onShowMails'];
}

/** What a person ticks before the mails leave. */
function Ticks({ isNow, checks: { checks, isTicked, tick }, onShow }: TicksProps) {
  const asked = checks.filter(({ ask }) => ask !== undefined);
  if (asked.length === 0) return null;
  const label = isNow ? checkMessages.tick : checkMessages.tickReserve;
  return (
    <div>
      <CheckList label={checkMessages.ticks} checks={asked} onShow={onShow} ticks={{ label, isTicked, onTick: tick }} />
    </div>
  );
}

function Errors({ label, errors }: { readonly label: string; readonly errors: readonly Check[] }) {
  if (errors.length === 0) return null;
  return (
    <div role="alert" className={styles.order}>
      <p className={styles.errors}>{label}</p>
      <CheckList label={label} checks={errors} />
    </div>
  );
}

/** On which days the mails leave, as the first thing that is read below the number of all. */
function Days({ days }: Pick<RulesFound, 'days'>) {
  if (days === null) return null;
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
      <p className={styles.subject}>{followUpOf === undefined ? subject : withNote(subject, sending.followUp)}</p>
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

/** What neither the number nor the first company reveals. */
function Facts({ order }: Pick<OrderTextProps, 'order'>) {
  const { testTo, origin, candidateDates, followUpOf, targets, sendTo, toPrimary = 0 } = order;
  const isReal = testTo === null;
  const ofList = followUpOf === undefined ? origin.conditions : [real.followed, ...origin.conditions];
  const conditions = isReal ? ofList : [];
  const hasBcc = isReal && origin.bcc !== '';
  const toPersons = isReal && (sendTo === 'primary_or_company' || toPrimary > 0);
  if (conditions.length === 0 && !hasBcc && !toPersons && candidateDates === null) return null;
  return (
    <dl className={`${dialog.facts} ${styles.facts}`}>
      {toPersons ? <Fact term={real.mailsTo}>{real.mailsToOf(toPrimary, targets.length - toPrimary)}</Fact> : null}
      {conditions.length === 0 ? null : (
        <Fact term={real.conditions}>
          <ul className={styles.conditions}>
            {conditions.map((condition) => (
              <li key={condition}>{condition}</li>
            ))}
          </ul>
        </Fact>
      )}
      {hasBcc ? <Fact term={real.bcc}>{origin.bcc}</Fact> : null}
      {candidateDates === null ? null : (
        <Fact term={reserving.candidateDates}>
          <div className={styles.dates}>{renderCandidates(candidateDates)}</div>
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);

/** Returns what is under way, or what is to be done before the order can leave; '' for nothing. */
function statusOf(messages: Messages, busy: boolean, isBlocked: boolean, checks: OrderChecks): string {
  if (busy) return messages.progress;
  if (isBlocked) return messages.blockedHelp;
  return checks.isTickAwaited ? messages.tickHelp : '';
}

type Messages = ReturnType<typeof messagesFor>;

/** @param joins whether a reservation exists that the targets are added to */
function messagesFor(
  { sendAt, testTo, targets: { length: targets } }: SendOrder,
  joins: boolean,
  undoSeconds: Props['undoSeconds'],
) {
  const names = testTo === null ? real : test;
  const ofTest = testTo === null ? undefined : sending.testConsequence;
  if (sendAt === null) {
    const action = names.send(targets);
    const undo = undoSeconds === undefined ? '' : undoConsequence(undoSeconds);
    return { ...sending, title: action, action, consequence: ofTest ?? undo, progress: DATA_MESSAGES.mail.sending };
  }
  const action = names.reserve(targets);
  const title = reserving.title(sentenceTime(sendAt), action);
  const progress = joins ? reserving.progressUpdate : reserving.progress;
  return { ...reserving, title, action, consequence: ofTest ?? reserving.consequence, progress };
}
