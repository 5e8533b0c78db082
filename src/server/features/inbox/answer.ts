import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import { addressKey } from '#domain/address-key.ts';
import { readDmarcPass, singleFrom } from '#domain/mail-origin.ts';
import { asksToStop } from '#domain/reply.ts';
import type { Answer } from './inbox-mail.ts';
import { fieldOf, fieldsOf, textOf } from './parsed-mail.ts';

const EXCERPT_LENGTH = 500;
const SUBJECT_LENGTH = 200;
const ADDRESS_LENGTH = 320;
/** Only so much of a text is searched for its quotation. */
const SEARCHED_LENGTH = 20_000;

/** Where mail programs begin to quote the mail that they answer. */
const QUOTATIONS = [
  /^[>＞]|^_{10,}/m,
  /^-{2,} ?(?:original message|元のメッセージ|転送されたメッセージ)/im,
  /^(?:from|差出人|送信者) ?[:：]/im,
  /^on .{1,200} wrote:/im,
  /^.{0,20}\d{4}[年/.-]\d{1,2}[月/.-]\d{1,2}.{0,200}[:：]$/m,
];

/** Returns where the first quotation begins; the length of the text where there is none. */
const quotationStart = (text: string): number =>
  Math.min(text.length, ...QUOTATIONS.flatMap((pattern) => pattern.exec(text)?.index ?? []));

/** Returns what an answer says. */
export function answerOf(email: Email): Answer {
  const text = textOf(email).slice(0, SEARCHED_LENGTH);
  const own = text.slice(0, quotationStart(text));
  const subject = printableLine(email.subject ?? '').slice(0, SUBJECT_LENGTH);
  const from = singleFrom(fieldsOf(email, 'from'));
  return {
    from: from ?? addressKey(printableLine(email.from?.address ?? '')).slice(0, ADDRESS_LENGTH),
    isSingle: from !== null,
    dmarc: readDmarcPass(fieldOf(email, 'authentication-results')),
    subject,
    excerpt: excerptOf(own.trim() === '' ? text : own),
    isRefusal: asksToStop(own, subject),
    hash: hashOf(email),
  };
}

const printableLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();

/** Cuts at a whole character: half of one cannot be stored. */
const excerptOf = (text: string): string =>
  [
    ...text
      .replace(/\r\n?/g, '\n')
      // Controls but the line break.
      .replace(/[^\P{Cc}\n]+/gu, ' ')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  ]
    .slice(0, EXCERPT_LENGTH)
    .join('');

/** The same mail may be read twice, with other trace fields each time. */
export function hashOf(email: Email): Buffer {
  const id = fieldOf(email, 'message-id');
  const parts = id === null ? [email.date, email.from?.address, email.subject, email.text, email.html] : [id];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
