import type { AccountDb } from '../../platform/database/account-db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import type { Credentials, SmtpSettings } from '../../platform/mail/smtp/settings.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { Problem } from '../../platform/problem.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Mailbox, openMailbox } from './mailbox.queries.ts';
import { accessTokenOf } from './renew-token.command.ts';

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

/**
 * Returns what logs in to the servers of a mailbox now, by SMTP and IMAP alike. It may ask the provider for a new
 * token, for some 30 seconds: not within a transaction.
 */
export async function mailboxLogIn(
  services: MailboxServices,
  account: AccountDb,
  mailbox: Mailbox,
): Promise<Credentials | NoLogIn> {
  const { username: user } = mailbox;
  if (mailbox.kind === 'smtp') {
    const secret = openMailbox(services.secrets, mailbox);
    if (secret instanceof Problem) return 'unknown_key';
    return secret !== null && 'password' in secret ? { user, pass: secret.password } : 'lost';
  }
  try {
    const token = await accessTokenOf(services, account, mailbox);
    return typeof token === 'string' ? token : { user, ...token };
  } catch (error) {
    // The new home of the account asks for its own.
    if (isAccountFrozen(error)) return 'wait';
    throw error;
  }
}

/** Returns the SMTP settings of a mailbox: TLS always, never signed by us. */
export const smtpOf = (
  { smtp_host: host, smtp_port: port, security }: Mailbox,
  credentials: Credentials | null,
  outbound: Outbound,
): SmtpSettings => ({
  host,
  port,
  secure: security === 'tls',
  requireTls: security === 'starttls',
  credentials,
  connect: outbound.connect,
});
