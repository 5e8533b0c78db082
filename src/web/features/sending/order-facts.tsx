import { formatDayWithWeekday } from '#domain/calendar.ts';
import { renderCandidates } from '#domain/candidate-dates.ts';
import { dayOf, formatTimeOfDay, minuteOfDay } from '#domain/tokyo-time.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './send-dialog.module.css';
import type { SendOrder } from './send-mail.ts';

/** What is about to be sent, in the words of the mail. */
export function OrderFacts({ order }: { readonly order: SendOrder }) {
  const { sending, reserving } = WORDS;
  const { sendAt, candidateDates, testTo } = order;
  return (
    <dl className={styles.facts}>
      <dt>{sending.subject}</dt>
      <dd>{order.subject}</dd>
      <dt>{sending.targets}</dt>
      <dd>{sending.targetCount(order.targets.length)}</dd>
      {sendAt === null ? null : (
        <>
          <dt>{reserving.sendAt}</dt>
          <dd>{sendAtText(sendAt)}</dd>
        </>
      )}
      {candidateDates === null ? null : (
        <>
          <dt>{reserving.candidateDates}</dt>
          <dd className={styles.dates}>{renderCandidates(candidateDates)}</dd>
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

/** `2026年11月24日(火) 9:00` */
const sendAtText = (sendAt: number): string => {
  const day = dayOf(sendAt);
  return `${day.slice(0, 4)}年${formatDayWithWeekday(day)} ${formatTimeOfDay(minuteOfDay(sendAt))}`;
};
