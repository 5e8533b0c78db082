import { lazy } from 'react';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import type { DeliveryParts } from '#web/features/send-logs/deliveries/delivery-parts.ts';
import { SuppressionNote, suppressedValue } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_MESSAGES } from '#web/features/suppressions/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';

const LiftDialog = lazy(async () => ({
  default: (await loadPart(() => import('#web/features/suppressions/lift/lift-dialog.tsx'))).LiftDialog,
}));

/** The parts of other features in the dialog of a mail. */
export const DELIVERY_PARTS: DeliveryParts = {
  renderMail: ({ text, html }) => <MailBody text={text} html={html} />,
  renderSuppression: (notice, address, isPart) => <SuppressionNote notice={notice} address={address} isPart={isPart} />,
  liftWord: (notice) => SUPPRESSION_MESSAGES.lift[notice.class === 'undeliverable' ? 'dead' : 'other'],
  renderLift: (notice, address, onClose) => (
    <PartBoundary>
      <LiftDialog row={{ ...notice, value: suppressedValue(notice, address) }} onClose={onClose} />
    </PartBoundary>
  ),
};
