import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { domainOf } from '#domain/mail/address-key.ts';
import { Problem } from '../problem.ts';
import { AUTOMATIC_FIELD, composeMessage } from './compose.ts';
import type { Outcome } from './outcome.ts';
import { sendBySendGrid } from './sendgrid/send.ts';
import type { SendGridSettings } from './sendgrid/settings.ts';
import type { AnnouncedSize } from './smtp/announced-size.ts';
import { smtpLane } from './smtp/connection.ts';
import type { SmtpSettings } from './smtp/settings.ts';

/**
 * The reader of a system mail: a member at the own address, the owner of a sender's address who is to confirm it, or
 * the holder of an unproven address.
 */
type MailReader = { readonly memberOf: number } | 'owner of a sender' | 'anybody';

/** A mail from the program itself to a person of an account: no template, no delivery row, one attempt. */
export interface SystemMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Decides which address the mail may be sent from (system-sender.ts). */
  readonly reader: MailReader;
  /** The account whose act sends it; absent: that of the reader, if it is a member. */
  readonly accountId?: number;
}

/**
 * `no-sender`: the settings yield no sender for the mail. No server was contacted. isCaught: the mail went to the mail
 * catcher, and reaches nobody.
 */
export type SystemOutcome =
  | (Outcome & { readonly isCaught?: true })
  | { readonly kind: 'no-sender'; readonly reply: string };

/**
 * Sends a mail while the caller waits. Never rejects: returns the outcome, and logs all except `sent`. No transaction
 * may be open. `unknown`: the mail may have arrived.
 */
export type Mailer = (mail: SystemMail) => Promise<SystemOutcome>;

export interface SystemSender {
  readonly name: string;
  readonly address: string;
  /** The envelope sender, if the server accepts another one; absent: the address. */
  readonly returnPath?: string;
}

export interface MailerParts {
  /** Returns the sender of a mail; null: none. */
  readonly from: (mail: SystemMail) => Promise<SystemSender | null>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** The longest wait, because the caller of an API call waits for the outcome. */
  readonly maxWaitMs?: number;
}

/** Sends system mails by SMTP, each on its own connection: there are few, and none may wait behind others. */
export function systemMailer({
  smtp,
  now,
  size,
  ...parts
}: MailerParts & { readonly smtp: SmtpSettings; readonly now: () => number; readonly size?: AnnouncedSize }): Mailer {
  return mailerWithTimeout(parts, async (from, mail, mark) => {
    const messageId = `<${randomUUID()}@${domainOf(from.address)}>`;
    const message = composeMessage({ ...mail, from, messageId, date: new Date(now()), isAutomatic: true });
    const lane = smtpLane(smtp, undefined, undefined, size);
    try {
      const { address, returnPath = address } = from;
      return await lane.send({ from: returnPath, author: address, to: mail.to, bcc: [] }, message, mark);
    } finally {
      lane.close();
    }
  });
}

/** Sends system mails by SendGrid, without a template, so that only the program decides their text. */
export const sendGridSystemMailer = (sendgrid: SendGridSettings, parts: MailerParts): Mailer =>
  mailerWithTimeout(parts, async ({ name, address }, { to, subject, text, html }, mark) => {
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

/** Sends one mail over a transport. `mark` returns false after the timeout, so that a slow server gets no mail then. */
type HandOver = (from: SystemSender, mail: SystemMail, mark: () => Promise<boolean>) => Promise<Outcome>;

const MAX_WAIT_MS = 20_000;

function mailerWithTimeout({ from, log, maxWaitMs = MAX_WAIT_MS }: MailerParts, handOver: HandOver): Mailer {
  return async (mail) => {
    const timer = new AbortController();
    let tooLate = false;
    let hasBegun = false;
    const mark = async () => {
      hasBegun = !tooLate;
      return hasBegun;
    };
    const outcome = await Promise.race([
      readSender(from, mail).then((sender): SystemOutcome | Promise<SystemOutcome> =>
        'kind' in sender ? sender : handOver(sender, mail, mark),
      ),
      sleep(maxWaitMs, undefined, { signal: timer.signal }).then((): Outcome => {
        tooLate = true;
        return { kind: hasBegun ? 'unknown' : 'transport', reply: `no answer within ${maxWaitMs} ms` };
      }),
    ]).catch((error: Error): SystemOutcome => ({ kind: 'failed', reply: error.message, badAddress: false }));
    timer.abort();
    if (outcome.kind !== 'sent') log.warn({ to: mail.to, outcome }, 'system mail not sent');
    return outcome;
  };
}

/** @returns the sender, or a local outcome if the mail has none or the database cannot be read */
const readSender = (from: MailerParts['from'], mail: SystemMail): Promise<SystemSender | SystemOutcome> =>
  from(mail).then(
    (sender) => sender ?? { kind: 'no-sender', reply: 'the settings give this mail no sender: set MAIL_FROM' },
    (error: Error) => ({ kind: 'unmarked', reply: error.message }),
  );

/** Returns whether no mail server accepted the mail, so that it does not count. */
export const wasNotTaken = ({ kind }: SystemOutcome): boolean =>
  ['transport', 'dropped', 'sender-refused', 'limited', 'crowded', 'no-sender'].includes(kind);

/** Refuses a call whose confirmation mail was not sent. */
export const confirmationNotSent = ({ kind }: SystemOutcome): Problem =>
  kind === 'no-sender'
    ? new Problem(
        'no_system_sender',
        'このサーバーの設定が必要です。確認メールの差出人が決まっていないため、送信できませんでした。',
      )
    : new Problem(
        'mail_not_sent',
        '確認メールを送信できませんでした。メールアドレスに間違いがないか確かめて、しばらくしてからもう一度お試しください。',
        60,
      );
