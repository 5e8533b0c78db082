import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Credentials, SmtpSettings } from '../../platform/mail/smtp/settings.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { Problem } from '../../platform/problem.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Mailbox, openMailbox } from './mailbox.queries.ts';

/** What a process needs to log in to mailboxes. */
export interface MailboxServices {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Why a process cannot log in now. wait: another process asks for a new token; lost: nothing to log in with, or the
 * provider refuses; unknown_key: this process lacks the key of the seal.
 */
export type NoLogIn = 'wait' | 'lost' | 'unknown_key';

/** Returns what logs in to the servers of a mailbox now, by SMTP and IMAP alike. */
export async function mailboxLogIn(
  { secrets }: MailboxServices,
  _account: AccountDb,
  mailbox: Mailbox,
): Promise<Credentials | NoLogIn> {
  const secret = openMailbox(secrets, mailbox);
  if (secret instanceof Problem) return 'unknown_key';
  if (secret === null) return 'lost';
  const { username: user } = mailbox;
  return 'password' in secret ? { user, pass: secret.password } : { user, accessToken: secret.accessToken };
}

/** Returns the SMTP settings of a mailbox: TLS always, never signed by us. */
export const smtpOf = (
  { smtp_host: host, smtp_port: port, security }: Mailbox,
  credentials: Credentials,
  outbound: Outbound,
): SmtpSettings => ({
  host,
  port,
  secure: security === 'tls',
  requireTls: security === 'starttls',
  credentials,
  connect: outbound.connect,
});
