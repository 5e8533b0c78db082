import { join } from 'node:path';
import type { Database, Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { createAccount } from '../account/account.command.ts';
import { importProspects } from '../prospect-import/import.command.ts';
import { DEMO_GROUPS } from './demo-content.ts';

export const DEMO_LOGIN = { email: 'demo@example.com', password: 'kaitaku-demo' } as const;
const PROSPECTS = join(import.meta.dirname, '../../../../examples/prospects.csv');
const DONE = 'demo_created';

/**
 * Fills an empty database with the demo account, its senders and its list. A start that was killed half-way through is taken up
 * again; an account of the user's own, or a finished demo, is left alone.
 * @returns whether the demo login exists now
 */
export async function makeDemo(database: Database): Promise<boolean> {
  const { db } = database;
  const accounts = await db.selectFrom('account').select(['id', 'email']).limit(2).execute();
  const demo = accounts.find(({ email }) => email === DEMO_LOGIN.email);
  if (accounts.length > 0 && (!demo || (await isDone(db, demo.id)))) return demo !== undefined;
  const accountId = demo?.id ?? (await created(db));
  await addSenders(db, accountId);
  const report = await importProspects(database, { accountId, file: PROSPECTS });
  if (report instanceof Refusal || report.refused > 0) throw new Error('examples/prospects.csv was refused');
  await db.insertInto('audit_event').values({ account_id: accountId, kind: DONE }).execute();
  return true;
}

async function isDone(db: Db, accountId: number): Promise<boolean> {
  const event = await db
    .selectFrom('audit_event')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', DONE)
    .executeTakeFirst();
  return event !== undefined;
}

async function created(db: Db): Promise<number> {
  const account = await createAccount(db, { ...DEMO_LOGIN, name: '田中 直樹', company: '株式会社架空商事' });
  if (account instanceof Refusal) throw new Error(account.message);
  return account;
}

async function addSenders(db: Db, account_id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const there = await tx.selectFrom('sender').select('id').where('account_id', '=', account_id).executeTakeFirst();
    if (there) return;
    for (const { group_name, senders } of DEMO_GROUPS) {
      const group = await tx
        .insertInto('sender_group')
        .values({ account_id, group_name })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const { template, ...sender } of senders) {
        const { id: template_id } = await tx
          .insertInto('mail_template')
          .values({ account_id, ...template })
          .returning('id')
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('sender')
          .values({ account_id, sender_group_id: group.id, template_id, ...sender })
          .execute();
      }
    }
  });
}
