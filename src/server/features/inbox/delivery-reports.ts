import type { Email } from 'postal-mime';
import type { InboxMail, RecipientReport } from './inbox-mail.ts';
import { contentOf, fieldOf, parseHeader, reportedAddress } from './parsed-mail.ts';
import { readFailureText } from './text-bounce.ts';

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];

/** The rest of a report above these limits is not read. */
const MAX_GROUPS = 100;
const MAX_STATUS_LENGTH = 64 * 1024;
const MAX_TEXT_LENGTH = 4000;

/** What the servers that received our mail report about it. */
type Reported = Pick<Extract<InboxMail, { kind: 'bounce' }>, 'reports' | 'arrivedAt'>;

/**
 * Reads a delivery status notification (RFC 3464).
 * @param returned the header of our mail in it
 * @returns null for another kind of mail
 */
export async function readDeliveryReports(email: Email, returned: Email | null): Promise<Reported | null> {
  const status = contentOf(email, STATUS_TYPES);
  if (status === null) return null;
  const groups = decoded(status.slice(0, MAX_STATUS_LENGTH)).split(/\r?\n[ \t]*\r?\n/, MAX_GROUPS);
  const headers = await Promise.all(groups.map(parseHeader));
  // The first group describes the message. Without the blank line there is one group for everything.
  const [arrival = null] = headers.flatMap((group) => fieldOf(group, 'arrival-date') ?? []);
  const reports = headers.flatMap((group) => readGroup(group) ?? []);
  const isSilent = headers.every((group) => fieldOf(group, 'action') === null && fieldOf(group, 'status') === null);
  return {
    reports: reports.length === 0 && isSilent ? readFailureText(email) : withReasons(reports, email),
    arrivedAt: instantIn(arrival) ?? receivedAt(returned),
  };
}

/** Decodes ISO-2022-JP, which servers write where RFC 3464 requires ASCII. It is 7-bit, so no byte was lost before. */
const decoded = (status: string): string =>
  status.includes('\u001b') ? new TextDecoder('iso-2022-jp').decode(Buffer.from(status)) : status;

/** Fills failures that lack a readable Diagnostic-Code with the reason from the text part. */
function withReasons(reports: readonly RecipientReport[], email: Email): RecipientReport[] {
  const isWithout = ({ action, text }: RecipientReport) => action === 'failed' && !/[^\s\ufffd]/.test(text);
  if (!reports.some(isWithout)) return [...reports];
  const said = readFailureText(email);
  const isOnly = reports.length === 1 && said.length === 1;
  return reports.map((report) => {
    const names = [report.finalRecipient, report.originalRecipient];
    const own = said.find(({ finalRecipient }) => finalRecipient !== null && names.includes(finalRecipient));
    return isWithout(report) ? { ...report, text: (own ?? (isOnly ? said[0] : null))?.text ?? '' } : report;
  });
}

/** A date with its zone as in RFC 5322. */
const DATE = /\d{1,2} +[a-z]{3} +\d{4} +\d{1,2}:\d\d(?::\d\d)? +(?:[+-]\d{4}|GMT|UTC?|Z)\b/i;
const MAX_DATE_LENGTH = 100;

/** Returns the instant at the end of a field, in epoch milliseconds. */
function instantIn(field: string | null): number | null {
  const [date] = DATE.exec(field?.slice(field.lastIndexOf(';') + 1).slice(0, MAX_DATE_LENGTH) ?? '') ?? [];
  const instant = Date.parse(date ?? '');
  return Number.isNaN(instant) ? null : instant;
}

/** Returns when the last server received a mail. */
export const receivedAt = (mail: Email | null): number | null => mail && instantIn(fieldOf(mail, 'received'));

function readGroup(group: Email): RecipientReport | null {
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fieldOf(group, 'status') ?? '')?.[0] ?? null;
  const text = diagnosticOf(fieldOf(group, 'diagnostic-code'));
  const action = actionOf(fieldOf(group, 'action'), status ?? text);
  if (action === null) return null;
  return {
    action,
    finalRecipient: reportedAddress(fieldOf(group, 'final-recipient')),
    originalRecipient: reportedAddress(fieldOf(group, 'original-recipient')),
    status,
    text,
  };
}

/** @param status the code of the group, or else the server's reply */
function actionOf(action: string | null, status: string): RecipientReport['action'] | null {
  // Some servers omit the action.
  if (action === null) return status.startsWith('5') ? 'failed' : null;
  const word = /^[a-z]+/i.exec(action)?.[0].toLowerCase();
  return word === 'failed' || word === 'delivered' ? word : null;
}

/** Returns the server's words without their type, as in `smtp; 550 …`. */
const diagnosticOf = (field: string | null): string =>
  (field ?? '').slice(0, MAX_TEXT_LENGTH).replace(/^\s*[\w-]{1,20}\s*;\s*/, '');
