import type { DeliveryState } from '#domain/delivery-state.ts';
import type { Verdict } from './event-verdict.ts';

/** A mail as events may find it. */
export interface Delivery {
  readonly state: DeliveryState;
  readonly claimNo: number;
  readonly attempts: number;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly deliveredAt: Date | null;
}

/**
 * A mail after an event about its try `claimNo`. Events come twice, late and in any order: a refusal is final for its try, whatever comes
 * after it, and a mail that was taken up for another try since is not touched. One that waits for another try though SendGrid has taken
 * the last one is not sent a second time.
 */
export function deliveryAfter(delivery: Delivery, verdict: Verdict, claimNo: number): Delivery {
  if (claimNo !== delivery.claimNo || !mayHaveBeenTaken(delivery)) return delivery;
  const { reply } = verdict;
  switch (verdict.kind) {
    case 'refused':
      return { ...delivery, state: 'failed', reason: null, reply, deliveredAt: null };
    case 'taken': {
      const deliveredAt = delivery.deliveredAt ?? verdict.deliveredAt;
      return delivery.state === 'sent'
        ? { ...delivery, deliveredAt }
        : { ...delivery, state: 'sent', reason: null, reply, deliveredAt };
    }
    case 'unwanted':
      return { ...delivery, state: 'sent', reason: null, reply };
  }
}

/** In the queue with no try counted are those that were never handed over, and failed ones that begin anew. */
const mayHaveBeenTaken = ({ state, attempts }: Delivery): boolean =>
  ['sending', 'sent', 'unknown'].includes(state) || (state === 'queued' && attempts > 0);
