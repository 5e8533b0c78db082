import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import mailHead from '#web/components/inline/mail-head.module.css';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { MailBody } from './mail-body.tsx';
import styles from './mail-preview.module.css';
import { MailWarnings } from './mail-warnings.tsx';
import { finishedMail } from './preview-mail.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

interface Props {
  readonly order: MailOrder;
  readonly onClose: () => void;
}

/** Shows the mails of an order, one at a time, as they would be sent now. */
export function MailPreviewDialog({ order, onClose }: Props) {
  const [page, setPage] = useState(1);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(finishedMail(order, page));
  const messages = MAIL_PREVIEW_MESSAGES;
  const { mail: head } = DATA_MESSAGES;
  const total = data?.total ?? order.targets.length;
  const mail = data?.mail;

  return (
    <Dialog title={messages.title} size={760} onClose={onClose}>
      <nav className={styles.pager} aria-label={messages.pager}>
        <Button busy={page <= 1} onClick={() => setPage(page - 1)} data-autofocus={total <= 1 || undefined}>
          {messages.previous}
        </Button>
        <span role="status" className={styles.place}>
          {messages.place(Math.min(page, total), total)}
        </span>
        <Button busy={page >= total} onClick={() => setPage(page + 1)} data-autofocus={total > 1 || undefined}>
          {messages.next}
        </Button>
        {data !== undefined && data.skipped.length > 0 ? (
          <span className={`note ${styles.skipped}`}>{messages.skipped(data.skipped.length)}</span>
        ) : null}
      </nav>
      <div className={styles.mail} aria-busy={isFetching} data-outdated={isPlaceholderData || undefined}>
        {error !== null ? (
          <Notice
            tone="bad"
            role="alert"
            act={<Button onClick={() => void refetch()}>{COMMON_MESSAGES.actions.retry}</Button>}
          >
            {error.message}
          </Notice>
        ) : null}
        {error === null && mail === undefined ? <Loading /> : null}
        {error === null && mail === null ? <EmptyState kind="none" title={messages.none} /> : null}
        {error === null && mail ? (
          <>
            <MailWarnings warnings={mail.warnings} legalFaults={data?.legal_faults} />
            <dl className={mailHead.head}>
              <dt>{messages.company}</dt>
              <dd>{mail.company_name}</dd>
              <dt>{head.subject}</dt>
              <dd className={mailHead.subject}>{mail.subject}</dd>
              <dt>{head.from}</dt>
              <dd>{head.address(mail.from.name, mail.from.address)}</dd>
              <dt>{head.to}</dt>
              <dd>{mail.to}</dd>
            </dl>
            <MailBody text={mail.text} html={mail.html} />
          </>
        ) : null}
      </div>
    </Dialog>
  );
}
