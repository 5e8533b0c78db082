import { bounceClass } from '#domain/mail/bounce-class.ts';
import { namesConnectionLimit, ourLimitSeconds } from '#domain/sending/our-limit.ts';
import { isRejection } from '#domain/sending/rejection.ts';

/** The result of one attempt to send a mail. Only `sent` and `failed` are the server's final answer about the mail. */
export type Outcome =
  /** isCopyRefused: some bcc recipients were refused; `reply` names them. */
  | { readonly kind: 'sent'; readonly reply: string; readonly isCopyRefused?: true }
  /**
   * A permanent reply (5xx). badAddress: the address does not exist (bounce-class.ts).
   * isRejected: it concerns the recipient, or our domain or address (rejection.ts).
   */
  | { readonly kind: 'failed'; readonly reply: string; readonly badAddress: boolean; readonly isRejected?: true }
  /** A temporary reply (4xx): retried later. The attempt counts. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /**
   * No connection, TLS or login. It does not concern the mail, so the attempt does not count.
   * pauseSeconds: the server named a time before which it accepts no mail. isLogInRefused: it refuses our log-in.
   */
  | {
      readonly kind: 'transport';
      readonly reply: string;
      readonly pauseSeconds?: number;
      readonly isLogInRefused?: true;
    }
  /**
   * The connection was lost between MAIL and the 354: the server closed it, timed out or answered 421. The mail itself
   * may be the cause (an address that crashes the server), so it is retried later, and the attempt counts.
   */
  | { readonly kind: 'dropped'; readonly reply: string }
  /**
   * Our quota, rate or plan is used up (domain/our-limit.ts): the sender pauses. The attempt does not count.
   * seconds: after which the server accepts mails again at the latest, if it says so.
   */
  | { readonly kind: 'limited'; readonly reply: string; readonly seconds: number }
  /** The server admits no further connection: fewer are opened from now on. The attempt does not count. */
  | { readonly kind: 'crowded'; readonly reply: string }
  /** The server refuses all mail of this sender. No attempt counts. */
  | { readonly kind: 'sender-refused'; readonly reply: string }
  /**
   * The message could not be composed; no server was contacted.
   * isUnlawful: it lacks required legal information.
   */
  | { readonly kind: 'unsendable'; readonly reply: string; readonly isUnlawful?: true }
  /** The mark could not be committed (no database). No byte of the body was sent. */
  | { readonly kind: 'unmarked'; readonly reply: string }
  /**
   * Not sent because of other mails of its request, or without a log-in at this moment. It is queued again at once; the
   * attempt does not count.
   */
  | { readonly kind: 'not-taken'; readonly reply: string }
  /**
   * The whole message was sent, but no usable answer arrived.
   * isServerFault: the server answered with an internal error, which the next mail would meet too.
   */
  | { readonly kind: 'unknown'; readonly reply: string; readonly isServerFault?: true }
  /** Another worker owns the mail now. No byte of the body was sent, and nothing is written. */
  | { readonly kind: 'claim-lost' };

/**
 * How far an attempt came, as reported by our own stream: nodemailer reports every lost connection as `CONN`.
 * connecting: up to AUTH; envelope: MAIL, RCPT, DATA; body: the 354 was read; handed-over: the socket has the whole
 * message.
 */
export type Stage = 'connecting' | 'envelope' | 'body' | 'handed-over';

export interface SmtpFault {
  readonly message: string;
  /** nodemailer's error code. */
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

/**
 * Classifies a failed attempt by the server's reply (RFC 5321), or without one by the stage.
 * @param recipient the mail's address: a reply may name another one, and carriers give some codes another meaning
 */
export function outcomeOfFault(stage: Stage, fault: SmtpFault, recipient = ''): Outcome {
  const reply = printable(fault.response || fault.message);
  const code = fault.responseCode ?? 0;
  if (fault.response && code >= 400 && namesConnectionLimit(reply)) return { kind: 'crowded', reply };
  if (stage === 'connecting') return outcomeOfConnecting(fault, reply);
  if (code >= 400) return outcomeOfReply(stage, { ...fault, recipient }, code, reply);
  if (stage === 'envelope')
    return isNotAsked(fault) ? { kind: 'failed', reply, badAddress: false } : { kind: 'dropped', reply };
  // Before the final dot the server cannot have accepted the mail, unless it answered prematurely.
  return stage === 'body' && code === 0 ? { kind: 'deferred', reply } : { kind: 'unknown', reply };
}

function outcomeOfConnecting(fault: SmtpFault, reply: string): Outcome {
  if (isStartTlsMissing(fault)) return { kind: 'transport', reply: NO_STARTTLS + reply };
  return isLogInRefused(reply) ? { kind: 'transport', reply, isLogInRefused: true } : { kind: 'transport', reply };
}

/** Returns whether a server refuses our log-in (RFC 4954). 5.7.139: Microsoft 365 has switched it off. */
export const isLogInRefused = (reply: string): boolean => /^53[0458]\b|^5\d\d[ -]5\.7\.(?:8|9|1[01]|139)\b/.test(reply);

/** Returns whether Exchange refuses the From address to our log-in, before or after the body. */
const isSendAsDenied = (reply: string): boolean =>
  /^5\d\d[ -](?:5\.(?:2\.252|7\.60)\b|.{0,200}SendAsDenied)/.test(reply) && !reply.includes('said:');

const SEND_AS_DENIED = 'この差出人で送る権限がありません。';

function outcomeOfReply(
  stage: Stage,
  fault: SmtpFault & { readonly recipient: string },
  code: number,
  reply: string,
): Outcome {
  if (isSendAsDenied(reply)) return { kind: 'sender-refused', reply: `${SEND_AS_DENIED}（${reply}）` };
  // The session was not logged in after all.
  if (fault.command === 'MAIL FROM' && /^530[ -]5\.7\.57\b/.test(reply)) {
    return { kind: 'transport', reply, isLogInRefused: true };
  }
  // Checked before the code: servers report limits by 421, 4xx and 5xx, at any command.
  const seconds = ourLimitSeconds(reply, fault.recipient);
  if (seconds !== null) return { kind: 'limited', reply, seconds };
  // RFC 5321 3.8: a server that is about to close may answer any command with 421.
  if (stage === 'envelope' && code === 421) return { kind: 'dropped', reply };
  if (code < 500) return { kind: 'deferred', reply };
  if (fault.command === 'MAIL FROM' && !isTooLarge(reply)) return { kind: 'sender-refused', reply };
  const isRejected = fault.command !== 'MAIL FROM' && isRejection(reply, fault.recipient);
  return { kind: 'failed', reply, badAddress: isDead(reply, fault.recipient), ...(isRejected && { isRejected }) };
}

/**
 * Returns whether nodemailer refused the mail itself: above the server's SIZE, or with a bad envelope. A retry would
 * fail too.
 */
const isNotAsked = ({ response, code }: SmtpFault): boolean =>
  !response && (code === 'EMESSAGE' || code === 'EENVELOPE');

/**
 * Returns whether the server lacks STARTTLS. nodemailer sends the command unoffered, and the bare answer ("502 …") does
 * not explain it. A server that cannot start STARTTLS now (454) says so itself.
 */
const isStartTlsMissing = ({ message, responseCode = 0 }: SmtpFault): boolean =>
  message.includes('STARTTLS') && responseCode >= 500 && responseCode <= 504;
const NO_STARTTLS = 'the server has no STARTTLS, and SMTP_STARTTLS requires it: ';

/** Returns whether a refusal of MAIL FROM concerns the mail's size, not its sender (RFC 1870). */
const isTooLarge = (reply: string): boolean => /^552\b|^5\d\d[ -]5\.(2\.3|3\.4)\b/.test(reply);

/** Returns whether a refusal says that the address does not exist, by the same table as for reports. */
const isDead = (reply: string, recipient: string): boolean =>
  bounceClass({ status: null, text: reply, recipients: recipient === '' ? [] : [recipient] }) === 'hard';

const MAX_REPLY_LENGTH = 500;

/** Returns a server's reply as one short line without control bytes. */
export function printable(reply: string): string {
  return reply
    .slice(0, 2 * MAX_REPLY_LENGTH)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_LENGTH);
}
