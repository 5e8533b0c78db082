import { lazy, type ReactNode, useState } from 'react';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { MailParts } from '#web/features/companies/mail-parts.ts';
import { reasonText } from '#web/features/send-logs/deliveries/delivery-columns.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';

const MailDialog = lazy(() => loadPart(() => import('./mail-dialog.tsx')));

/** Returns the mails for a company's history, and the dialog of one mail. */
export function useCompanyMails(): { readonly mails: MailParts; readonly dialog: ReactNode } {
  const [shown, setShown] = useState<number | null>(null);
  const mails: MailParts = {
    // The sentence of the line tells the state itself.
    renderOutcome: ({ state, ...mail }) =>
      state === null || state === 'sent' ? null : <span className="note">{reasonText(mail)}</span>,
    onShow: setShown,
    runPath: sendPath,
  };
  const dialog =
    shown === null ? null : (
      <PartBoundary>
        <MailDialog id={shown} onClose={() => setShown(null)} />
      </PartBoundary>
    );
  return { mails, dialog };
}
