import { domainToASCII } from 'node:url';
import type { MailboxKind } from '#contract/senders/mailboxes-names.ts';
import { type Outbound, OutboundFault } from '../../platform/outbound/outbound.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';
import type { Mailbox } from '../mailboxes/mailbox.queries.ts';

/** What connects to the servers of a mailbox. */
export type Connection = Pick<
  Mailbox,
  'smtp_host' | 'smtp_port' | 'security' | 'username' | 'imap_host' | 'reads_replies'
>;

type Servers = Pick<Connection, 'smtp_host' | 'smtp_port' | 'security' | 'imap_host'>;

/** The servers of providers, which no member names. */
export const KNOWN_SERVERS: Readonly<Record<Exclude<MailboxKind, 'smtp'>, Servers>> = {
  google: { smtp_host: 'smtp.gmail.com', smtp_port: 587, security: 'starttls', imap_host: 'imap.gmail.com' },
  microsoft: {
    smtp_host: 'smtp.office365.com',
    smtp_port: 587,
    security: 'starttls',
    imap_host: 'outlook.office365.com',
  },
};

/** The mails of a mailbox: by default a day and a minute, and the most that a member may choose a day. */
export const LIMITS: Readonly<Record<MailboxKind, { perDay: number; perMinute: number; mostPerDay: number }>> = {
  google: { perDay: 300, perMinute: 20, mostPerDay: 1500 },
  microsoft: { perDay: 300, perMinute: 20, mostPerDay: 5000 },
  smtp: { perDay: 500, perMinute: 30, mostPerDay: 10_000 },
};

/** The connection's fields as a call gives them. */
export interface GivenConnection {
  readonly smtp_host?: string | undefined;
  readonly smtp_port?: number | undefined;
  readonly security?: Mailbox['security'] | undefined;
  readonly username?: string | undefined;
  readonly imap_host?: string | null | undefined;
  readonly reads_replies?: 0 | 1 | undefined;
}

/** TLS from the first byte at its own port; STARTTLS at the others. */
export const securityOf = (port: number): Mailbox['security'] => (port === 465 ? 'tls' : 'starttls');

const PRIVATE_HOST = '社内のサーバーには、管理者の設定（MAIL_HOSTS_ALLOWED）が必要です。';

/** Returns a host as it is stored: an international name in its form for the DNS. */
export function storedHost(host: string): string {
  const name = host.trim().replace(/\.$/, '');
  return domainToASCII(name).toLowerCase() || name;
}

/**
 * Refuses hosts that are none, or in the network of this server. Of others the check says whether they answer.
 * Looks into the DNS: no transaction may be open.
 * @param path of the fields: `add_info`
 */
export async function hostProblem(outbound: Outbound, path: string, given: GivenConnection): Promise<Problem | null> {
  for (const field of ['smtp_host', 'imap_host'] as const) {
    const host = given[field];
    const fault = host === undefined || host === null ? null : await hostFault(outbound, host);
    if (fault !== null) return fieldProblem(`${path}.${field}`, 'invalid_host', fault);
  }
  return null;
}

async function hostFault(outbound: Outbound, host: string): Promise<string | null> {
  try {
    await outbound.addressOf(storedHost(host));
    return null;
  } catch (error) {
    if (!(error instanceof OutboundFault)) throw error;
    if (error.reason === 'private_address') return PRIVATE_HOST;
    return error.reason === 'invalid_host'
      ? 'サーバーの名前を読み取れません。smtp.example.co.jp の形で入力してください。'
      : null;
  }
}

/** Refuses what only a mailbox with a password has. */
export function knownServersProblem(
  kind: MailboxKind,
  path: string,
  given: GivenConnection & { readonly password?: string | undefined },
): Problem | null {
  if (kind === 'smtp') return null;
  const named = (['smtp_host', 'smtp_port', 'security', 'username', 'imap_host', 'password'] as const).find(
    (field) => given[field] !== undefined,
  );
  if (named === undefined) return null;
  const message = 'Google WorkspaceとMicrosoft 365では、サーバーもパスワードも入力しません';
  return fieldProblem(`${path}.${named}`, 'invalid_input', message);
}

/** Refuses to read a mailbox without a server. */
export function readingProblem(path: string, { imap_host, reads_replies }: Connection): Problem | null {
  if (!reads_replies || imap_host !== null) return null;
  return fieldProblem(`${path}.imap_host`, 'invalid_input', '返信を読むには、IMAPサーバーを入力してください');
}
