import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import type { FailureCause } from '#domain/sending/failure-cause-names.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { COMPANY } from '#web/lib/api/query-keys.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Action, decisionsOf } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { domainAct, FailedMail, failedMailActs, stepsOf } from '../failed/failed-mail.tsx';
import { companyOf, MendForm } from '../failed/mend-form.tsx';
import { reloadRun } from '../run/reload-run.ts';
import history from '../send-history.module.css';
import { DeliveryBadge } from '../status-badges.tsx';
import { timeOf } from './delivery-columns.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import { deliveryMail, type Mail } from './view-deliveries.ts';
import { DELIVERY_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly parts: DeliveryParts;
  /** Whether the field for another address gets the focus. */
  readonly startsMending?: boolean;
  readonly onClose: () => void;
}

type Fact = readonly [term: string, value: ReactNode];

const messages = DELIVERY_MESSAGES;

/** Fits the four buttons of a dead address in one row, in px. */
const WIDTH = 800;

/** Shows one sent mail with its outcome and the possible actions. */
export function DeliveryDialog({ id, parts, startsMending = false, onClose }: Props) {
  const mail = useQuery(deliveryMail(id));
  const cause = mail.data === undefined ? null : causeOf(mail.data);
  const mayRetry = useMay('retryDelivery', { groupId: mail.data?.sender_group_id });
  const mends = mayRetry && mail.data !== undefined && cause !== null && stepsOf(mail.data, cause).includes('mend');
  const company = useQuery({ ...companyOf(mail.data?.prospect_id ?? 0), enabled: mends });
  if (mail.data === undefined || (mends && company.data === undefined)) {
    const failed = [mail, company].find(({ isError }) => isError);
    return (
      <Dialog title={messages.label} size={WIDTH} onClose={onClose}>
        {failed ? (
          <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />
        ) : (
          <div className={history.mailToCome}>
            <Loading />
          </div>
        )}
      </Dialog>
    );
  }
  return (
    <LoadedMail
      data={mail.data}
      cause={cause}
      company={mends ? company.data : undefined}
      parts={parts}
      startsMending={startsMending}
      onClose={onClose}
    />
  );
}

interface LoadedProps extends Omit<Required<Props>, 'id'> {
  readonly data: Mail;
  /** Why the mail was not delivered; null: it may have been, or was not sent. */
  readonly cause: FailureCause | null;
  /** The company, if another address of it helps; else undefined. */
  readonly company: CompanyDetail | undefined;
}

interface FootProps {
  readonly others: readonly ReactNode[];
  readonly act: ReactNode;
  readonly onClose: () => void;
}

/** The acts on a mail; nothing where there is none. */
function MailFoot({ others, act, onClose }: FootProps) {
  if (others.length === 0 && act === null) return null;
  return (
    <DialogFoot stay={<Button onClick={onClose}>{COMMON_MESSAGES.actions.close}</Button>} others={others} act={act} />
  );
}

/** Returns the buttons that settle an unknown mail, where the member may. */
function useDecisions(data: Mail, onAsk: (action: Action) => void) {
  const mayDecide = useMay('decideUnknown', { groupId: data.sender_group_id });
  return (mayDecide ? decisionsOf(data) : []).map((action) => (
    <Button key={action.button} onClick={() => onAsk(action)}>
      {action.button}
    </Button>
  ));
}

function LoadedMail({ data, cause, company, parts, startsMending, onClose }: LoadedProps) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Action | null>(null);
  const [isLifting, setLifting] = useState(false);
  const { suppressed, mail } = data;
  const mayLift = useMay('liftSuppression');
  const mayDeactivate = useMay('saveActiveProspect', { groupId: data.sender_group_id });
  const address = mail?.to;
  const suppression = suppressed && parts.renderSuppression(suppressed, address, cause !== null);
  const lift = mayLift && suppressed !== null && address !== undefined && (
    <Button key="lift" aria-haspopup="dialog" onClick={() => setLifting(true)}>
      {parts.liftWord(suppressed)}
    </Button>
  );
  const decisions = useDecisions(data, setAsked);
  const others = [
    ...failedMailActs({ mail: data, cause, lift, onAsk: mayDeactivate ? setAsked : undefined }),
    ...decisions,
  ];
  const act = domainAct(data, cause);

  function reload(): void {
    reloadRun(client, data.send_log_id);
    void client.invalidateQueries({ queryKey: [COMPANY, data.prospect_id] });
  }

  const onDone = () => {
    reload();
    onClose();
  };
  return (
    <>
      <Dialog
        title={messages.mailTitle(data.company_name)}
        size={WIDTH}
        grows={company !== undefined}
        onClose={onClose}
      >
        {cause === null ? (
          <div className={`stack ${history.parts}`}>
            {data.state === 'unknown' ? <Notice tone="warning">{messages.unknownHelp}</Notice> : null}
            {suppression}
            {lift}
          </div>
        ) : (
          <FailedMail mail={data} cause={cause} suppression={suppression} />
        )}
        {company === undefined ? (
          <>
            <Content data={data} parts={parts} />
            <MailFoot {...{ others, act, onClose }} />
          </>
        ) : (
          <MendForm mail={data} {...{ company, startsMending, others, onClose, onDone }}>
            <Content data={data} parts={parts} />
          </MendForm>
        )}
      </Dialog>
      {isLifting && suppressed && parts.renderLift(suppressed, address ?? '', () => setLifting(false))}
      {asked && <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={reload} />}
    </>
  );
}

/** Shows the facts of a mail, and the mail. */
function Content({ data, parts }: Pick<LoadedProps, 'data' | 'parts'>) {
  return (
    <>
      <dl className={styles.facts}>
        {factsOf(data).map(([term, value]) => [<dt key={`${term} term`}>{term}</dt>, <dd key={term}>{value}</dd>])}
      </dl>
      {data.mail === null ? <p>{messages.noMail}</p> : parts.renderMail(data.mail)}
    </>
  );
}

/** Returns why the mail was not delivered; null: it may have been, or was not sent. */
const causeOf = ({ cause, reason, state }: Mail) => (reason === null && state !== 'unknown' ? cause : null);

function factsOf(data: Mail): readonly Fact[] {
  const { columns, deliveredAt, answer, times } = DELIVERY_MESSAGES;
  const { subject, from, to, address } = DATA_MESSAGES.mail;
  const { mail, person, reason, delivered_at, attempts, state, smtp_reply } = data;
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
          [to, person === null ? mail.to : address(person.addressee, mail.to)] as const,
        ]),
  ];
  return all.filter(([, value]) => value !== '');
}
