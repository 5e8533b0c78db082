import type { Email } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import type { RecipientReport } from './inbox-mail.ts';
import { contentOf, ownSubjectOf, parseHeader, textOf } from './parsed-mail.ts';

/* Bounces that are texts, of qmail, Exim, old Exchange and Japanese providers, and the text part of reports. */

const MAX_TEXT_LENGTH = 4000;
const MAX_HEADER_LENGTH = 64 * 1024;
const MAX_RECIPIENTS = 100;

/** From whom a server, not a person's robot, writes. */
export const SYSTEM_SENDER =
  /^(?:mailer-daemon|postmaster|mail-daemon|mailadmin|mail-administrator|microsoftexchange\w*)@/i;
const JAPANESE_BOUNCE_SUBJECT = /(?:配信|配送|送信)(?:不能|でき(?:ませ|なか|ず)|に失敗)|届きませんでした|エラーメール/;
const BOUNCE_SUBJECTS = [
  /failure notice|undeliver|returned mail|delivery (?:status|failure|has failed)/i,
  /mail (?:delivery|system) (?:failed|error)/i,
  JAPANESE_BOUNCE_SUBJECT,
];
const QMAIL = /^Hi\. This is the .{0,40}(?:qmail-send|deliver) program/;

/** It was given up, even where the words of the last server speak of a delay. */
const GIVEN_UP = [
  /this is a permanent|(?:has |have )?failed permanently|permanent fatal errors/i,
  /retry time(?:out)? (?:not reached|exceeded)|not going to try again|no further (?:attempts|deliver)/i,
  /\b(?:given|gave|giving) up\b|returning (?:the |your )?message to sender/i,
  /配(?:信|送)を(?:断念|中止)|再送を(?:断念|中止|終了)/,
];
/** The server goes on trying: nothing has ended. */
const DELAYED = [
  /not yet been delivered|has been delayed|warning message only|no action is required on your part/i,
  /will (?:(?:continue|keep|go on) )?(?:to )?(?:be )?(?:try|retr(?:y|ied)|attempt)/i,
  /still (?:being retried|undelivered)/i,
  /配(?:信|送)が遅(?:れ|延)|(?:遅延|再送)(?:してい|を(?:試み|続け|繰り返))/,
];
const DELAY_SUBJECT = /delay|warning|still being retried|not yet|遅延|遅れ/i;
/** It arrived. */
const DELIVERED = /(?:was|were|been) success(?:ful(?:ly)?)? (?:delivered|relayed)|正常に配(?:信|送)されました/i;

const VACATION_SUBJECT = /自動(?:返信|応答)|不在|out of (?:the )?office|auto(?:matic)?[- ]?(?:reply|response)/i;

/** Where the copy of our own mail begins: its words must not be read as the server's. */
const COPY = /^(?:-{2,} ?(?:below this line|.{0,40}original message|.{0,40}copy of)|return-path:|received:)/im;

/** Where the header of that copy begins. */
const COPIED_HEADER = /^(?:return-path|received):/im;

/** It holds no reason, but words such as «permanent error». */
const QMAIL_INTRODUCTION = /^Hi\. This is the [\s\S]{0,400}?Sorry it didn't work out\./;

/** Returns the header of the mail that stands in the text of another. @returns null for none */
export async function copiedHeader(email: Email): Promise<Email | null> {
  const text = textOf(email);
  const start = COPIED_HEADER.exec(text)?.index;
  return start === undefined ? null : parseHeader(text.slice(start, start + MAX_HEADER_LENGTH));
}

/**
 * Reads a bounce that is plain text, by its beginning.
 * @param hasCopy it holds a copy of a mail of ours. Servers alone send that back without a sender, in whatever words
 * @returns null where it does not look like one: an answer of a person or a robot. No reports for one that only warns
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

/** Reads whom a mail of a server could not reach, by its text. @returns no reports where it waits, or has arrived */
export function readFailureText(email: Email): RecipientReport[] {
  const text = textOf(email).slice(0, MAX_TEXT_LENGTH);
  const words = text.slice(0, COPY.exec(text)?.index);
  const isGivenUp = GIVEN_UP.some((pattern) => pattern.test(words));
  const isWaiting = DELAYED.some((pattern) => pattern.test(words)) || DELAY_SUBJECT.test(ownSubjectOf(email));
  if (!isGivenUp && (isWaiting || DELIVERED.test(words))) return [];
  return reportsIn(words.replace(QMAIL_INTRODUCTION, '').trim());
}

/** Reads a bounce by its subject alone. @returns null where it says no failure: it may be about a delay or a success */
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
 * An address at the beginning of a line, as qmail writes it, alone on a line, as Exim does, before its reason, as
 * OpenSMTPD does, or after words such as «could not be delivered to:».
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

/** What follows the reasons for all recipients, such as the transcript of sendmail. */
const RULE_LINE = /^[ \t]{0,8}-{3,}/m;

/** Returns what a text says of each recipient that it names. One without a reason of its own shares the next one's. */
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
