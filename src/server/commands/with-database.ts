import { type Database, openDatabase } from '../platform/db.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { Settings } from '../platform/settings.ts';
import { prepareDatabase } from './open-database.ts';

/**
 * Runs `work` on the migrated database of the settings. An embedded server that runs already is used as it is; one that had
 * to be started is stopped afterwards, unless somebody else uses it by then.
 */
export async function withDatabase<Result>(
  { databaseUrl, dataDir }: Settings,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== null) return withOpened(databaseUrl, work);
  const embedded = await startEmbeddedPostgres(dataDir);
  let usedByOthers = false;
  try {
    return await withOpened(embedded.url, async (database) => {
      try {
        return await work(database);
      } finally {
        usedByOthers = await hasOtherClients(database);
      }
    });
  } finally {
    if (!embedded.adopted && !usedByOthers) await embedded.stop();
  }
}

async function withOpened<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  await prepareDatabase(url);
  const database = openDatabase(url, { role: 'kaitaku_service' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function hasOtherClients({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ others: boolean }>(
    `SELECT count(*) > $1 AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kaitaku%'`,
    [pool.totalCount],
  );
  return rows[0]?.others ?? false;
}
