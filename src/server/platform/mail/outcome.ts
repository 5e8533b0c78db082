/**
 * What became of one try to hand a mail over. Only `sent` and `failed` are the server's word; `unknown` is nobody's.
 */
export type Outcome =
  /** isCopyRefused: of its bcc some were not taken; `reply` names them. */
  | { readonly kind: 'sent'; readonly reply: string; readonly isCopyRefused?: true }
  /** Refused for good. badAddress: the address itself does not exist (RFC 3463 X.1.x, X.2.1). */
  | { readonly kind: 'failed'; readonly reply: string; readonly badAddress: boolean }
  /** Refused for now: another try later, counted. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /**
   * The way to the server is broken (no connection, TLS, login): says nothing about the mail, not counted.
   * pauseSeconds: the server named a time before which it will not be asked again.
   */
  | { readonly kind: 'transport'; readonly reply: string; readonly pauseSeconds?: number }
  /**
   * The server let go of this mail between MAIL and its 354: hung up, fell silent, said 421. It may be to blame itself
   * (an address that brings the server down), so another try later, counted.
   */
  | { readonly kind: 'dropped'; readonly reply: string }
  /** The server answers, but will not take mail of this sender, whoever it is for: not counted. */
  | { readonly kind: 'sender-refused'; readonly reply: string }
  /** The mail could not be made: no server was asked. */
  | { readonly kind: 'unsendable'; readonly reply: string }
  /** The mark could not be written (no database): nothing was handed over. */
  | { readonly kind: 'unmarked'; readonly reply: string }
  /**
   * One of several that were handed over together, none of which was taken because of others: at once again, not
   * counted.
   */
  | { readonly kind: 'not-taken'; readonly reply: string }
  /**
   * The whole message was handed over, and the link lost before the answer. isServerFault: there is an answer, that
   * something is wrong over there, which tells nothing of the mail but that the next one would fare no better.
   */
  | { readonly kind: 'unknown'; readonly reply: string; readonly isServerFault?: true }
  /** Another worker owns the mail by now: not a byte of the body left, nothing is to be written. */
  | { readonly kind: 'claim-lost' };

/**
 * How far a try had come. nodemailer reports every lost connection as `CONN`, so the stage is told by our own stream:
 * connecting (up to AUTH), envelope (MAIL, RCPT, DATA), body (354 was read), handed-over (all of it given to the
 * socket).
 */
export type Stage = 'connecting' | 'envelope' | 'body' | 'handed-over';

export interface SmtpFault {
  readonly message: string;
  /** nodemailer's own name of it. */
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

/** RFC 5321 replies decide where there is one; the stage decides where the link was lost. */
export function outcomeOfFault(stage: Stage, fault: SmtpFault): Outcome {
  const reply = printable(fault.response || fault.message);
  const code = fault.responseCode ?? 0;
  if (stage === 'connecting')
    return { kind: 'transport', reply: isStartTlsMissing(fault) ? NO_STARTTLS + reply : reply };
  // RFC 5321 3.8: a server that is about to close may say so to any command.
  if (stage === 'envelope' && code === 421) return { kind: 'dropped', reply };
  if (code >= 400 && code < 500) return { kind: 'deferred', reply };
  if (code >= 500) {
    if (fault.command === 'MAIL FROM' && !isTooLarge(reply)) return { kind: 'sender-refused', reply };
    return { kind: 'failed', reply, badAddress: isAddressFault(reply) };
  }
  // nodemailer did not even ask: larger than the server's SIZE, or an envelope that none takes. The next try would end
  // the same way.
  const isNotAsked = !fault.response && (fault.code === 'EMESSAGE' || fault.code === 'EENVELOPE');
  if (stage === 'envelope' && isNotAsked) return { kind: 'failed', reply, badAddress: false };
  if (stage === 'envelope') return { kind: 'dropped', reply };
  // Before the final dot nothing can have been taken, unless the server has said so out of turn.
  return stage === 'body' && code === 0 ? { kind: 'deferred', reply } : { kind: 'unknown', reply };
}

/**
 * Whether the server does not know STARTTLS: nodemailer asks for it though it was not offered, and the bare answer
 * ("502 …") would tell nobody why. A server that knows it and cannot begin now (454) says so in its own words.
 */
const isStartTlsMissing = ({ message, responseCode = 0 }: SmtpFault): boolean =>
  message.includes('STARTTLS') && responseCode >= 500 && responseCode <= 504;
const NO_STARTTLS = 'the server has no STARTTLS, and SMTP_STARTTLS requires it: ';

/** RFC 1870: the answer to MAIL FROM may be about the size of this mail, and not about its sender. */
const isTooLarge = (reply: string): boolean => /^552\b|^5\d\d[ -]5\.(2\.3|3\.4)\b/.test(reply);

/** RFC 3463: X.1.x are faults of the address, X.2.1 a disabled mailbox. */
const isAddressFault = (reply: string): boolean => /^\d{3}[ -]5\.(1\.\d{1,3}|2\.1)\b/.test(reply);

const UNREACHABLE = 'メールサーバーに接続できませんでした。自動で再送します。';
const DROPPED =
  'メールサーバーが、このメールを受け付ける途中で接続を切ったか、応答しなくなりました。続くときは、宛先のメールアドレスを確認してください。';
const LOGIN_NEEDED =
  'メールサーバーが、ログインの設定を理由に、この差出人のメールを受け付けませんでした。管理者に確認してください。';

const UNMARKED = '送信の記録を書き込めなかったため、送信を始めませんでした。自動で再送します。';

/**
 * What an account may read of an outcome. What a server says of the way to it, or of our login, may name the operator's
 * account and machines, and so may the fault of a database: those are for the log (docs/decisions/0041). What it says
 * of a mail is for whoever sent it.
 */
export function replyForAccount(outcome: Exclude<Outcome, { kind: 'claim-lost' }>): string {
  if (outcome.kind === 'transport') return UNREACHABLE;
  if (outcome.kind === 'dropped') return DROPPED;
  if (outcome.kind === 'unmarked') return UNMARKED;
  if (outcome.kind === 'sender-refused' && isAboutLogin(outcome.reply)) return LOGIN_NEEDED;
  return outcome.reply;
}

/**
 * RFC 4954: 530, 534, 535, 538 and 5.7.8 to 5.7.11; and what Postfix and others say where a sender is not the login's
 * own.
 */
const isAboutLogin = (reply: string): boolean =>
  /^53[0458]\b|^5\d\d[ -]5\.7\.(?:8|9|1[01])\b|\bauthenticat|\blog(?:ged )?in\b|\bowned by\b|\bsasl\b/i.test(reply);

const MAX_REPLY_LENGTH = 500;

/** A server's words as text we can keep and show: no control bytes, cut. */
export function printable(reply: string): string {
  return reply
    .slice(0, 2 * MAX_REPLY_LENGTH)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_LENGTH);
}
