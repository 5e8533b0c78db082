import { SKIP_REASONS } from './eligibility.ts';

/**
 * The life of one mail: queued → claimed → sending → sent | failed | unknown | cancelled.
 * `sending` starts after the server's 354, before the first byte of the body. `unknown`: the connection was lost after
 * the body was handed over, so the company may have received the mail. No worker retries it, and it counts as
 * contacted. Only a member moves a mail out of a final state: failed or unknown → queued (sent again), unknown → sent
 * (counted as sent).
 */
export const DELIVERY_STATES = ['queued', 'claimed', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** States that a worker still has to end. `unknown` waits for a person, so a run with unknown mails has ended. */
export const OPEN_STATES = ['queued', 'claimed', 'sending'] as const satisfies readonly DeliveryState[];

/** The states shown to users, who need not distinguish queued from claimed mails. */
export const SHOWN_STATES = ['queued', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** The filter of the history of runs. */
export const RUN_STATES = ['sending', 'paused', 'finished'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The reason of a mail's state, if no mail server gave one. */
export const DELIVERY_REASONS = [
  ...SKIP_REASONS,
  'run_cancelled',
  'counted_as_sent',
  'sender_unconfirmed',
  // The rendered mail lacked required legal information.
  'legal_incomplete',
] as const;
export type DeliveryReason = (typeof DELIVERY_REASONS)[number];

/**
 * Who paused a run: a member; the mail server, which refuses all mail of its sender; the recipients' servers, whose
 * bounces refuse our domain; or a restore from a backup in which the run was open.
 */
export const PAUSED_BY = ['user', 'sender_refused', 'policy_bounces', 'dates_over', 'restored'] as const;
export type PausedBy = (typeof PAUSED_BY)[number];
