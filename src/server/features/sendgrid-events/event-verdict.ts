import type { SendGridEvent } from '#contract/sendgrid-events.ts';
import { printable } from '../../platform/mail/outcome.ts';

/** What an event says of a mail. */
export type Verdict =
  /** SendGrid has it. deliveredAt: and the company's server took it then. */
  | { readonly kind: 'taken'; readonly reply: string; readonly deliveredAt: Date | null }
  /** It did not arrive. badAddress: nor will any other mail to that address. */
  | { readonly kind: 'refused'; readonly reply: string; readonly badAddress: boolean }
  /** It arrived, and its reader wants no other. */
  | { readonly kind: 'unwanted'; readonly reply: string };

/** @returns null for events that say nothing of what became of a mail (open, click and others) */
export function verdictOf(event: SendGridEvent): Verdict | null {
  const { event: name, timestamp, type, status, reason, response } = event;
  const reply = (words: string | undefined) => printable(`SendGrid: ${name}${words ? ` (${words})` : ''}`);
  switch (name) {
    case 'processed':
    case 'deferred':
      return { kind: 'taken', reply: reply(response), deliveredAt: null };
    case 'delivered':
      return { kind: 'taken', reply: reply(response), deliveredAt: instantOf(timestamp) };
    case 'bounce':
      return {
        kind: 'refused',
        reply: reply(reason),
        badAddress: type === undefined ? BAD_ADDRESS.test(status ?? '') : type === 'bounce',
      };
    case 'dropped':
      return { kind: 'refused', reply: reply(reason), badAddress: DROPPED_FOR_ADDRESS.has(reason ?? '') };
    case 'spamreport':
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'unwanted', reply: reply(undefined) };
    default:
      return null;
  }
}

/** RFC 3463: X.1.x are faults of the address, X.2.1 a disabled mailbox. */
const BAD_ADDRESS = /^5\.(1\.\d{1,3}|2\.1)$/;

/** SendGrid itself sends nothing to these any more. The other reasons (content, quota) are about the mail or the account. */
const DROPPED_FOR_ADDRESS = new Set(['Bounced Address', 'Spam Reporting Address', 'Unsubscribed Address', 'Invalid']);

/** The year 2100 in epoch seconds: what is beyond is no time that a database should keep. */
const LATEST = 4_102_444_800;

const instantOf = (timestamp: number | undefined): Date =>
  new Date(timestamp !== undefined && timestamp > 0 && timestamp < LATEST ? timestamp * 1000 : Date.now());
