import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { openImap } from '#server/features/inbox/imap-session.ts';
import { type MailboxReaderParts, startMailboxReader } from '#server/features/mailbox-reading/mailbox-reader.ts';
import { mailboxSession } from '#server/features/mailbox-reading/mailbox-session.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { outboundWith } from '#server/platform/outbound/outbound.ts';
import type { TestDatabase } from './db.ts';
import type { ImapServer } from './imap-server.ts';
import { rawMail } from './inbox-mails.ts';
import { mailThread } from './inbox-reading.ts';
import { addTestMailbox } from './mailboxes.ts';
import { NO_DNS } from './no-dns.ts';
import { addDelivery } from './prospect-history.ts';
import { addProspects, type Tenant } from './prospects.ts';
import { testSecrets } from './secrets.ts';

/** The From address of the tests' runs. */
export const BOX = 'sender@example.com';

/** Adds a mailbox that is read, at the server with this name. @returns its id */
export const addReadMailbox = (
  { db }: TestDatabase,
  accountId: number,
  more: Parameters<typeof addTestMailbox>[2] = {},
): Promise<number> =>
  addTestMailbox(db, accountId, { address: BOX, imap_host: 'imap.example', reads_replies: true, ...more });

/**
 * Starts a worker's reader of mailboxes, which stops with the test.
 * @param servers by name
 * @returns how to stop it earlier
 */
export function startMailboxes(
  { service: { db } }: TestDatabase,
  servers: Readonly<Record<string, ImapServer>>,
  more: Partial<MailboxReaderParts> = {},
): () => Promise<void> {
  const stop = startMailboxReader({
    services: { db, now: Date.now, accountDb: accountDbOf(db) },
    mailboxes: { secrets: testSecrets, outbound: outboundWith(NO_DNS), now: Date.now },
    thread: mailThread,
    log: pino({ level: 'silent' }),
    open: async ({ host, credentials }, stopping) => {
      const server = servers[host];
      if (!server) throw new Error(`no server ${host}`);
      return mailboxSession(await openImap({ ...server.settings(), credentials }, stopping));
    },
    leaseEveryMs: 50,
    lookEveryMs: 50,
    retryMs: 50,
    ...more,
  });
  onTestFinished(stop);
  return stop;
}

/** A mail that was sent. */
export interface SentMail {
  readonly id: number;
  readonly prospectId: number;
  readonly run: number;
  readonly address: string;
  readonly key: string;
  /** Includes the angle brackets. */
  readonly messageId: string;
}

/** Adds a mail that was sent to an address now, from BOX. */
export async function addSentMail(
  { db }: TestDatabase,
  tenant: Tenant,
  address: string,
  { state = 'sent', subject = '受発注業務の効率化のご提案' } = {},
): Promise<SentMail> {
  const [prospectId = 0] = await addProspects(db, tenant.accountId, [
    { company_name: address, company_email: address },
  ]);
  const run = await addDelivery(db, tenant, prospectId, { state, mailTo: address });
  const { mail } = await db.selectFrom('send_log').select('mail').where('id', '=', run).executeTakeFirstOrThrow();
  await db
    .updateTable('send_log')
    .set({ mail: JSON.stringify({ ...(mail as object), subject }) })
    .where('id', '=', run)
    .execute();
  const messageId = `<${randomUUID()}@kaitaku.example>`;
  const row = await db
    .updateTable('delivery')
    .set({ finished_at: new Date(), message_id: messageId })
    .where('send_log_id', '=', run)
    .returning(['id', 'mail_key'])
    .executeTakeFirstOrThrow();
  return { id: row.id, prospectId, run, address, key: row.mail_key.replaceAll('-', ''), messageId };
}

type Field = readonly [name: string, value: string];

/** Builds a mail of a person without a thread. */
export const personMail = (from: string, subject: string, body: string | Buffer, more: readonly Field[] = []): Buffer =>
  rawMail(
    [
      ['Return-Path', `<${from}>`],
      ['From', from],
      ['To', BOX],
      ['Subject', subject],
      ['Message-ID', `<${randomUUID().toUpperCase()}@mail.example>`],
      ...more,
    ],
    body,
  );

/** Builds a server's report about one recipient. @param returned the header of the returned mail */
export const boxReport = (
  recipient: string,
  returned: string,
  {
    returnPath = '<>',
    status = '5.1.1',
    reason = 'smtp; 550 User unknown',
  }: Readonly<Partial<Record<string, string>>> = {},
): Buffer =>
  rawMail(
    [
      ...(returnPath === '' ? [] : [['Return-Path', returnPath] as const]),
      ['From', 'MAILER-DAEMON@mx.midori.example'],
      ['To', BOX],
      ['Subject', 'Undelivered Mail Returned to Sender'],
      ['Auto-Submitted', 'auto-replied'],
      ['Content-Type', 'multipart/report; report-type=delivery-status; boundary="b1"'],
      ['Message-ID', `<${randomUUID()}@mx.midori.example>`],
    ],
    `--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.midori.example

${recipient === '' ? '' : `Final-Recipient: rfc822; ${recipient}\n`}Action: failed
Status: ${status}
Diagnostic-Code: ${reason}

--b1
Content-Type: text/rfc822-headers

${returned}

--b1--
`,
  );
