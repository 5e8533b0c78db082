import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { MailboxServices } from '#server/features/mailboxes/mailbox-log-in.ts';
import { type Outbound, OutboundFault } from '#server/platform/outbound/outbound.ts';
import { type Certificate, selfSigned } from './certificate.ts';
import type { TestDatabase } from './db.ts';
import { addTestMailbox } from './mailboxes.ts';
import type { Tenant } from './prospects.ts';
import { testSecrets } from './secrets.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** The servers of members' mailboxes, by name: sinks on loopback with STARTTLS and a log-in of their own. */
export type BoxSinks = Map<string, SmtpSink>;

const certificates = new Map<string, Certificate>();

/** Trusted as by NODE_EXTRA_CA_CERTS. */
function certificateOf(host: string): Certificate {
  const known = certificates.get(host) ?? selfSigned({ host });
  if (!certificates.has(host)) setDefaultCACertificates([...getCACertificates('default'), known.cert]);
  certificates.set(host, known);
  return known;
}

export const passwordOf = (host: string): string => `password of ${host}`;

/** Starts the server of a mailbox, which closes with the test. */
export async function startBoxSink(sinks: BoxSinks, host: string): Promise<SmtpSink> {
  const sink = await startSmtpSink();
  onTestFinished(() => sink.close());
  sink.tls = { ...certificateOf(host), from: 'STARTTLS' };
  sink.login = { user: host, pass: passwordOf(host) };
  sinks.set(host, sink);
  return sink;
}

/** Connects to sinks by their names alone. */
export const outboundTo = (sinks: BoxSinks): Outbound => ({
  fetch: async () => {
    throw new OutboundFault('unreachable');
  },
  addressOf: async () => '127.0.0.1',
  connect: (host) =>
    new Promise((done, fail) => {
      const sink = sinks.get(host);
      if (!sink) return fail(new OutboundFault('no_address'));
      const socket = connect({ host: '127.0.0.1', port: sink.port });
      socket.once('connect', () => done(socket)).once('error', fail);
    }),
});

export const boxServices = (sinks: BoxSinks): MailboxServices => ({
  secrets: testSecrets,
  outbound: outboundTo(sinks),
  now: Date.now,
});

/**
 * Adds a mailbox at a host, and lets the tenant's profile send from its address by it.
 * @returns its id
 */
export async function sendByBox(
  { db }: Pick<TestDatabase, 'db'>,
  { accountId, senderId }: Tenant,
  host: string,
  info: Parameters<typeof addTestMailbox>[2] = {},
): Promise<number> {
  const address = `person@${host}`;
  const password = passwordOf(host);
  const id = await addTestMailbox(db, accountId, { address, smtp_host: host, username: host, password, ...info });
  await leaveBy({ db }, { accountId, senderId }, id, info.address ?? address);
  return id;
}

/** Lets a sender's profile send by a mailbox, from this address. */
export async function leaveBy(
  { db }: Pick<TestDatabase, 'db'>,
  { accountId, senderId }: Pick<Tenant, 'accountId' | 'senderId'>,
  mailbox_id: number | null,
  email?: string,
): Promise<void> {
  await db
    .updateTable('sender_profile')
    .set({ mailbox_id, ...(email !== undefined && { email }) })
    .where('account_id', '=', accountId)
    .where('id', '=', ({ selectFrom }) => selectFrom('sender').select('profile_id').where('id', '=', senderId))
    .execute();
}
