import type { ReactNode } from 'react';
import type { AnswerOf } from '#web/lib/api/call.ts';

type Notice = NonNullable<AnswerOf<'getDelivery'>['suppressed']>;

/** What other features know about a mail. A route passes it in. */
export interface DeliveryParts {
  /** Both forms of a mail. */
  readonly renderMail: (mail: { readonly text: string; readonly html: string }) => ReactNode;
  /**
   * Why its address gets no mail.
   * @param address undefined: it is not known any more
   * @param isPart it stands within another message
   */
  readonly renderSuppression: (notice: Notice, address: string | undefined, isPart: boolean) => ReactNode;
  /** The act that lifts the suppression. */
  readonly renderLift: (notice: Notice, address: string) => ReactNode;
}
