import type { ReactNode } from 'react';
import { renderCandidates } from '#domain/sending/candidate-dates.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import dialog from '#web/components/dialog-body.module.css';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './send-dialog.module.css';
import type { SendOrder } from './send-mail.ts';
import { SENDING_MESSAGES } from './words.ts';

const { sending, reserving, real } = SENDING_MESSAGES;

type Fact = readonly [term: string, value: ReactNode];

/** Lists the parts of an order before it is sent. */
export function OrderFacts({ order }: { readonly order: SendOrder }) {
  const { sendAt, candidateDates, testTo, followUpOf } = order;
  const facts: readonly Fact[] = [
    [sending.subject, followUpOf === undefined ? order.subject : sending.followUpSubject],
    ...(testTo === null ? originFacts(order) : []),
    ...(sendAt === null ? [] : [[reserving.sendAt, withWeekday(formatMinute(sendAt))] as const]),
    ...(candidateDates === null
      ? []
      : [[reserving.candidateDates, <Dates key="dates" of={candidateDates} />] as const]),
    ...(testTo === null
      ? []
      : [[sending.targets, sending.targetCount(order.targets.length)] as const, [sending.testTo, testTo] as const]),
  ];
  return (
    <dl className={dialog.facts}>
      {facts.flatMap(([term, value]) => [<dt key={term}>{term}</dt>, <dd key={`${term} value`}>{value}</dd>])}
    </dl>
  );
}

function Dates({ of }: { readonly of: NonNullable<SendOrder['candidateDates']> }) {
  return <div className={styles.dates}>{renderCandidates(of)}</div>;
}

/** Returns the sender and the conditions, because the number of targets does not reveal a mistake in them. */
function originFacts({ origin, days, followUpOf }: SendOrder): readonly Fact[] {
  const { from, bcc, groupName } = origin;
  const conditions = followUpOf === undefined ? origin.conditions : [real.followed, ...origin.conditions];
  return [
    [real.from, COMMON_MESSAGES.mail.address(from.name, from.address)],
    ...(bcc === '' ? [] : [[real.bcc, bcc] as const]),
    [real.group, groupName],
    [real.conditions, conditions.length === 0 ? real.everyone : <Conditions key="conditions" of={conditions} />],
    [real.interval, real.days(days)],
  ];
}

function Conditions({ of }: { readonly of: readonly string[] }) {
  return (
    <ul className={styles.conditions}>
      {of.map((condition) => (
        <li key={condition}>{condition}</li>
      ))}
    </ul>
  );
}
