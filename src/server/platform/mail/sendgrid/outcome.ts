import { ourLimitSeconds } from '#domain/sending/our-limit.ts';
import { type Outcome, printable } from '../outcome.ts';
import type { SendGridAnswer } from './request.ts';

/**
 * Returns the outcome of each mail of a request from SendGrid's answer. SendGrid accepts all mails of a request or
 * none. Mails with equal results share one outcome object.
 */
export function outcomesOf(answer: SendGridAnswer, mails: number): Outcome[] {
  if (answer.status === 400) return ofBadRequest(answer, mails);
  return Array.from<Outcome>({ length: mails }).fill(ofAll(answer));
}

function ofAll(answer: SendGridAnswer): Outcome {
  const { status, errors, retryAfter } = answer;
  const reply = replyOf(answer);
  const limit = limitSeconds(answer, reply);
  if (limit !== null) return { kind: 'limited', reply, seconds: limit };
  switch (status) {
    case 202:
      return { kind: 'sent', reply };
    case 403:
      // An error about a missing permission of the key names no field.
      return errors.some(isAboutSender) ? { kind: 'sender-refused', reply } : { kind: 'transport', reply };
    case 413:
      return { kind: 'failed', reply, badAddress: false };
    case 503:
      // With Retry-After SendGrid states that it has done nothing yet. Without it the answer may come from a proxy,
      // which cannot know.
      if (retryAfter !== null) return { kind: 'transport', reply, pauseSeconds: retryAfter };
      return { kind: 'unknown', reply, isServerFault: true };
    default:
      // SendGrid (500) or a proxy (502, 504) failed after it had the whole request: docs/decisions/sendgrid.
      if (status >= 500) return { kind: 'unknown', reply, isServerFault: true };
      // 401 (key) and other errors of our side do not concern a mail. After a 2xx other than 202 (200 is the sandbox)
      // it is unknown whether SendGrid accepted the mail.
      return { kind: status >= 300 ? 'transport' : 'unknown', reply };
  }
}

const DEFAULT_WAIT_SECONDS = 60;

/**
 * Returns the seconds until SendGrid accepts mails again, if our rate (429) or plan is used up. 401 and 403 state the
 * plan's end in words, such as «Maximum credits exceeded». null: another error.
 */
function limitSeconds({ status, retryAfter, rateReset }: SendGridAnswer, reply: string): number | null {
  if (status === 429) return Math.max(1, retryAfter ?? rateReset ?? DEFAULT_WAIT_SECONDS);
  return status === 401 || status === 403 ? ourLimitSeconds(reply, null) : null;
}

/** Classifies a 400. The mails that SendGrid names have failed; the others are retried without them. */
function ofBadRequest(answer: SendGridAnswer, mails: number): Outcome[] {
  const faults = answer.errors.map((error) => ({ ...error, index: mailOf(error.field) }));
  const ofWhole = faults.filter(({ index }) => index === null || index >= mails);
  if (ofWhole.length > 0 || faults.length === 0) {
    const reply = replyOf({ ...answer, errors: ofWhole });
    const isSender = ofWhole.some(isAboutSender);
    const outcome: Outcome = isSender
      ? { kind: 'sender-refused', reply }
      : { kind: 'failed', reply, badAddress: false };
    return Array.from<Outcome>({ length: mails }).fill(outcome);
  }
  const others: Outcome = { kind: 'not-taken', reply: `400 ${OTHERS}` };
  return Array.from({ length: mails }, (_, index): Outcome => {
    const own = faults.filter((fault) => fault.index === index);
    if (own.length === 0) return others;
    return { kind: 'failed', reply: replyOf({ ...answer, errors: own }), badAddress: own.some(isBadAddress) };
  });
}

const OTHERS = 'いっしょに渡したほかのメールに誤りがあったため、もう一度送ります';

/** Returns the index of a field's mail: `personalizations.3.to.0.email` → 3. */
function mailOf(field: string | null): number | null {
  const index = /^personalizations\.(\d{1,4})(?:\.|$)/.exec(field ?? '')?.[1];
  return index === undefined ? null : Number(index);
}

const isAboutSender = ({ field }: { field: string | null }): boolean => /^from(?:\.|$)/.test(field ?? '');

const isBadAddress = ({ field, message }: { field: string | null; message: string }): boolean =>
  /^personalizations\.\d+\.to\b/.test(field ?? '') && /valid (?:email )?address/i.test(message);

/** Formats an answer like an SMTP reply: the status, then the messages. */
function replyOf({ status, messageId, errors }: SendGridAnswer): string {
  const words = errors.map(({ message, field }) => (field === null ? message : `${message} (${field})`));
  return printable([status, ...(messageId === null ? [] : [`x-message-id: ${messageId}`]), ...words].join(' '));
}
