/**
 * The life of one mail: queued → claimed → sending → sent | failed | unknown | cancelled.
 * `sending` starts after the server's 354, before the first byte of the body. `unknown`: the link was lost after the body was
 * handed over, so nobody knows whether the company got the mail; it is never sent again by itself and counts as contacted.
 */
export const DELIVERY_STATES = ['queued', 'claimed', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Still to be decided by a worker. (`unknown` waits for a person, so a run with unknown mails has ended.) */
export const OPEN_STATES = ['queued', 'claimed', 'sending'] as const satisfies readonly DeliveryState[];
