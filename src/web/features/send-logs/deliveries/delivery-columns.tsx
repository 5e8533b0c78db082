import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import type { Run } from '#contract/sending/runs.ts';
import type { DeliveryRow } from '#contract/sending/send-logs.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { causeText, FAILURE_CAUSE_TEXTS } from '#domain/sending/failure-cause-names.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { asButtons, BADGE_EDGES, textColumn, widestOf } from '#web/components/data-table/text-column.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime, sentenceTime } from '#web/lib/screen-time.ts';
import { type Action, decisionsOf } from '../actions.ts';
import styles from '../send-history.module.css';
import { DeliveryBadge } from '../status-badges.tsx';
import { DELIVERY_MESSAGES } from './words.ts';

const messages = DELIVERY_MESSAGES;

type WriteTime = typeof sentenceTime;

/** Returns the plain reason for a mail's state; '' if there is nothing to explain. */
export const reasonText = ({
  reason,
  cause,
  smtp_reply,
}: Pick<DeliveryRow, 'reason' | 'cause' | 'smtp_reply'>): string =>
  reason === null ? causeText(cause, smtp_reply) : DELIVERY_REASON_NAMES[reason];

/** Returns when a mail was finished, or when the next attempt is. */
export function timeOf({ finished_at, next_try_at, attempts }: DeliveryRow, write: WriteTime = sentenceTime): string {
  if (finished_at !== null) return write(finished_at);
  return next_try_at !== null && attempts > 0 ? messages.nextTry(write(next_try_at)) : '';
}

/** The columns that have values. */
interface Shown {
  readonly person: boolean;
  readonly attempts: boolean;
  readonly answer: boolean;
}

/** Returns the shown columns. @param rows undefined: not loaded; the run then decides about the reason */
export const shownColumns = (run: Run, rows: readonly DeliveryRow[] | undefined): Shown => ({
  person: rows?.some(({ person }) => person !== null) ?? run.send_to !== 'company',
  attempts: rows?.some(({ attempts }) => attempts > 1) ?? false,
  answer: rows?.some((mail) => reasonText(mail) !== '') ?? run.sent < run.targets,
});

interface Handlers {
  readonly onShow: (id: number) => void;
  /** Opens the form for another address; undefined: not permitted, or a test, whose addresses are the account's own. */
  readonly onMend: ((id: number) => void) | undefined;
  /** Asks about a decision; undefined: not permitted. */
  readonly onAsk: ((action: Action) => void) | undefined;
}

const WIDEST_STATE = widestOf(Object.values(messages.states));
/** The width of the button behind a reason that shows the server's reply, in px. */
const REPLY_BUTTON = 34;

/** Returns the words of a mail's buttons. */
const labelsOf = (mail: DeliveryRow, { onMend, onAsk }: Handlers): readonly string[] => [
  messages.show,
  ...(onMend !== undefined && canMend(mail) ? [DELIVERY_MESSAGES.mend.short] : []),
  ...(onAsk === undefined ? [] : decisionsOf(mail).map(({ button }) => button)),
];

const allColumns = ({ onShow, onMend, onAsk }: Handlers): readonly Column<DeliveryRow>[] => [
  {
    id: 'company_name',
    header: messages.columns.company_name,
    width: 110,
    fits: ({ company_name }) => company_name,
    most: 360,
    cut: true,
    isRowHeader: true,
    render: ({ prospect_id, company_name }) => <Link to={prospectPath(prospect_id)}>{company_name}</Link>,
  },
  textColumn('person', messages.columns.person, ({ person }) => person?.addressee ?? '', {
    width: 110,
    most: 240,
    cut: true,
  }),
  textColumn('mail_to', messages.columns.mail_to, ({ mail_to }) => mail_to ?? '', {
    width: 110,
    most: 360,
    cut: true,
  }),
  {
    id: 'state',
    header: messages.columns.state,
    width: 48,
    // A constant width, because states change while the table is on screen.
    fits: () => WIDEST_STATE,
    beside: BADGE_EDGES,
    render: ({ state }) => <DeliveryBadge state={state} />,
  },
  // Fits a time before the first mail has one.
  textColumn('at', messages.columns.at, (mail) => timeOf(mail, listTime), { width: 150 }),
  textColumn(
    'attempts',
    messages.columns.attempts,
    ({ attempts }) => (attempts > 1 ? attempts.toLocaleString('ja-JP') : ''),
    { kind: 'number' },
  ),
  {
    id: 'answer',
    header: messages.columns.answer,
    width: 150,
    fits: reasonText,
    beside: REPLY_BUTTON,
    most: 360,
    cut: true,
    render: (mail) => <Reason mail={mail} onShow={onShow} />,
  },
  {
    id: 'actions',
    header: messages.columns.actions,
    width: 48,
    fits: (mail) => asButtons(labelsOf(mail, { onShow, onMend, onAsk })),
    kind: 'acts',
    render: (mail) => (
      <span>
        <Button variant="quiet" aria-label={messages.showOf(mail.company_name)} onClick={() => onShow(mail.id)}>
          {messages.show}
        </Button>
        {onMend !== undefined && canMend(mail) ? (
          <Button
            variant="quiet"
            aria-label={DELIVERY_MESSAGES.mend.shortOf(mail.company_name)}
            onClick={() => onMend(mail.id)}
          >
            {DELIVERY_MESSAGES.mend.short}
          </Button>
        ) : null}
        {onAsk !== undefined
          ? decisionsOf(mail).map((action) => (
              <Button key={action.button} variant="quiet" onClick={() => onAsk(action)}>
                {action.button}
              </Button>
            ))
          : null}
      </span>
    ),
  },
];

/** Returns the columns, without those that have no value. */
export const deliveryColumns = (handlers: Handlers, shown: Shown): readonly Column<DeliveryRow>[] =>
  allColumns(handlers).filter(({ id }) => !(id in shown) || shown[id as keyof Shown]);

const canMend = ({ state, cause, reason, mail_to }: DeliveryRow): boolean =>
  state === 'failed' &&
  reason === null &&
  mail_to !== null &&
  cause !== null &&
  FAILURE_CAUSE_TEXTS[cause].steps.includes('mend');

/** Shows the plain reason, with the server's reply behind a button. */
function Reason({ mail, onShow }: { readonly mail: DeliveryRow; readonly onShow: (id: number) => void }) {
  const text = reasonText(mail);
  if (text === '') return null;
  const { cause, reason, smtp_reply } = mail;
  return (
    <span className="line">
      <span className="cut" title={text}>
        {text}
      </span>
      {smtp_reply === null || cause === null || reason !== null ? null : (
        <Button
          variant="quiet"
          className={styles.info}
          title={smtp_reply}
          aria-label={messages.replyOf(mail.company_name)}
          onClick={() => onShow(mail.id)}
        >
          <IconInfoCircle size={16} aria-hidden />
        </Button>
      )}
    </span>
  );
}
