import { MAX_TARGETS } from '#domain/limits.ts';
import { acceptSend } from '#server/features/sending/accept.command.ts';
import type { AccountDb } from '#server/platform/account-db.ts';
import type { Db } from '#server/platform/db.ts';
import { Refusal } from '#server/platform/refusal.ts';
import { addManyProspects, addTenant, type Tenant } from './prospects.ts';

interface Pools {
  /** The owner's. */
  readonly db: Db;
  readonly account: (accountId: number) => AccountDb;
}

/** A new tenant that has asked for so many mails, in runs of at most 1,000. They wait for a worker. */
export async function acceptMails({ db, account }: Pools, mails: number): Promise<Tenant> {
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, mails);
  const rows = await db
    .selectFrom('prospect')
    .select('id as prospect_id')
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  for (let from = 0; from < mails; from += MAX_TARGETS) {
    const attack_list = rows.slice(from, from + MAX_TARGETS);
    const body = { test_send_mode: 0 as const, attack_list, days_from_lastday: 7 };
    const request = { senderId: tenant.senderId, body, idempotencyKey: null };
    const answer = await acceptSend(account(tenant.accountId), request, Date.now());
    if (answer instanceof Refusal || answer.accepted !== attack_list.length) throw new Error(JSON.stringify(answer));
  }
  return tenant;
}
