import type { SendGridEvent } from '#contract/answers/sendgrid-events.ts';
import { printable } from '../../platform/mail/outcome.ts';
import type { LaterVerdict } from '../delivery/after-sending/delivery-after.ts';

/** Why a mail's address is suppressed from now on. */
export interface Suppressing {
  readonly class: 'refused' | 'undeliverable';
  readonly source: 'sendgrid' | 'complaint';
}

/** What an event reports about a mail. */
export type Verdict =
  | Extract<LaterVerdict, { kind: 'accepted' }>
  /** suppresses: further mails to this address would fail too. */
  | (Extract<LaterVerdict, { kind: 'refused' }> & { readonly suppresses: Suppressing | null })
  | (Extract<LaterVerdict, { kind: 'unwanted' }> & { readonly suppresses: Suppressing });

const DEAD: Suppressing = { class: 'undeliverable', source: 'sendgrid' };
const COMPLAINT: Suppressing = { class: 'refused', source: 'complaint' };
const UNSUBSCRIBED: Suppressing = { class: 'refused', source: 'sendgrid' };

/** Reads the verdict of an event. @returns null for events without a delivery result, such as open and click */
export function verdictOf(event: SendGridEvent): Verdict | null {
  const { event: name, timestamp, type, status, reason, response } = event;
  const reply = (cause: string | undefined) => printable(`SendGrid: ${name}${cause ? ` (${cause})` : ''}`);
  switch (name) {
    case 'processed':
    case 'deferred':
      return { kind: 'accepted', reply: reply(response), deliveredAt: null };
    case 'delivered':
      return { kind: 'accepted', reply: reply(response), deliveredAt: instantOf(timestamp) };
    case 'bounce':
      return {
        kind: 'refused',
        reply: reply(reason),
        suppresses: (type === undefined ? BAD_ADDRESS.test(status ?? '') : type === 'bounce') ? DEAD : null,
      };
    case 'dropped':
      return { kind: 'refused', reply: reply(reason), suppresses: DROPPED_FOR_ADDRESS.get(reason ?? '') ?? null };
    case 'spamreport':
      return { kind: 'unwanted', reply: reply(undefined), suppresses: COMPLAINT };
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'unwanted', reply: reply(undefined), suppresses: UNSUBSCRIBED };
    default:
      return null;
  }
}

/** RFC 3463: X.1.x are address faults, X.2.1 is a disabled mailbox. */
const BAD_ADDRESS = /^5\.(1\.\d{1,3}|2\.1)$/;

/** SendGrid drops all mail to an address for these reasons. Others (content, quota) concern the mail or the account. */
const DROPPED_FOR_ADDRESS: ReadonlyMap<string, Suppressing> = new Map([
  ['Bounced Address', DEAD],
  ['Invalid', DEAD],
  ['Spam Reporting Address', COMPLAINT],
  ['Unsubscribed Address', UNSUBSCRIBED],
]);

/** Epoch seconds of the year 2100. Later timestamps are treated as faulty. */
const TIMESTAMP_MAX = 4_102_444_800;

/** Converts epoch seconds. A missing or faulty timestamp becomes now. */
const instantOf = (timestamp: number | undefined): Date =>
  new Date(timestamp !== undefined && timestamp > 0 && timestamp < TIMESTAMP_MAX ? timestamp * 1000 : Date.now());
