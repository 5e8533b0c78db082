import { bounceClass, wordsOf } from '../mail/bounce-class.ts';
import { TOO_LARGE } from '../mail/bounce-words.ts';
import { ourLimitSeconds } from './our-limit.ts';

/** Replies about our commands (RFC 5321) or our login (RFC 4954), whoever the recipient is. */
const OF_OUR_COMMANDS = /^50[0-4]\b/;
const OF_OUR_LOGIN = /^53[0458]\b/;
/** Codes that concern only this mail: its size, its content. */
const OF_THIS_MAIL = /\b5\.(?:3\.4|2\.3|6\.\d{1,3})\b/;

/**
 * Returns whether a permanent refusal of a recipient or a finished mail concerns the recipient, or our domain or
 * address, so that the next list would get the same answer. False if our quota, login, commands or this mail are the
 * cause, and for a nonexistent address, which is suppressed.
 * @param reply a 5xx to RCPT, DATA or the final dot
 */
export function isRejection(reply: string, recipient: string): boolean {
  if (ourLimitSeconds(reply, recipient) !== null) return false;
  const { words } = wordsOf(reply);
  switch (bounceClass({ status: null, text: reply, recipients: recipient === '' ? [] : [recipient] })) {
    case 'hard':
      return false;
    case 'filtered':
    case 'soft':
      return true;
    case 'policy':
      return !OF_OUR_LOGIN.test(words);
    case 'mail':
      return ![OF_OUR_COMMANDS, OF_OUR_LOGIN, OF_THIS_MAIL, TOO_LARGE].some((ours) => ours.test(words));
  }
}
