import type { TestDatabase } from './db.ts';
import type { Tenant } from './prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from './sending.ts';

const DAY_MS = 86_400_000;

/** Accepts a run of this many mails that were accepted this many days ago, so that it can be followed up. */
export async function sentRun(
  database: TestDatabase,
  tenant: Tenant,
  mails: number,
  { days = 10, ...options }: { readonly days?: number } & Parameters<typeof acceptRun>[3] = {},
): ReturnType<typeof acceptRun> {
  const run = await acceptRun(database, tenant, mails, options);
  const claims = await claimMails(database);
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
  await setBack(database, days);
  return run;
}

/** Makes all runs, mails and contacts this many days old. */
export async function setBack({ db }: TestDatabase, days: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY_MS);
  await db.updateTable('delivery').set({ created_at: at, finished_at: at }).execute();
  await db.updateTable('contact_state').set({ last_sent_at: at }).execute();
  await db.updateTable('address_contact').set({ last_sent_at: at }).execute();
  await db.updateTable('send_log').set({ sent_at: at }).execute();
}
