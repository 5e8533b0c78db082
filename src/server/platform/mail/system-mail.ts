import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { composeMessage } from './compose.ts';
import type { Outcome } from './outcome.ts';
import { smtpLane } from './smtp-connection.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** A mail the program itself writes to the person of an account: no template, no delivery row, one try. */
export interface SystemMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands a mail over while the caller waits. Never rejects: the outcome tells, and all but `sent` is logged. No transaction may be open. */
export type Mailer = (mail: SystemMail) => Promise<Outcome>;

interface MailerParts {
  readonly smtp: SmtpSettings;
  readonly from: { readonly name: string; readonly address: string };
  readonly now: () => number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Somebody waits for the answer of a call. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 20_000;

/** A connection a mail: there are few of them, and none may wait behind the others. */
export function systemMailer({ smtp, from, now, log, patienceMs = PATIENCE_MS }: MailerParts): Mailer {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  async function handOver(mail: SystemMail, isTooLate: () => boolean): Promise<Outcome> {
    const messageId = `<${randomUUID()}@${domain}>`;
    const message = composeMessage({ ...mail, from, messageId, date: new Date(now()) });
    const lane = smtpLane(smtp);
    try {
      // A server that comes round after we gave up is not given the mail any more.
      return await lane.send({ from: from.address, to: mail.to, bcc: [] }, message, async () => !isTooLate());
    } finally {
      lane.close();
    }
  }

  return async (mail) => {
    const patience = new AbortController();
    let tooLate = false;
    const outcome = await Promise.race([
      handOver(mail, () => tooLate),
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
