import { DeliveryDialog } from '#web/features/send-logs/deliveries/delivery-dialog.tsx';
import { DELIVERY_PARTS } from './delivery-parts.tsx';

interface Props {
  readonly id: number;
  readonly onClose: () => void;
}

/** Shows a mail of a company's history. Its code loads with the first mail that is opened. */
export default function MailDialog({ id, onClose }: Props) {
  return <DeliveryDialog id={id} parts={DELIVERY_PARTS} onClose={onClose} />;
}
