import { lazy, useState } from 'react';
import { domainOf } from '#domain/mail/address-key.ts';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import type { DeliveryParts } from '#web/features/send-logs/delivery-parts.ts';
import { SuppressionNote, type SuppressionNotice } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_LIFT_MESSAGES } from '#web/features/suppressions/words.ts';
import { loadPart } from '#web/lib/load-part.ts';
import styles from './company.module.css';

const LiftDialog = lazy(async () => ({
  default: (await loadPart(() => import('#web/features/suppressions/lift-dialog.tsx'))).LiftDialog,
}));

/** What the dialog of a mail shows of other features. */
export const DELIVERY_PARTS: DeliveryParts = {
  renderMail: ({ text, html }) => <MailBody text={text} html={html} />,
  renderSuppression: (notice, address) => <MailSuppression notice={notice} address={address} />,
};

/** Why the address of a mail gets no more, and the act that lifts it. */
function MailSuppression({
  notice,
  address,
}: {
  readonly notice: SuppressionNotice;
  readonly address: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles.suppression}>
      <SuppressionNote notice={notice} address={address} />
      {address === undefined ? null : (
        <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {SUPPRESSION_LIFT_MESSAGES.ofMail}
        </Button>
      )}
      <PartBoundary>
        {isOpen && address !== undefined ? (
          <LiftDialog row={{ ...notice, value: suppressedValue(notice, address) }} onClose={() => setOpen(false)} />
        ) : null}
      </PartBoundary>
    </div>
  );
}

const suppressedValue = ({ kind }: SuppressionNotice, address: string): string =>
  kind === 'domain' ? domainOf(address) : address;
