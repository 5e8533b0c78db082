import type { ReactNode } from 'react';
import type { AnswerOf } from '#web/lib/api/call.ts';

type Notice = NonNullable<AnswerOf<'getDelivery'>['suppressed']>;

/** The parts of a mail that other features render. A route passes them in. */
export interface DeliveryParts {
  /** Renders the HTML and the text form of a mail. */
  readonly renderMail: (mail: { readonly text: string; readonly html: string }) => ReactNode;
  /**
   * Renders why its address gets no mail.
   * @param address undefined: no longer stored
   * @param isPart shown within another message
   */
  readonly renderSuppression: (notice: Notice, address: string | undefined, isPart: boolean) => ReactNode;
  /** Returns the word of the button that lifts the suppression. */
  readonly liftWord: (notice: Notice) => string;
  /** Renders the dialog that lifts the suppression. */
  readonly renderLift: (notice: Notice, address: string, onClose: () => void) => ReactNode;
}
