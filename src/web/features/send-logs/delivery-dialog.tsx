import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { Notice } from '#web/components/notice.tsx';
import { COMPANY } from '#web/lib/query-keys.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { Action } from './actions.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { timeOf } from './delivery-columns.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import { FailedMail } from './failed-mail.tsx';
import { MendForm } from './mend-form.tsx';
import { reloadRun } from './reload-run.ts';
import history from './send-history.module.css';
import { DeliveryBadge } from './status-badges.tsx';
import { deliveryMail, type Mail } from './view-deliveries.ts';
import { CAUSE_MESSAGES, DELIVERY_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly parts: DeliveryParts;
  /** It opens with the form for another address. */
  readonly startsMending?: boolean;
  readonly onClose: () => void;
}

type Fact = readonly [term: string, value: ReactNode];

/** Shows one mail as it was sent, with its outcome and what can be done about it. */
export function DeliveryDialog({ id, parts, startsMending = false, onClose }: Props) {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery(deliveryMail(id));
  const [isMending, setMending] = useState(startsMending);
  const [asked, setAsked] = useState<Action | null>(null);
  const messages = DELIVERY_MESSAGES;
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

  function reload(): void {
    if (data === undefined) return;
    reloadRun(client, data.send_log_id);
    void client.invalidateQueries({ queryKey: [COMPANY, data.prospect_id] });
  }

  if (isMending) {
    return (
      <Dialog title={CAUSE_MESSAGES.mend.title(data.company_name)} size={560} grows onClose={onClose}>
        <MendForm
          mail={data}
          onBack={() => setMending(false)}
          onDone={() => {
            reload();
            onClose();
          }}
        />
      </Dialog>
    );
  }
  return (
    <>
      <Dialog title={messages.mailTitle(data.company_name)} size={760} onClose={onClose}>
        <Outcome mail={data} parts={parts} onMend={() => setMending(true)} onAsk={setAsked} />
        <dl className={styles.facts}>
          {factsOf(data).map(([term, value]) => [<dt key={`${term} term`}>{term}</dt>, <dd key={term}>{value}</dd>])}
        </dl>
        {data.mail === null ? <p>{messages.noMail}</p> : parts.renderMail(data.mail)}
      </Dialog>
      {asked === null ? null : <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={reload} />}
    </>
  );
}

interface OutcomeProps {
  readonly mail: Mail;
  readonly parts: DeliveryParts;
  readonly onMend: () => void;
  readonly onAsk: (action: Action) => void;
}

function Outcome({ mail, parts, onMend, onAsk }: OutcomeProps) {
  const { cause, reason, suppressed } = mail;
  const address = mail.mail?.to;
  const suppression = suppressed === null ? null : parts.renderSuppression(suppressed, address);
  const lift = suppressed === null || address === undefined ? null : parts.renderLift(suppressed, address);
  if (cause !== null && reason === null && mail.state !== 'unknown') {
    return <FailedMail mail={mail} cause={cause} suppression={suppression} lift={lift} onMend={onMend} onAsk={onAsk} />;
  }
  return (
    <div className={`stack ${history.parts}`}>
      {mail.state === 'unknown' ? <Notice tone="warning">{DELIVERY_MESSAGES.unknownHelp}</Notice> : null}
      {suppression}
      {lift}
    </div>
  );
}

function factsOf(data: Mail): readonly Fact[] {
  const { columns, deliveredAt, answer, times } = DELIVERY_MESSAGES;
  const { subject, from, to, address } = COMMON_MESSAGES.mail;
  const { mail, reason, delivered_at, attempts, cause, smtp_reply } = data;
  const all: readonly Fact[] = [
    [columns.state, <DeliveryBadge key="state" state={data.state} />],
    [columns.at, timeOf(data)],
    [columns.attempts, attempts > 1 ? times(attempts) : ''],
    [columns.answer, reason === null ? '' : DELIVERY_REASON_NAMES[reason]],
    // A failed mail shows it beside its cause.
    [answer, cause !== null && reason === null && data.state !== 'unknown' ? '' : (smtp_reply ?? '')],
    [columns.delivered_at, delivered_at === null ? '' : deliveredAt(withWeekday(delivered_at))],
    ...(mail === null
      ? []
      : [
          [subject, mail.subject] as const,
          [from, address(mail.from.name, mail.from.address)] as const,
          [to, mail.to] as const,
        ]),
  ];
  return all.filter(([, value]) => value !== '');
}
