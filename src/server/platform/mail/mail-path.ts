import type { DkimKey } from './dkim.ts';

/** What the DNS of a sender's domain must agree with for its mails. */
export type MailPath =
  | {
      readonly kind: 'smtp';
      /** The name or address of the server to which mails are submitted. */
      readonly host: string;
      /** The key that signs mails here; null: no mail is signed here. */
      readonly dkim: DkimKey | null;
      /** The domain of the return path; null: the sender address's domain. */
      readonly returnDomain: string | null;
    }
  | {
      readonly kind: 'service';
      readonly name: string;
      /** The include that the service requires in its customers' SPF. */
      readonly spfInclude: string;
      /** The selectors of its keys for its customers. */
      readonly selectors: readonly string[];
    };
