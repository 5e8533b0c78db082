import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import type { DeliveryParts } from '#web/features/send-history/delivery-parts.ts';
import { SuppressionNote } from '#web/features/suppressions/suppression-note.tsx';
import { suppressionPath } from '../paths.ts';

/** What the dialog of a mail shows of other features. */
export const DELIVERY_PARTS: DeliveryParts = {
  renderMail: ({ text, html }) => <MailBody text={text} html={html} />,
  renderSuppression: (notice, address) => <SuppressionNote notice={notice} listPath={suppressionPath(address)} />,
};
