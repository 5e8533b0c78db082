import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { createAccount } from '#server/features/account/account.command.ts';
import { DEMO_LOGIN, makeDemo } from '#server/features/demo/demo.command.ts';
import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import { importProspects } from '#server/features/prospect-import/import.command.ts';
import { type Database, openDatabase } from '#server/platform/db.ts';
import { empty } from '#test/db.ts';
import { launchBrowser } from './browser.ts';
import type { Login } from './demo.ts';
import { type MailCatcher, mailCatcherAt } from './mail-catcher.ts';

interface Scene extends MailCatcher {
  readonly url: string;
  readonly databaseUrl: string;
  /** Of the file's own; closed with it. */
  readonly browser: Browser;
}

/** The program of this worker. Vitest numbers the workers that run at the same time from 1. */
export function programOfWorker() {
  const program = inject('programs')[Number(process.env.VITEST_POOL_ID) - 1];
  if (!program) throw new Error(`there is no program for worker ${process.env.VITEST_POOL_ID}`);
  return program;
}

/**
 * What a file of this folder begins with: the program of shared-program.ts, in which there is the demo account and
 * nothing else, and a browser. For files that leave no mail on its way and the program running.
 */
export function shareScene(): Scene {
  const { url, catcherUrl, databaseUrl } = programOfWorker();
  let browser: Browser | undefined;
  beforeAll(async () => {
    const beginAgain = onDatabase(databaseUrl, async (database) => {
      await empty(database);
      await makeDemo(database);
    });
    const forget = fetch(`${catcherUrl}/email/all`, { method: 'DELETE' });
    [browser] = await Promise.all([launchBrowser(), beginAgain, forget]);
  });
  afterAll(() => browser?.close());
  return {
    url,
    databaseUrl,
    ...mailCatcherAt(catcherUrl),
    get browser() {
      if (!browser) throw new Error('no test has begun');
      return browser;
    },
  };
}

/** Another person with the demo's list and templates, for whoever must not meet what the first one does. */
export async function addPerson({ databaseUrl }: Scene, email: string): Promise<Login> {
  const login = { ...DEMO_LOGIN, email };
  await onDatabase(databaseUrl, async (database) => {
    const accountId = await createAccount(
      database.db,
      { ...login, name: '田中 直樹', company: '株式会社架空商事' },
      DEMO_GROUPS,
    );
    if (typeof accountId !== 'number') throw new Error(accountId.message);
    await importProspects(database, { accountId, file: 'examples/prospects.csv' });
  });
  return login;
}

async function onDatabase(url: string, work: (database: Database) => Promise<void>): Promise<void> {
  const database = openDatabase(url, { connections: 2 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
