import type { Database, Db } from '../../platform/database/db.ts';
import { PACKAGE } from '../../platform/package.ts';
import { Problem } from '../../platform/problem.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { addUndoWindow, createAccount } from '../account/account.command.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { verifyPassword } from '../auth/password.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { confirmAddress } from '../sender-addresses/confirmed-address.queries.ts';
import { DEMO_GROUPS } from './demo-content.ts';

export const DEMO_LOGIN = { email: 'demo@example.com', password: 'tegami-ga-todoku' } as const;
const DONE = 'demo_created';

/**
 * Creates the demo account with its senders and prospects in an empty database.
 * A demo whose creation was interrupted is completed. Does nothing when the demo is complete, or when the database has
 * only other accounts.
 * @param options the setting COMPANIES_MAX
 * @throws when an example file or the demo account is refused; StartupError where it has too many companies
 */
export async function makeDemo(database: Database, options: { readonly companiesMax?: number } = {}): Promise<void> {
  const { db } = database;
  const demo = await findDemo(db);
  if (demo ? await isComplete(db, demo.account_id) : await hasAccounts(db)) return;
  const accountId = demo?.account_id ?? (await createDemoAccount(db));
  await addUndoWindow(db, accountId);
  // The demo's addresses belong to nobody, and its mails never leave the machine.
  for (const { email } of DEMO_GROUPS.flatMap(({ senders }) => senders)) await confirmAddress(db, accountId, email);
  const report = await importProspects(database, { accountId, file: PACKAGE.demoProspects, ...options });
  if (report instanceof Problem) throw new StartupError(report.message);
  if (report.refused > 0) throw new Error('examples/prospects.csv was refused');
  // The demo is complete, so it needs no first steps.
  await db
    .updateTable('member')
    .set({ first_steps_dismissed_at: new Date() })
    .where('account_id', '=', accountId)
    .execute();
  await recordAudit(db, { accountId, memberId: null, kind: DONE, detail: {} });
}

/** Checks whether the demo account still has the public password of the README. */
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

async function isComplete(db: Db, accountId: number): Promise<boolean> {
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
  if (account instanceof Problem) throw new Error(account.message);
  return account;
}
