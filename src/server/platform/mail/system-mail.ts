import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { composeMessage } from './compose.ts';
import type { Outcome } from './outcome.ts';
import { sendBySendGrid } from './sendgrid-send.ts';
import type { SendGridSettings } from './sendgrid-settings.ts';
import { smtpLane } from './smtp-connection.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** A mail the program itself writes to the person of an account: no template, no delivery row, one try. */
export interface SystemMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Hands a mail over while the caller waits. Never rejects: the outcome tells, and all but `sent` is logged. No
 * transaction may be open.
 */
export type Mailer = (mail: SystemMail) => Promise<Outcome>;

/**
 * Hands one mail over. A server that comes round after we gave up is not given the mail any more: `mark` says whether
 * it may begin.
 */
type HandOver = (mail: SystemMail, mark: () => Promise<boolean>) => Promise<Outcome>;

export interface SystemSender {
  readonly name: string;
  readonly address: string;
}

interface PatientParts {
  readonly from: SystemSender;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Somebody waits for the answer of a call. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 20_000;

/** A connection a mail: there are few of them, and none may wait behind the others. */
export function systemMailer({
  smtp,
  now,
  ...parts
}: PatientParts & { readonly smtp: SmtpSettings; readonly now: () => number }): Mailer {
  const { from } = parts;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return patientMailer(parts, async (mail, mark) => {
    const messageId = `<${randomUUID()}@${domain}>`;
    const message = composeMessage({ ...mail, from, messageId, date: new Date(now()) });
    const lane = smtpLane(smtp);
    try {
      return await lane.send({ from: from.address, to: mail.to, bcc: [] }, message, mark);
    } finally {
      lane.close();
    }
  });
}

/** The same by SendGrid, without a template: what is in these mails is ours alone to say. */
export const sendGridSystemMailer = (sendgrid: SendGridSettings, parts: PatientParts): Mailer =>
  patientMailer(parts, async ({ to, subject, text, html }, mark) => {
    const { name, address } = parts.from;
    const content = [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ];
    const mail = { from: { email: address, name }, personalizations: [{ to: [{ email: to }] }], subject, content };
    const [outcome] = await sendBySendGrid(sendgrid, mail, 1, mark);
    return outcome as Outcome;
  });

function patientMailer({ log, patienceMs = PATIENCE_MS }: PatientParts, handOver: HandOver): Mailer {
  return async (mail) => {
    const patience = new AbortController();
    let tooLate = false;
    const outcome = await Promise.race([
      handOver(mail, async () => !tooLate),
      sleep(patienceMs, undefined, { signal: patience.signal }).then((): Outcome => {
        tooLate = true;
        return { kind: 'unknown', reply: `no answer within ${patienceMs} ms` };
      }),
    ]).catch((error: Error): Outcome => ({ kind: 'failed', reply: error.message, badAddress: false }));
    patience.abort();
    if (outcome.kind !== 'sent') log.warn({ to: mail.to, outcome }, 'system mail not sent');
    return outcome;
  };
}
