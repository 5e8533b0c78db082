import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type InboxReaderParts, startInboxReader } from '#server/features/inbox/inbox-reader.ts';
import { openMailThread } from '#server/features/inbox/parse-beside.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import type { TestDatabase } from './db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN } from './inbox-mails.ts';
import { NO_DNS } from './no-dns.ts';
import { addDelivery } from './prospect-history.ts';
import { addProspects, type Tenant } from './prospects.ts';

/** The thread of all readers in these tests, as starting one takes longer than a mail. It keeps no process alive. */
export const mailThread = openMailThread();

/** Starts a reader of the inbox, which stops with the test. @returns a function that stops it earlier */
export function startReader(
  { service: { db } }: TestDatabase,
  parts: Pick<InboxReaderParts, 'name' | 'open'> & Partial<InboxReaderParts>,
): () => Promise<void> {
  const stop = startInboxReader({
    db,
    now: Date.now,
    accountDb: accountDbOf(db),
    dnsServers: NO_DNS.dnsServers,
    returnPattern: RETURN_PATTERN,
    thread: mailThread,
    log: pino({ level: 'silent' }),
    retryMs: 100,
    ...parts,
  });
  onTestFinished(stop);
  return stop;
}

/** Returns a log for a reader, and the faults that it logs, in order. */
export function faultLog(): { readonly log: Logger; readonly faults: string[] } {
  const faults: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      const { err } = JSON.parse(String(line)) as { err?: { fault?: string; message: string } };
      if (err) faults.push(err.fault ?? err.message);
      done();
    },
  });
  return { log: pino(stream), faults };
}

/** Adds sent mails. @returns a bounce report for each */
export async function bouncedMails({ db }: TestDatabase, tenant: Tenant, count: number): Promise<Buffer[]> {
  const companies = Array.from({ length: count }, (_, n) => ({ company_name: `会社${n}` }));
  const ids = await addProspects(db, tenant.accountId, companies);
  for (const id of ids) await addDelivery(db, tenant, id, { state: 'sent', mailTo: `info${id}@midori.example` });
  const rows = await db
    .updateTable('delivery')
    .set({ finished_at: new Date() })
    .where('prospect_id', 'in', ids)
    .returning(['mail_key', 'mail_to'])
    .execute();
  return rows.map(({ mail_key, mail_to }) =>
    dsnMail({
      key: mail_key?.replaceAll('-', '') ?? '',
      groups: [postfixGroup(mail_to ?? '', '5.1.1', 'smtp; 550 User unknown')],
    }),
  );
}

/** Counts the mails whose state a report has changed to failed. */
export const countFailed = async ({ db }: TestDatabase): Promise<number> =>
  (await db.selectFrom('delivery').select('id').where('state', '=', 'failed').execute()).length;
