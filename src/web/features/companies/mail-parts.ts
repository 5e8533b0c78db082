import type { ReactNode } from 'react';
import type { TimelineEvent } from '#contract/companies/companies.ts';

/** The parts of another feature that show mails. A route passes them in. */
export interface MailParts {
  /** Renders why a mail was not sent: the reason or the server's reply. */
  readonly renderOutcome: (mail: TimelineEvent) => ReactNode;
  readonly onShow: (deliveryId: number) => void;
  readonly runPath: (sendLogId: number) => string;
}
