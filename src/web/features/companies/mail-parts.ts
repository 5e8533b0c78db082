import type { ReactNode } from 'react';
import type { TimelineEvent } from '#contract/companies/companies.ts';

/** What another feature knows about mails. A route passes it in. */
export interface MailParts {
  /** The state of a mail, with its reason or the server's answer. */
  readonly renderOutcome: (mail: TimelineEvent) => ReactNode;
  readonly onShow: (deliveryId: number) => void;
  readonly runPath: (sendLogId: number) => string;
}
