import { type ReactNode, useState } from 'react';
import type { MailParts } from '#web/features/company/mail-parts.ts';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import { answerOf } from '#web/features/send-history/delivery-columns.tsx';
import { DeliveryDialog } from '#web/features/send-history/delivery-dialog.tsx';
import { DeliveryBadge } from '#web/features/send-history/status-badges.tsx';
import { sendPath } from '../paths.ts';
import styles from './company.module.css';

/** What the history of a company shows of mails, and the dialog of one. */
export function useCompanyMails(): { readonly mails: MailParts; readonly dialog: ReactNode } {
  const [shown, setShown] = useState<number | null>(null);
  const mails: MailParts = {
    renderOutcome: ({ state, reason, smtp_reply }) =>
      state === null ? null : (
        <>
          <DeliveryBadge state={state} />
          {state === 'sent' ? null : (
            <span className={styles.answer}>{answerOf({ reason, smtp_reply, delivered_at: null })}</span>
          )}
        </>
      ),
    onShow: setShown,
    runPath: sendPath,
  };
  const dialog =
    shown === null ? null : (
      <DeliveryDialog
        id={shown}
        renderMail={({ text, html }) => <MailBody text={text} html={html} />}
        onClose={() => setShown(null)}
      />
    );
  return { mails, dialog };
}
