import { SKIP_REASONS } from './eligibility.ts';

/**
 * The life of one mail: queued → claimed → sending → sent | failed | unknown | cancelled. `sending` starts after the
 * server's 354, before the first byte of the body. `unknown`: the link was lost after the body was handed over, so
 * nobody knows whether the company got the mail; it is never sent again by itself and counts as contacted. Its owner
 * alone moves a mail out of an end: failed or unknown → queued (sent again), unknown → sent (counted as sent).
 */
export const DELIVERY_STATES = ['queued', 'claimed', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Still to be decided by a worker. (`unknown` waits for a person, so a run with unknown mails has ended.) */
export const OPEN_STATES = ['queued', 'claimed', 'sending'] as const satisfies readonly DeliveryState[];

/** What people see: whether a worker holds a waiting mail, or is just handing it over, is all one to them. */
export const SHOWN_STATES = ['queued', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** Why a mail is in its state, where no mail server said so. */
export const DELIVERY_REASONS = [...SKIP_REASONS, 'run_cancelled', 'counted_as_sent'] as const;
export type DeliveryReason = (typeof DELIVERY_REASONS)[number];

/** Who paused a run: its owner, or the mail server that takes no mail of its sender. */
export const PAUSED_BY = ['user', 'sender_refused'] as const;
