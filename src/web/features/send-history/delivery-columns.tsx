import type { DeliveryRow } from '#contract/send-history.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { NAMELY } from '#web/lib/phrase-words.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { WORDS } from '#web/lib/words.ts';
import { type Action, countAsSent, sendAgain } from './actions.ts';
import styles from './send-history.module.css';

const words = HISTORY_WORDS.deliveries;
const reasons = { ...WORDS.attackList.reasons, ...words.reasons };

/** Why it is as it is, in our words or the server's, and when the company's server is known to have it. */
export const answerOf = ({ reason, smtp_reply, delivered_at }: DeliveryRow): string =>
  [
    reason === null ? null : reasons[reason],
    smtp_reply,
    delivered_at === null ? null : words.deliveredAt(withWeekday(delivered_at)),
  ]
    .filter((part) => part !== null)
    .join(NAMELY);

/** When it ended, or when it is tried next. */
export function timeOf({ finished_at, next_try_at, attempts }: DeliveryRow): string {
  if (finished_at !== null) return withWeekday(finished_at);
  return next_try_at !== null && attempts > 0 ? words.nextTry(withWeekday(next_try_at)) : '';
}

interface Handlers {
  readonly onShow: (id: number) => void;
  readonly onAsk: (action: Action) => void;
}

export const deliveryColumns = ({ onShow, onAsk }: Handlers): readonly Column<DeliveryRow>[] => [
  {
    id: 'company_name',
    header: words.columns.company_name,
    width: 200,
    isRowHeader: true,
    render: ({ company_name }) => company_name,
  },
  { id: 'mail_to', header: words.columns.mail_to, width: 190, render: ({ mail_to }) => mail_to ?? '' },
  {
    id: 'state',
    header: words.columns.state,
    width: 90,
    render: ({ state }) => (
      <span className={styles.state} data-state={state}>
        {words.states[state]}
      </span>
    ),
  },
  { id: 'at', header: words.columns.at, width: 210, render: timeOf },
  {
    id: 'attempts',
    header: words.columns.attempts,
    width: 60,
    kind: 'number',
    render: ({ attempts }) => attempts.toLocaleString('ja-JP'),
  },
  { id: 'answer', header: words.columns.answer, width: 250, render: answerOf },
  {
    id: 'actions',
    header: words.columns.actions,
    width: 380,
    render: (mail) => (
      <span className={styles.buttons}>
        <Button variant="quiet" aria-label={words.showOf(mail.company_name)} onClick={() => onShow(mail.id)}>
          {words.show}
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
