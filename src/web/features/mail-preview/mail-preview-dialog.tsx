import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import mailHead from '#web/components/inline/mail-head.module.css';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import type { AnswerOf } from '#web/lib/api/call.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { MailBody } from './mail-body.tsx';
import styles from './mail-preview.module.css';
import { MailWarnings } from './mail-warnings.tsx';
import { finishedMail } from './preview-mail.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;

interface Props {
  readonly order: MailOrder;
  readonly onClose: () => void;
}

/** Shows the mails of an order, one at a time, as they would be sent now. */
export default function MailPreviewDialog({ order, onClose }: Props) {
  const [page, setPage] = useState(1);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(finishedMail(order, page));
  const total = data?.total ?? order.targets.length;

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
        {error === null ? (
          <FinishedMail data={data} />
        ) : (
          <Notice
            tone="bad"
            role="alert"
            act={<Button onClick={() => void refetch()}>{COMMON_MESSAGES.actions.retry}</Button>}
          >
            {error.message}
          </Notice>
        )}
      </div>
    </Dialog>
  );
}

/** A mail with what is to be known of it before it is sent; undefined: loading. */
function FinishedMail({ data }: { readonly data: AnswerOf<'previewMail'> | undefined }) {
  if (data === undefined) return <Loading />;
  const { mail, legal_faults } = data;
  if (mail === null) return <EmptyState kind="none" title={messages.none} />;
  const { mail: head } = DATA_MESSAGES;
  return (
    <>
      <MailWarnings warnings={mail.warnings} legalFaults={legal_faults} />
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
  );
}
