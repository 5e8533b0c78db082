import type { DeliveryRow } from '#contract/send-history.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DETAIL_SEPARATOR } from '#web/lib/phrases.ts';
import { minuteWithWeekday, withWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Action, countAsSent, sendAgain } from './actions.ts';
import styles from './send-history.module.css';
import { DeliveryBadge } from './status-badges.tsx';
import { DELIVERY_MESSAGES } from './words.ts';

const messages = DELIVERY_MESSAGES;
const reasons = { ...COMMON_MESSAGES.leftOut.reasons, ...messages.reasons };

type WriteTime = typeof withWeekday;
type Answered = Pick<DeliveryRow, 'reason' | 'smtp_reply' | 'delivered_at'>;

/** Returns the reason for a mail's state, ours or the server's, and the time of a confirmed delivery. */
export const answerOf = ({ reason, smtp_reply, delivered_at }: Answered, write: WriteTime = withWeekday): string =>
  [
    reason === null ? null : reasons[reason],
    smtp_reply,
    delivered_at === null ? null : messages.deliveredAt(write(delivered_at)),
  ]
    .filter((part) => part !== null)
    .join(DETAIL_SEPARATOR);

/** Returns the same for the list, where a sent mail does not show the server's answer. */
const answerInList = (mail: DeliveryRow): string =>
  answerOf(mail.state === 'sent' ? { ...mail, smtp_reply: null } : mail, minuteWithWeekday);

/** Returns when a mail was finished, or when it will be tried next. */
export function timeOf({ finished_at, next_try_at, attempts }: DeliveryRow, write: WriteTime = withWeekday): string {
  if (finished_at !== null) return write(finished_at);
  return next_try_at !== null && attempts > 0 ? messages.nextTry(write(next_try_at)) : '';
}

interface Handlers {
  readonly onShow: (id: number) => void;
  readonly onAsk: (action: Action) => void;
}

export const deliveryColumns = ({ onShow, onAsk }: Handlers): readonly Column<DeliveryRow>[] => [
  {
    id: 'company_name',
    header: messages.columns.company_name,
    width: 150,
    isRowHeader: true,
    render: ({ company_name }) => company_name,
  },
  { id: 'mail_to', header: messages.columns.mail_to, width: 144, render: ({ mail_to }) => mail_to ?? '' },
  {
    id: 'state',
    header: messages.columns.state,
    width: 104,
    render: ({ state }) => <DeliveryBadge state={state} />,
  },
  { id: 'at', header: messages.columns.at, width: 164, render: (mail) => timeOf(mail, minuteWithWeekday) },
  {
    id: 'attempts',
    header: messages.columns.attempts,
    width: 48,
    kind: 'number',
    render: ({ attempts }) => attempts.toLocaleString('ja-JP'),
  },
  { id: 'answer', header: messages.columns.answer, width: 120, render: answerInList },
  {
    id: 'actions',
    header: messages.columns.actions,
    width: 244,
    render: (mail) => (
      <span className={styles.buttons}>
        <Button variant="quiet" aria-label={messages.showOf(mail.company_name)} onClick={() => onShow(mail.id)}>
          {messages.show}
        </Button>
        {mail.state === 'unknown'
          ? [countAsSent(mail), sendAgain(mail)].map((action) => (
              <Button key={action.button} variant="quiet" onClick={() => onAsk(action)}>
                {action.button}
              </Button>
            ))
          : null}
      </span>
    ),
  },
];
