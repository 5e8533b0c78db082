import { renderCandidates } from '#domain/candidate-dates.ts';
import { formatMinute } from '#domain/tokyo-time.ts';
import dialog from '#web/components/dialog-body.module.css';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './send-dialog.module.css';
import type { SendOrder } from './send-mail.ts';

/** What is about to be sent, in the words of the mail. */
export function OrderFacts({ order }: { readonly order: SendOrder }) {
  const { sending, reserving } = WORDS;
  const { sendAt, candidateDates, testTo } = order;
  return (
    <dl className={dialog.facts}>
      <dt>{sending.subject}</dt>
      <dd>{order.subject}</dd>
      <dt>{sending.targets}</dt>
      <dd>{sending.targetCount(order.targets.length)}</dd>
      {sendAt === null ? null : (
        <>
          <dt>{reserving.sendAt}</dt>
          <dd>{withWeekday(formatMinute(sendAt))}</dd>
        </>
      )}
      {candidateDates === null ? null : (
        <>
          <dt>{reserving.candidateDates}</dt>
          <dd className={styles.dates}>{renderCandidates(candidateDates)}</dd>
        </>
      )}
      {order.days > 0 ? null : (
        <>
          <dt>{sending.interval}</dt>
          <dd>{sending.again}</dd>
        </>
      )}
      {testTo === null ? null : (
        <>
          <dt>{sending.testTo}</dt>
          <dd>{testTo}</dd>
        </>
      )}
    </dl>
  );
}
