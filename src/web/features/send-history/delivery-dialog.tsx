import { useQuery } from '@tanstack/react-query';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { MAIL_PREVIEW_WORDS } from '#web/lib/mail-preview-words.ts';
import { answerOf, timeOf } from './delivery-columns.tsx';
import type { RenderMail } from './delivery-list.tsx';
import history from './send-history.module.css';
import { deliveryMail } from './view-deliveries.ts';

interface Props {
  readonly id: number;
  readonly renderMail: RenderMail;
  readonly onClose: () => void;
}

/** One mail as it was sent, and what came of it. */
export function DeliveryDialog({ id, renderMail, onClose }: Props) {
  const { data, isError, refetch } = useQuery(deliveryMail(id));
  const words = HISTORY_WORDS.deliveries;
  const { subject, from, to, address } = MAIL_PREVIEW_WORDS;
  if (data === undefined) {
    return (
      <Dialog title={words.label} size={760} onClose={onClose}>
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
  const facts = [
    [words.columns.state, words.states[data.state]],
    [words.columns.at, timeOf(data)],
    [words.answer, answerOf(data)],
    ...(mail === null
      ? []
      : [
          [subject, mail.subject],
          [from, address(mail.from.name, mail.from.address)],
          [to, mail.to],
        ]),
  ].filter(([, value]) => value !== '');
  return (
    <Dialog title={words.mailTitle(data.company_name)} size={760} onClose={onClose}>
      {data.state === 'unknown' ? <p className={history.notice}>{words.unknownHelp}</p> : null}
      <dl className={styles.facts}>
        {facts.map(([term, value]) => [<dt key={`${term} term`}>{term}</dt>, <dd key={term}>{value}</dd>])}
      </dl>
      {mail === null ? <p>{words.noMail}</p> : renderMail(mail)}
    </Dialog>
  );
}
