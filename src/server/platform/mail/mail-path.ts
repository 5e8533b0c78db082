import type { DkimKey } from './dkim.ts';

/** How mails leave, as far as the DNS of a sender's domain must agree with it. */
export type MailPath =
  | {
      readonly kind: 'smtp';
      /** The name or address of the server that takes our mails. */
      readonly host: string;
      /** The key that signs mails here; null: we sign none. */
      readonly dkim: DkimKey | null;
      /** The domain of the return path; null: that of the sender's address. */
      readonly returnDomain: string | null;
    }
  | {
      readonly kind: 'service';
      readonly name: string;
      /** What the service asks to be included in the SPF of its customers. */
      readonly spfInclude: string;
      /** The selectors of the keys with which it signs for them. */
      readonly selectors: readonly string[];
    };
