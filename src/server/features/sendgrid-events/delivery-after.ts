import type { DeliveryState } from '#domain/delivery-state.ts';
import type { Verdict } from './event-verdict.ts';

/** The fields of a delivery that events change or depend on. */
export interface Delivery {
  readonly state: DeliveryState;
  readonly claimNo: number;
  readonly attempts: number;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly deliveredAt: Date | null;
}

/**
 * Returns a delivery as it is after an event about its claim `claimNo`.
 * Events come repeatedly, late and in any order. A refusal is final for its claim. An event about an earlier claim
 * changes nothing. A queued mail whose last try SendGrid accepted becomes sent, so that it is not sent again.
 * @returns the same object when nothing changes
 */
export function deliveryAfter(delivery: Delivery, verdict: Verdict, claimNo: number): Delivery {
  if (claimNo !== delivery.claimNo || !mayBeAccepted(delivery)) return delivery;
  const { reply } = verdict;
  switch (verdict.kind) {
    case 'refused':
      return { ...delivery, state: 'failed', reason: null, reply, deliveredAt: null };
    case 'accepted': {
      const deliveredAt = delivery.deliveredAt ?? verdict.deliveredAt;
      return delivery.state === 'sent'
        ? { ...delivery, deliveredAt }
        : { ...delivery, state: 'sent', reason: null, reply, deliveredAt };
    }
    case 'unwanted':
      return { ...delivery, state: 'sent', reason: null, reply };
  }
}

/** Checks that SendGrid may have the mail. Queued mails without attempts are new, or failed ones queued again. */
const mayBeAccepted = ({ state, attempts }: Delivery): boolean =>
  ['sending', 'sent', 'unknown'].includes(state) || (state === 'queued' && attempts > 0);
