import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import { readDmarcPass, singleFrom } from '#domain/mail/origin.ts';
import { readWish } from '#domain/mail/reply-wish/wish.ts';

import type { Answer } from './inbox-mail.ts';
import { fieldOf, fieldsOf, textOf } from './parsed-mail.ts';

const EXCERPT_LENGTH = 500;
const SUBJECT_LENGTH = 200;
const ADDRESS_LENGTH = 320;
/** The most characters of a text that are read. */
const READ_LENGTH = 20_000;

/** Reads a reply: its sender, text and wishes. */
export function answerOf(email: Email): Answer {
  const text = textOf(email).slice(0, READ_LENGTH);
  const subject = printableLine(email.subject ?? '').slice(0, SUBJECT_LENGTH);
  const { above, wish, isRobot } = readWish(text, subject);
  const from = singleFrom(fieldsOf(email, 'from'));
  return {
    from: from ?? addressKey(printableLine(email.from?.address ?? '')).slice(0, ADDRESS_LENGTH),
    isSingle: from !== null,
    dmarc: readDmarcPass(fieldOf(email, 'authentication-results')),
    subject,
    excerpt: excerptOf(above.trim() === '' ? text : above),
    wish,
    isRobot,
    hash: hashOf(email),
  };
}

const printableLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();

/** Cuts at a whole character: half a surrogate pair cannot be stored. */
const excerptOf = (text: string): string =>
  [
    ...text
      .replace(/\r\n?/g, '\n')
      // Control characters except the line break.
      .replace(/[^\P{Cc}\n]+/gu, ' ')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  ]
    .slice(0, EXCERPT_LENGTH)
    .join('');

/** Hashes no trace fields: the same mail may be read twice with different ones. */
export function hashOf(email: Email): Buffer {
  const id = fieldOf(email, 'message-id');
  const parts = id === null ? [email.date, email.from?.address, email.subject, email.text, email.html] : [id];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
