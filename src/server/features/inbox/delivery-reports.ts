import type { Email } from 'postal-mime';
import { addressKey } from '#domain/address-key.ts';
import type { InboxMail, RecipientReport } from './inbox-mail.ts';
import { contentOf, fieldOf, ownSubjectOf, parseHeader, reportedAddress, textOf } from './parsed-mail.ts';

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];

/** Above these the rest of a report is not read. */
const MAX_GROUPS = 100;
const MAX_STATUS_LENGTH = 64 * 1024;
const MAX_TEXT_LENGTH = 4000;

/** What the servers that had our mail report about it. */
type Reported = Pick<Extract<InboxMail, { kind: 'bounce' }>, 'reports' | 'arrivedAt'>;

/**
 * Reads a delivery status notification (RFC 3464).
 * @param returned the header of our mail in it
 * @returns null for a mail that is none
 */
export async function readDeliveryReports(email: Email, returned: Email | null): Promise<Reported | null> {
  const status = contentOf(email, STATUS_TYPES);
  if (status === null) return null;
  const groups = status.slice(0, MAX_STATUS_LENGTH).split(/\r?\n[ \t]*\r?\n/, MAX_GROUPS);
  const headers = await Promise.all(groups.map(parseHeader));
  // The first group describes the message. Servers that leave the blank line out have one group for all.
  const [arrival = null] = headers.flatMap((group) => fieldOf(group, 'arrival-date') ?? []);
  return {
    reports: headers.flatMap((group) => readGroup(group) ?? []),
    arrivedAt: instantIn(arrival) ?? receivedAt(returned),
  };
}

/** A date with its zone, as RFC 5322 writes it. */
const DATE = /\d{1,2} +[a-z]{3} +\d{4} +\d{1,2}:\d\d(?::\d\d)? +(?:[+-]\d{4}|GMT|UTC?|Z)\b/i;
const MAX_DATE_LENGTH = 100;

/** Returns the instant at the end of a field. In epoch milliseconds */
function instantIn(field: string | null): number | null {
  const [date] = DATE.exec(field?.slice(field.lastIndexOf(';') + 1).slice(0, MAX_DATE_LENGTH) ?? '') ?? [];
  const instant = Date.parse(date ?? '');
  return Number.isNaN(instant) ? null : instant;
}

/** Returns when the last server received a mail. */
const receivedAt = (mail: Email | null): number | null => mail && instantIn(fieldOf(mail, 'received'));

function readGroup(group: Email): RecipientReport | null {
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fieldOf(group, 'status') ?? '')?.[0] ?? null;
  const action = actionOf(fieldOf(group, 'action'), status);
  if (action === null) return null;
  return {
    action,
    finalRecipient: reportedAddress(fieldOf(group, 'final-recipient')),
    originalRecipient: reportedAddress(fieldOf(group, 'original-recipient')),
    status,
    text: diagnosticOf(fieldOf(group, 'diagnostic-code')),
  };
}

function actionOf(action: string | null, status: string | null): RecipientReport['action'] | null {
  // Some servers leave it out.
  if (action === null) return status?.startsWith('5') ? 'failed' : null;
  const word = /^[a-z]+/i.exec(action)?.[0].toLowerCase();
  return word === 'failed' || word === 'delivered' ? word : null;
}

/** Returns the server's words without their type, as in `smtp; 550 …`. */
const diagnosticOf = (field: string | null): string =>
  (field ?? '').slice(0, MAX_TEXT_LENGTH).replace(/^\s*[\w-]{1,20}\s*;\s*/, '');

/** Senders and subjects of bounces that are no reports: qmail, old Exchange and Japanese providers. */
const SYSTEM_SENDER = /^(?:mailer-daemon|postmaster|mail-daemon|mailadmin|mail-administrator|microsoftexchange\w*)@/i;
const JAPANESE_BOUNCE_SUBJECT = /(?:配信|配送|送信)(?:不能|でき(?:ませ|なか|ず)|に失敗)|届きませんでした|エラーメール/;
const BOUNCE_SUBJECTS = [
  /failure notice|undeliver|returned mail|delivery (?:status|failure|has failed)/i,
  /mail (?:delivery|system) (?:failed|error)/i,
  JAPANESE_BOUNCE_SUBJECT,
];
const QMAIL = /^Hi\. This is the .{0,40}(?:qmail-send|deliver) program/;

/** The server goes on trying: nothing has ended. */
const DELAYED = [
  /not yet been delivered|has been delayed|warning message only|no action is required on your part/i,
  /will (?:continue|keep|go on) (?:to )?(?:try|retry|attempt)|配信が遅(?:れ|延)|(?:遅延|再送)(?:してい|を(?:試み|続け|繰り返))/,
];

/** Where the copy of our own mail begins: its words must not be read as the server's. */
const COPY = /^(?:-{2,} ?(?:below this line|.{0,40}original message|.{0,40}copy of)|return-path:|received:)/im;

/** Where the header of that copy begins. */
const COPIED_HEADER = /^(?:return-path|received):/im;

/**
 * Reads a bounce that is plain text, by its beginning.
 * @returns null where it does not look like one: an answer of a person or a robot. No reports for one that only warns
 */
export async function readTextBounce(email: Email): Promise<Reported | null> {
  const whole = textOf(email);
  const text = whole.slice(0, MAX_TEXT_LENGTH);
  const subject = ownSubjectOf(email);
  const isBounce =
    SYSTEM_SENDER.test(email.from?.address ?? '') ||
    BOUNCE_SUBJECTS.some((pattern) => pattern.test(subject)) ||
    QMAIL.test(text);
  if (!isBounce) return null;
  const words = text.slice(0, COPY.exec(text)?.index);
  if (DELAYED.some((pattern) => pattern.test(words))) return { reports: [], arrivedAt: null };
  const [, quoted, bare] = RECIPIENT.exec(words) ?? [];
  const recipient = quoted ?? bare;
  const report: RecipientReport = {
    action: 'failed',
    finalRecipient: recipient === undefined ? null : addressKey(recipient),
    originalRecipient: null,
    status: null,
    text: words.replace(QMAIL_INTRODUCTION, '').trim(),
  };
  const copy = COPIED_HEADER.exec(whole)?.index;
  const returned = copy === undefined ? null : await parseHeader(whole.slice(copy, copy + MAX_STATUS_LENGTH));
  return { reports: [report], arrivedAt: receivedAt(returned) };
}

/** Reads a bounce by its subject alone. @returns null where it says no failure: it may be about a delay or a success */
export function readBounceSubject({ subject = '' }: Email): RecipientReport[] | null {
  const isFailure = FAILURE_SUBJECT.test(subject) || JAPANESE_BOUNCE_SUBJECT.test(subject);
  if (!isFailure || DELAY_SUBJECT.test(subject)) return null;
  return [{ action: 'failed', finalRecipient: null, originalRecipient: null, status: null, text: '' }];
}

const FAILURE_SUBJECT = /fail|undeliver|returned mail/i;
const DELAY_SUBJECT = /delay|warning|still being retried|not yet|遅延|遅れ/i;

/** An address at the beginning of a line, as qmail writes it, or alone on a line, as Exim does. */
const RECIPIENT =
  /^[ \t]{0,8}(?:<([^<>\s@]{1,64}@[^<>\s@]{1,255})>|([^<>\s@]{1,64}@[^<>\s@:]{1,255})(?=:?[ \t]{0,8}$))/m;

/** It holds no reason, but words such as «permanent error». */
const QMAIL_INTRODUCTION = /^Hi\. This is the [\s\S]{0,400}?Sorry it didn't work out\./;
