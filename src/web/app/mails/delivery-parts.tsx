import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import type { DeliveryParts } from '#web/features/send-logs/deliveries/delivery-parts.ts';
import {
  SuppressionNote,
  type SuppressionNotice,
  suppressedValue,
} from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_MESSAGES } from '#web/features/suppressions/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';

const LiftDialog = lazy(async () => ({
  default: (await loadPart(() => import('#web/features/suppressions/lift/lift-dialog.tsx'))).LiftDialog,
}));

/** The parts of other features in the dialog of a mail. */
export const DELIVERY_PARTS: DeliveryParts = {
  renderMail: ({ text, html }) => <MailBody text={text} html={html} />,
  renderSuppression: (notice, address, isPart) => <SuppressionNote notice={notice} address={address} isPart={isPart} />,
  renderLift: (notice, address) => <Lift notice={notice} address={address} />,
};

function Lift({ notice, address }: { readonly notice: SuppressionNotice; readonly address: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {SUPPRESSION_MESSAGES.lift[notice.class === 'undeliverable' ? 'dead' : 'other']}
      </Button>
      <PartBoundary>
        {isOpen ? (
          <LiftDialog row={{ ...notice, value: suppressedValue(notice, address) }} onClose={() => setOpen(false)} />
        ) : null}
      </PartBoundary>
    </>
  );
}
