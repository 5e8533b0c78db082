/** What became of one try to hand a mail over. Only `sent` and `failed` are the server's word; `unknown` is nobody's. */
export type Outcome =
  | { readonly kind: 'sent'; readonly reply: string }
  /** Refused for good. badAddress: the address itself does not exist (RFC 3463 X.1.x, X.2.1). */
  | { readonly kind: 'failed'; readonly reply: string; readonly badAddress: boolean }
  /** Refused for now: another try later, counted. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /** Nothing was handed over and the mail itself is not to blame: no attempt is counted. */
  | { readonly kind: 'transport'; readonly reply: string }
  /** The link was lost after the whole message had been handed over and before the answer. */
  | { readonly kind: 'unknown'; readonly reply: string }
  /** Another worker owns the mail by now: not a byte of the body left, nothing is to be written. */
  | { readonly kind: 'claim-lost' };

/**
 * How far a try had come. nodemailer reports every lost connection as `CONN`, so the stage is told by our own stream:
 * connecting (up to AUTH), envelope (MAIL, RCPT, DATA), body (354 was read), handed-over (all of it given to the socket).
 */
export type Stage = 'connecting' | 'envelope' | 'body' | 'handed-over';

interface SmtpFault {
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
  if (stage === 'connecting') return { kind: 'transport', reply };
  if (code >= 400 && code < 500) return { kind: 'deferred', reply };
  if (code >= 500) {
    // The server will not take this sender, whoever the mail is for.
    if (fault.command === 'MAIL FROM') return { kind: 'transport', reply };
    return { kind: 'failed', reply, badAddress: isAddressFault(reply) };
  }
  // nodemailer did not even ask: larger than the server's SIZE, or an envelope that none takes. The next try would end the same way.
  const isNotAsked = !fault.response && (fault.code === 'EMESSAGE' || fault.code === 'EENVELOPE');
  if (stage === 'envelope' && isNotAsked) return { kind: 'failed', reply, badAddress: false };
  if (stage === 'envelope') return { kind: 'transport', reply };
  return stage === 'body' ? { kind: 'deferred', reply } : { kind: 'unknown', reply };
}

/** RFC 3463: X.1.x are faults of the address, X.2.1 a disabled mailbox. */
const isAddressFault = (reply: string): boolean => /^\d{3}[ -]5\.(1\.\d{1,3}|2\.1)\b/.test(reply);

const MAX_REPLY_LENGTH = 500;

/** A server's words as text we can keep and show: no control bytes, cut. */
export function printable(reply: string): string {
  return reply
    .slice(0, 2 * MAX_REPLY_LENGTH)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_LENGTH);
}
