import type { DeliveryState } from '#domain/sending/delivery-state.ts';

/**
 * A later report about an accepted mail, by an event of SendGrid or by a bounce. `reply` is the text to store with the
 * delivery.
 */
export type LaterVerdict =
  /** The mail was accepted. deliveredAt: by the recipient's server, or null. */
  | { readonly kind: 'accepted'; readonly reply: string; readonly deliveredAt: Date | null }
  /** The mail was not delivered. */
  | { readonly kind: 'refused'; readonly reply: string }
  /** The mail was delivered, and the recipient opted out. */
  | { readonly kind: 'unwanted'; readonly reply: string };

/** The fields of a delivery that later reports read or change. */
export interface Delivery {
  readonly state: DeliveryState;
  readonly claimNo: number;
  readonly attempts: number;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly deliveredAt: Date | null;
}

/**
 * Returns a delivery as it is after a report about its claim `claimNo`.
 * Reports come repeatedly, late and in any order. A refusal is final for its claim. A report about an earlier claim
 * changes nothing. A queued mail whose last try was accepted becomes sent, so that it is not sent again.
 * @returns the same object when nothing changes
 */
export function deliveryAfter(delivery: Delivery, verdict: LaterVerdict, claimNo: number): Delivery {
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

/** Checks that a server may have accepted the mail. A queued mail without attempts is new, or was queued again. */
const mayBeAccepted = ({ state, attempts }: Delivery): boolean =>
  ['sending', 'sent', 'unknown'].includes(state) || (state === 'queued' && attempts > 0);
