import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { COMPANY } from '#web/lib/api/query-keys.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import type { Action } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { reloadRun } from '../run/reload-run.ts';
import history from '../send-history.module.css';
import { DeliveryBadge } from '../status-badges.tsx';
import { CAUSE_MESSAGES, DELIVERY_MESSAGES } from '../words.ts';
import { timeOf } from './delivery-columns.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import { FailedMail, FailedMailActs } from './failed-mail.tsx';
import { MendForm } from './mend-form.tsx';
import { deliveryMail, type Mail } from './view-deliveries.ts';

interface Props {
  readonly id: number;
  readonly parts: DeliveryParts;
  /** Whether it opens with the form for another address. */
  readonly startsMending?: boolean;
  readonly onClose: () => void;
}

type Fact = readonly [term: string, value: ReactNode];

/** Shows one sent mail with its outcome and the possible actions. */
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
  const cause = causeOf(data);
  const { suppression, lift } = suppressionOf(data, parts, cause !== null);
  return (
    <>
      <Dialog title={messages.mailTitle(data.company_name)} size={760} onClose={onClose}>
        {cause === null ? (
          <div className={`stack ${history.parts}`}>
            {data.state === 'unknown' ? <Notice tone="warning">{messages.unknownHelp}</Notice> : null}
            {suppression}
            {lift}
          </div>
        ) : (
          <FailedMail mail={data} cause={cause} suppression={suppression} />
        )}
        <dl className={styles.facts}>
          {factsOf(data).map(([term, value]) => [<dt key={`${term} term`}>{term}</dt>, <dd key={term}>{value}</dd>])}
        </dl>
        {data.mail === null ? <p>{messages.noMail}</p> : parts.renderMail(data.mail)}
        {cause === null ? null : (
          <FailedMailActs mail={data} cause={cause} lift={lift} onMend={() => setMending(true)} onAsk={setAsked} />
        )}
      </Dialog>
      {asked === null ? null : <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={reload} />}
    </>
  );
}

/** Returns why the mail was not delivered; null: it may have been, or was not sent. */
const causeOf = ({ cause, reason, state }: Mail) => (reason === null && state !== 'unknown' ? cause : null);

/** Returns what suppresses the mail's address, and how to undo that. @param isPart shown within another message */
function suppressionOf({ suppressed, mail }: Mail, parts: DeliveryParts, isPart: boolean) {
  if (suppressed === null) return { suppression: null, lift: null };
  const address = mail?.to;
  return {
    suppression: parts.renderSuppression(suppressed, address, isPart),
    lift: address === undefined ? null : parts.renderLift(suppressed, address),
  };
}

function factsOf(data: Mail): readonly Fact[] {
  const { columns, deliveredAt, answer, times } = DELIVERY_MESSAGES;
  const { subject, from, to, address } = DATA_MESSAGES.mail;
  const { mail, reason, delivered_at, attempts, state, smtp_reply } = data;
  const cause = causeOf(data);
  const all: readonly Fact[] = [
    // For a failed mail the state and the reply are shown beside its cause.
    [columns.state, cause !== null && state === 'failed' ? '' : <DeliveryBadge key="state" state={state} />],
    [columns.at, timeOf(data)],
    [columns.attempts, attempts > 1 ? times(attempts) : ''],
    [columns.answer, reason === null ? '' : DELIVERY_REASON_NAMES[reason]],
    [answer, cause === null ? (smtp_reply ?? '') : ''],
    [columns.delivered_at, delivered_at === null ? '' : deliveredAt(sentenceTime(delivered_at))],
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
