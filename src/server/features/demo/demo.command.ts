import { Readable } from 'node:stream';
import type { Role } from '#domain/account/role.ts';
import type { Database, Db } from '../../platform/database/db.ts';
import { PACKAGE } from '../../platform/package.ts';
import { Problem } from '../../platform/problem.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { addUndoWindow, createAccount } from '../account/account.command.ts';
import { isDemo } from '../audit/is-demo.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashPassword, verifyPassword } from '../auth/password.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { addMember } from '../members/member-rows.ts';
import { ensureFields } from '../own-fields/ensure.command.ts';
import { confirmAddress } from '../sender-addresses/confirmed-address.queries.ts';
import { DEMO_CARDS, DEMO_FIELDS, DEMO_GROUPS } from './demo-content.ts';

export const DEMO_LOGIN = { email: 'demo@example.com', password: 'tegami-ga-todoku' } as const;
/** The colleagues of the demo's admin, with the same password. */
export const DEMO_COLLEAGUES = [
  { email: 'demo-sales@example.com', name: '鈴木 彩', role: 'sales', group: DEMO_GROUPS[0]?.group_name },
  { email: 'demo-viewer@example.com', name: '佐藤 花子', role: 'viewer', group: undefined },
] as const;

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
  if (demo ? await isDemo(db, demo.account_id) : await hasAccounts(db)) return;
  const accountId = demo?.account_id ?? (await createDemoAccount(db));
  await addUndoWindow(db, accountId);
  // The demo's addresses belong to nobody, and its mails never leave the machine.
  for (const { email } of DEMO_GROUPS.flatMap(({ senders }) => senders)) await confirmAddress(db, accountId, email);
  const report = await importProspects(database, { accountId, file: PACKAGE.demoProspects, ...options });
  if (report instanceof Problem) throw new StartupError(report.message);
  if (report.refused > 0) throw new Error('examples/prospects.csv was refused');
  await addCards(database, accountId);
  await addColleagues(db, accountId);
  // The demo is complete, so it needs no first steps.
  await db
    .updateTable('member')
    .set({ first_steps_dismissed_at: new Date() })
    .where('account_id', '=', accountId)
    .execute();
  await recordAudit(db, { accountId, memberId: null, kind: 'demo_created', detail: {} });
}

/** Adds people, own fields and tags to some companies. What an interrupted start has added is changed by nothing. */
async function addCards(database: Database, accountId: number): Promise<void> {
  const fields = await database.db.transaction().execute((tx) => ensureFields(tx, accountId, DEMO_FIELDS));
  if (fields instanceof Problem) throw new Error(fields.message);
  const { fileName, text } = DEMO_CARDS;
  const cards = await importProspects(database, { accountId, file: Readable.from([Buffer.from(text)]), fileName });
  if (cards instanceof Problem) throw new Error(cards.message);
  if (!cards.imported || cards.added > 0) throw new Error('the cards of the demo do not fit its companies');
}

/** Adds the colleagues who are missing: an interrupted start may have added the first one. */
async function addColleagues(db: Db, accountId: number): Promise<void> {
  const password_hash = await hashPassword(DEMO_LOGIN.password);
  await db.transaction().execute(async (tx) => {
    const groups = await tx
      .selectFrom('sender_group')
      .select(['id', 'group_name'])
      .where('account_id', '=', accountId)
      .execute();
    const there = await tx.selectFrom('member').select('email').where('account_id', '=', accountId).execute();
    for (const { group, ...person } of DEMO_COLLEAGUES) {
      if (there.some(({ email }) => email === person.email)) continue;
      const own = groups.filter(({ group_name }) => group_name === group).map(({ id }) => id);
      await addMember(tx, accountId, { ...person, password_hash, groups: own.length === 0 ? null : own });
    }
  });
}

export interface DemoLogin {
  readonly email: string;
  readonly role: Role;
}

const EMAILS = [DEMO_LOGIN, ...DEMO_COLLEAGUES].map(({ email }) => email);

/** Returns the members of the demo who still have the public password of the README; stopped ones may come back. */
export async function openDemoLogins({ db }: Pick<Database, 'db'>): Promise<readonly DemoLogin[]> {
  const members = await db
    .selectFrom('member')
    .select(['email', 'role', 'password_hash'])
    .where('email', 'in', EMAILS)
    .orderBy('id')
    .execute();
  const open: DemoLogin[] = [];
  for (const { email, role, password_hash } of members) {
    if (await verifyPassword(password_hash, DEMO_LOGIN.password)) open.push({ email, role: role as Role });
  }
  return open;
}

const findDemo = (db: Db) =>
  db.selectFrom('member').select('account_id').where('email', '=', DEMO_LOGIN.email).executeTakeFirst();

const hasAccounts = async (db: Db) =>
  (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined;

async function createDemoAccount(db: Db): Promise<number> {
  const person = { ...DEMO_LOGIN, name: '田中 直樹', company: '株式会社架空商事' };
  const account = await createAccount(db, person, DEMO_GROUPS);
  if (account instanceof Problem) throw new Error(account.message);
  return account;
}
