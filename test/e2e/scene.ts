import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { beforeAll, inject } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { DEMO_LOGIN, makeDemo } from '#server/features/demo/demo.command.ts';
import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import { importProspects } from '#server/features/imports/merge/import.command.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { addMember } from '#test/accounts.ts';
import { empty } from '#test/db.ts';
import { browserOfWorker } from './browser.ts';
import type { Login } from './demo.ts';
import { type MailCatcher, mailCatcherAt } from './mail-catcher.ts';

export interface Scene extends MailCatcher {
  readonly url: string;
  readonly databaseUrl: string;
  /** The browser of the worker. */
  readonly browser: Browser;
}

/** Returns the program of this worker. Vitest numbers parallel workers from 1. */
export function programOfWorker() {
  const program = inject('programs')[Number(process.env.VITEST_POOL_ID) - 1];
  if (!program) throw new Error(`there is no program for worker ${process.env.VITEST_POOL_ID}`);
  return program;
}

/**
 * Returns a scene for a test file: the program of shared-program.ts with only the demo account, and a browser.
 * For files that leave no open mails and do not stop the program.
 */
export function shareScene(): Scene {
  const { url, catcherUrl, databaseUrl } = programOfWorker();
  const browser = browserOfWorker();
  beforeAll(async () => {
    const beginAgain = onDatabase(databaseUrl, async (database) => {
      await empty(database);
      await makeDemo(database);
      // What a test sends leaves at once. test/e2e/undo.test.ts chooses a window.
      await database.db.updateTable('account_rule').set({ undo_seconds: 0 }).execute();
    });
    await Promise.all([beginAgain, fetch(`${catcherUrl}/email/all`, { method: 'DELETE' })]);
  });
  return { url, databaseUrl, browser, ...mailCatcherAt(catcherUrl) };
}

/** Adds a user with the demo's list and templates, for tests that must not see the first user's actions. */
export async function addPerson({ databaseUrl }: Scene, email: string): Promise<Login> {
  const login = { ...DEMO_LOGIN, email };
  await onDatabase(databaseUrl, async (database) => {
    const accountId = await createAccount(
      database.db,
      { ...login, name: '田中 直樹', company: '株式会社架空商事' },
      DEMO_GROUPS,
    );
    if (typeof accountId !== 'number') throw new Error(accountId.message);
    for (const { email: from } of DEMO_GROUPS.flatMap(({ senders }) => senders))
      await confirmAddress(database.db, accountId, from);
    await importProspects(database, { accountId, file: 'examples/prospects.csv' });
  });
  return login;
}

/** Adds a member to the demo account, with the same password. */
export async function addColleague({ databaseUrl }: Scene, email: string, role: Role = 'admin'): Promise<Login> {
  await onDatabase(databaseUrl, async ({ db }) => {
    const { account_id, password_hash } = await db
      .selectFrom('member')
      .select(['account_id', 'password_hash'])
      .where('email', '=', DEMO_LOGIN.email)
      .executeTakeFirstOrThrow();
    await addMember(db, account_id, { email, name: '佐藤 花子', passwordHash: password_hash, role });
  });
  return { ...DEMO_LOGIN, email };
}

/** Lets the demo account be told that its sending has stopped: its members get a mail. */
export const tellStop = ({ databaseUrl }: Scene): Promise<void> =>
  onDatabase(databaseUrl, async ({ db }) => {
    const ofDemo = db
      .selectFrom('member')
      .select(['account_id', sql.lit('stopped').as('kind')])
      .where('email', '=', DEMO_LOGIN.email);
    await db.insertInto('notice_event').columns(['account_id', 'kind']).expression(ofDemo).execute();
  });

async function onDatabase(url: string, work: (database: Database) => Promise<void>): Promise<void> {
  const database = openDatabase(url, { connections: 2 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
