import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { answerOf, timeOf } from './delivery-columns.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import history from './send-history.module.css';
import { DeliveryBadge } from './status-badges.tsx';
import { deliveryMail } from './view-deliveries.ts';
import { DELIVERY_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly parts: DeliveryParts;
  readonly onClose: () => void;
}

type Fact = readonly [term: string, value: ReactNode];

/** Shows one mail as it was sent, with its outcome. */
export function DeliveryDialog({ id, parts, onClose }: Props) {
  const { data, isError, refetch } = useQuery(deliveryMail(id));
  const messages = DELIVERY_MESSAGES;
  const { subject, from, to, address } = COMMON_MESSAGES.mail;
  if (data === undefined) {
    return (
      <Dialog title={messages.label} size={760} onClose={onClose}>
        {isError ? (
          <LoadFailed onRetry={() => void refetch()} />
        ) : (
          <div className={history.mailToCome}>
            <Loading />
          </div>
        )}
      </Dialog>
    );
  }
  const { mail } = data;
  const ofMail: readonly Fact[] =
    mail === null
      ? []
      : [
          [subject, mail.subject],
          [from, address(mail.from.name, mail.from.address)],
          [to, mail.to],
        ];
  const all: readonly Fact[] = [
    [messages.columns.state, <DeliveryBadge key="state" state={data.state} />],
    [messages.columns.at, timeOf(data)],
    [messages.answer, answerOf(data)],
    ...ofMail,
  ];
  const facts = all.filter(([, value]) => value !== '');
  return (
    <Dialog title={messages.mailTitle(data.company_name)} size={760} onClose={onClose}>
      {data.state === 'unknown' ? <p className={history.notice}>{messages.unknownHelp}</p> : null}
      {data.suppressed === null ? null : (
        <div className={history.suppression}>{parts.renderSuppression(data.suppressed, mail?.to)}</div>
      )}
      <dl className={styles.facts}>
        {facts.map(([term, value]) => [<dt key={`${term} term`}>{term}</dt>, <dd key={term}>{value}</dd>])}
      </dl>
      {mail === null ? <p>{messages.noMail}</p> : parts.renderMail(mail)}
    </Dialog>
  );
}
