import { join } from 'node:path';
import type { Database, Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { createAccount } from '../account/account.command.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { verifyPassword } from '../auth/password.ts';
import { importProspects } from '../prospect-import/import.command.ts';
import { DEMO_GROUPS } from './demo-content.ts';

export const DEMO_LOGIN = { email: 'demo@example.com', password: 'tegami-ga-todoku' } as const;
const PROSPECTS = join(import.meta.dirname, '../../../../examples/prospects.csv');
const DONE = 'demo_created';

/**
 * Fills an empty database with the demo account, its senders and its list. A start that was killed half-way through is taken up
 * again; an account of the user's own, or a finished demo, is left alone.
 */
export async function makeDemo(database: Database): Promise<void> {
  const { db } = database;
  const demo = await findDemo(db);
  if (demo ? await isDone(db, demo.account_id) : await hasAccounts(db)) return;
  const accountId = demo?.account_id ?? (await createDemoAccount(db));
  const report = await importProspects(database, { accountId, file: PROSPECTS });
  if (report instanceof Refusal || report.refused > 0) throw new Error('examples/prospects.csv was refused');
  await recordAudit(db, { accountId, memberId: null, kind: DONE, detail: {} });
}

/** Whether anybody who has read the README can log in: the demo account with the password it was made with. */
export async function isDemoLoginOpen({ db }: Pick<Database, 'db'>): Promise<boolean> {
  const demo = await findDemo(db);
  return demo !== undefined && verifyPassword(demo.password_hash, DEMO_LOGIN.password);
}

const findDemo = (db: Db) =>
  db
    .selectFrom('member')
    .select(['account_id', 'password_hash'])
    .where('email', '=', DEMO_LOGIN.email)
    .executeTakeFirst();

const hasAccounts = async (db: Db) =>
  (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined;

async function isDone(db: Db, accountId: number): Promise<boolean> {
  const event = await db
    .selectFrom('audit_event')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', DONE)
    .executeTakeFirst();
  return event !== undefined;
}

async function createDemoAccount(db: Db): Promise<number> {
  const person = { ...DEMO_LOGIN, name: '田中 直樹', company: '株式会社架空商事' };
  const account = await createAccount(db, person, DEMO_GROUPS);
  if (account instanceof Refusal) throw new Error(account.message);
  return account;
}
