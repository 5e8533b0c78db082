import type { Email } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import type { RecipientReport } from './inbox-mail.ts';
import { contentOf, ownSubjectOf, parseHeader, textOf } from './parsed-mail.ts';

/* Reads bounces in plain text, of qmail, Exim, old Exchange and Japanese providers, and the text part of reports. */

const MAX_TEXT_LENGTH = 4000;
const MAX_HEADER_LENGTH = 64 * 1024;
const MAX_RECIPIENTS = 100;

/** Senders that servers use, and no person's robot. */
export const SYSTEM_SENDER =
  /^(?:mailer-daemon|postmaster|mail-daemon|mailadmin|mail-administrator|microsoftexchange\w*)@/i;
const JAPANESE_BOUNCE_SUBJECT = /(?:配信|配送|送信)(?:不能|でき(?:ませ|なか|ず)|に失敗)|届きませんでした|エラーメール/;
const BOUNCE_SUBJECTS = [
  /failure notice|undeliver|returned mail|delivery (?:status|failure|has failed)/i,
  /mail (?:delivery|system) (?:failed|error)/i,
  JAPANESE_BOUNCE_SUBJECT,
];
const QMAIL = /^Hi\. This is the .{0,40}(?:qmail-send|deliver) program/;

/** The server gave the mail up, even if it quotes a delay of the last server. */
const GIVEN_UP = [
  /this is a permanent|(?:has |have )?failed permanently|permanent fatal errors/i,
  /retry time(?:out)? (?:not reached|exceeded)|not going to try again|no further (?:attempts|deliver)/i,
  /\b(?:given|gave|giving) up\b|returning (?:the |your )?message to sender/i,
  /配(?:信|送)を(?:断念|中止)|再送を(?:断念|中止|終了)/,
];
/** The server is still retrying, so nothing is final. */
const DELAYED = [
  /not yet been delivered|has been delayed|warning message only|no action is required on your part/i,
  /will (?:(?:continue|keep|go on) )?(?:to )?(?:be )?(?:try|retr(?:y|ied)|attempt)/i,
  /still (?:being retried|undelivered)/i,
  /配(?:信|送)が遅(?:れ|延)|(?:遅延|再送)(?:してい|を(?:試み|続け|繰り返))/,
];
const DELAY_SUBJECT = /delay|warning|still being retried|not yet|遅延|遅れ/i;
/** The mail was delivered. */
const DELIVERED = /(?:was|were|been) success(?:ful(?:ly)?)? (?:delivered|relayed)|正常に配(?:信|送)されました/i;

const VACATION_SUBJECT = /自動(?:返信|応答)|不在|out of (?:the )?office|auto(?:matic)?[- ]?(?:reply|response)/i;

/** The start of the copy of our own mail, whose words must not be read as the server's. */
const COPY = /^(?:-{2,} ?(?:below this line|.{0,40}original message|.{0,40}copy of)|return-path:|received:)/im;

/** The start of that copy's header. */
const COPIED_HEADER = /^(?:return-path|received):/im;

/** Gives no reason, but contains words such as «permanent error». */
const QMAIL_INTRODUCTION = /^Hi\. This is the [\s\S]{0,400}?Sorry it didn't work out\./;

/** Returns the header of a mail within the text of another. @returns null if there is none */
export async function copiedHeader(email: Email): Promise<Email | null> {
  const text = textOf(email);
  const start = COPIED_HEADER.exec(text)?.index;
  return start === undefined ? null : parseHeader(text.slice(start, start + MAX_HEADER_LENGTH));
}

/**
 * Reads a plain-text bounce by its beginning.
 * @param hasCopy it holds a copy of our mail: only servers return one without a sender
 * @returns null if it is no bounce, but a reply of a person or a robot. Without reports if it only warns of a delay
 */
export function readTextBounce(email: Email, hasCopy: boolean): RecipientReport[] | null {
  const subject = ownSubjectOf(email);
  const isBounce =
    SYSTEM_SENDER.test(email.from?.address ?? '') ||
    BOUNCE_SUBJECTS.some((pattern) => pattern.test(subject)) ||
    QMAIL.test(textOf(email)) ||
    (hasCopy && !VACATION_SUBJECT.test(subject) && contentOf(email, ['message/disposition-notification']) === null);
  return isBounce ? readFailureText(email) : null;
}

/** Reads failed recipients from a server's text. @returns no reports if the mail is delayed or has arrived */
export function readFailureText(email: Email): RecipientReport[] {
  const text = textOf(email).slice(0, MAX_TEXT_LENGTH);
  const words = text.slice(0, COPY.exec(text)?.index);
  const isGivenUp = GIVEN_UP.some((pattern) => pattern.test(words));
  const isWaiting = DELAYED.some((pattern) => pattern.test(words)) || DELAY_SUBJECT.test(ownSubjectOf(email));
  if (!isGivenUp && (isWaiting || DELIVERED.test(words))) return [];
  return reportsIn(words.replace(QMAIL_INTRODUCTION, '').trim());
}

/** Reads a bounce by its subject. @returns null if that names no failure: it may concern a delay or a success */
export function readBounceSubject({ subject = '' }: Email): RecipientReport[] | null {
  const isFailure = FAILURE_SUBJECT.test(subject) || JAPANESE_BOUNCE_SUBJECT.test(subject);
  if (!isFailure || DELAY_SUBJECT.test(subject)) return null;
  return [failed(null, '')];
}

const FAILURE_SUBJECT = /fail|undeliver|returned mail/i;

const failed = (finalRecipient: string | null, text: string): RecipientReport => ({
  action: 'failed',
  finalRecipient,
  originalRecipient: null,
  status: null,
  text,
});

/**
 * An address at the start of a line (qmail), alone in it (Exim), before its reason (OpenSMTPD), or after words such as
 * «could not be delivered to:».
 */
const RECIPIENT = new RegExp(
  [
    /^[ \t]{0,8}(?:[*・•-][ \t]{0,4})?/,
    /(?:[^\n<>@]{0,60}(?:\bto|recipients?|宛先|あて先|送信先)[ \t]?[:：][ \t]?)?/,
    /(?:<([^<>\s@]{1,64}@[^<>\s@]{1,255})>|([^<>\s@]{1,64}@[^<>\s@:]{1,255})(?=:?[ \t]{0,8}$|: ))/,
  ]
    .map(({ source }) => source)
    .join(''),
  'gim',
);

/** What follows the reasons of all recipients, such as sendmail's transcript. */
const RULE_LINE = /^[ \t]{0,8}-{3,}/m;

/** Returns what a text reports of each named recipient. One without its own reason shares the next one's. */
function reportsIn(words: string): RecipientReport[] {
  const found = [...words.matchAll(RECIPIENT)]
    .slice(0, MAX_RECIPIENTS)
    .map(({ 0: line, 1: quoted, 2: bare, index }) => ({
      address: addressKey(quoted ?? bare ?? ''),
      line: line.trim(),
      start: index,
    }));
  const addresses = [...new Set(found.map(({ address }) => address))];
  if (addresses.length <= 1) return [failed(addresses[0] ?? null, words)];
  let reason = '';
  let end = words.length;
  const sections = found.toReversed().map(({ address, line, start }) => {
    const own = words.slice(start, end).trim().slice(line.length);
    end = start;
    const said = own
      .slice(0, RULE_LINE.exec(own)?.index)
      .replace(/^[:：\s]+/, '')
      .trim();
    if (said !== '') reason = said;
    return { address, text: `${line}: ${reason}` };
  });
  if (reason === '') return addresses.map((address) => failed(address, words));
  return addresses.map((address) => {
    const own = sections.filter((section) => section.address === address).toReversed();
    return failed(address, own.map(({ text }) => text).join('\n'));
  });
}
