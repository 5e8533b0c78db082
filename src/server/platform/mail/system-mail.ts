import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { domainOf } from '#domain/address-key.ts';
import { AUTOMATIC_FIELD, composeMessage } from './compose.ts';
import type { Outcome } from './outcome.ts';
import { sendBySendGrid } from './sendgrid-send.ts';
import type { SendGridSettings } from './sendgrid-settings.ts';
import { smtpLane } from './smtp-connection.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** A mail from the program itself to the person of an account: no template, no delivery row, one attempt. */
export interface SystemMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Sends a mail while the caller waits. Never rejects: it returns the outcome, and logs all but `sent`. No transaction
 * may be open.
 * @param mark called when the body is about to leave; false: it may not
 */
export type Mailer = (mail: SystemMail, mark?: () => Promise<boolean>) => Promise<Outcome>;

/** Sends one mail over a transport. `mark` returns false after we gave up, so that a slow server gets no mail then. */
type HandOver = (mail: SystemMail, mark: () => Promise<boolean>) => Promise<Outcome>;

export interface SystemSender {
  readonly name: string;
  readonly address: string;
  /** The envelope sender, where the server takes one; absent: the address. */
  readonly returnPath?: string;
}

interface MailerParts {
  readonly from: SystemSender;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** The longest wait; the caller of an API call waits for the outcome. */
  readonly maxWaitMs?: number;
}

const MAX_WAIT_MS = 20_000;

/** Sends system mails by SMTP. Each has its own connection: there are few, and none may wait behind others. */
export function systemMailer({
  smtp,
  now,
  ...parts
}: MailerParts & { readonly smtp: SmtpSettings; readonly now: () => number }): Mailer {
  const { from } = parts;
  const domain = domainOf(from.address);
  return mailerWithTimeout(parts, async (mail, mark) => {
    const messageId = `<${randomUUID()}@${domain}>`;
    const message = composeMessage({ ...mail, from, messageId, date: new Date(now()), isAutomatic: true });
    const lane = smtpLane(smtp);
    try {
      const { address, returnPath = address } = from;
      return await lane.send({ from: returnPath, author: address, to: mail.to, bcc: [] }, message, mark);
    } finally {
      lane.close();
    }
  });
}

/** Sends system mails by SendGrid, without a template: the program alone decides their text. */
export const sendGridSystemMailer = (sendgrid: SendGridSettings, parts: MailerParts): Mailer =>
  mailerWithTimeout(parts, async ({ to, subject, text, html }, mark) => {
    const { name, address } = parts.from;
    const content = [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ];
    const headers = Object.fromEntries([AUTOMATIC_FIELD]);
    const personalizations = [{ to: [{ email: to }] }];
    const mail = { from: { email: address, name }, personalizations, subject, content, headers };
    const [outcome] = await sendBySendGrid(sendgrid, mail, 1, mark);
    return outcome as Outcome;
  });

function mailerWithTimeout({ log, maxWaitMs = MAX_WAIT_MS }: MailerParts, handOver: HandOver): Mailer {
  return async (mail, mark = async () => true) => {
    const timer = new AbortController();
    let tooLate = false;
    const outcome = await Promise.race([
      handOver(mail, async () => (await mark()) && !tooLate),
      sleep(maxWaitMs, undefined, { signal: timer.signal }).then((): Outcome => {
        tooLate = true;
        return { kind: 'unknown', reply: `no answer within ${maxWaitMs} ms` };
      }),
    ]).catch((error: Error): Outcome => ({ kind: 'failed', reply: error.message, badAddress: false }));
    timer.abort();
    if (outcome.kind !== 'sent') log.warn({ to: mail.to, outcome }, 'system mail not sent');
    return outcome;
  };
}
