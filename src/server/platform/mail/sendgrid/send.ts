import { type Outcome, outcomeOfFault } from '../outcome.ts';
import { ClaimLost, MarkedBody, MarkFailed } from '../smtp/marked-body.ts';
import { outcomesOf } from './outcome.ts';
import { postMail, type SendGridTimes } from './request.ts';
import type { SendGridSettings } from './settings.ts';

/**
 * SendGrid's limits for one request: mails, recipients (to and bcc of all mails), and bytes. It accepts 30 MB; our
 * limit leaves a margin.
 */
export const MAX_MAILS = 1000;
export const MAX_RECIPIENTS = 1000;
export const MAX_BYTES = 28 * 1024 * 1024;

/**
 * Overrides the settings of the SendGrid account. With subscription tracking SendGrid would add its own link and
 * List-Unsubscribe to each mail, so that only SendGrid would know the opt-outs.
 */
const TRACKING = { subscription_tracking: { enable: false } };

/**
 * Sends one request of /v3/mail/send. Never rejects.
 * @param mail as in SendGrid's reference
 * @param mails the number of its personalizations
 * @param mark commits, once the connection is open, that the request is about to leave; false stops it there
 * @returns an outcome for each mail, in order
 */
export async function sendBySendGrid(
  settings: SendGridSettings,
  mail: object,
  mails: number,
  mark: () => Promise<boolean>,
  { times, signal }: { readonly times?: SendGridTimes; readonly signal?: AbortSignal } = {},
): Promise<Outcome[]> {
  const body = new MarkedBody(Buffer.from(JSON.stringify({ ...mail, tracking_settings: TRACKING })), mark);
  try {
    return outcomesOf(await postMail(settings, body, times, signal), mails);
  } catch (error) {
    return Array.from<Outcome>({ length: mails }).fill(outcomeOfLoss(body, error as Error));
  }
}

/** Classifies a request without an answer by its stage, as for SMTP. */
function outcomeOfLoss({ stage }: MarkedBody, error: Error): Outcome {
  if (error instanceof ClaimLost) return { kind: 'claim-lost' };
  if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
  // Before the mark only the connection was lost: SendGrid has read no mail.
  return outcomeOfFault(stage === 'envelope' ? 'connecting' : stage, error);
}
