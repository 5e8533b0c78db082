import { type Database, openDatabase } from '../platform/db.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../platform/migrate.ts';
import type { Settings } from '../platform/settings.ts';

/**
 * Runs `work` on the migrated database of the settings. An embedded server that runs already is used as it is; one that had
 * to be started is stopped afterwards, unless somebody else uses it by then.
 */
export async function withDatabase<Result>(
  settings: Settings,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const embedded = settings.databaseUrl === null ? await startEmbeddedPostgres(settings.dataDir) : null;
  const database = openDatabase(embedded?.url ?? settings.databaseUrl ?? '');
  let usedByOthers = false;
  try {
    await migrate(database.pool);
    return await work(database);
  } finally {
    if (embedded) usedByOthers = await hasOtherClients(database);
    await database.close();
    if (embedded && !embedded.adopted && !usedByOthers) await embedded.stop();
  }
}

async function hasOtherClients({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ others: boolean }>(
    `SELECT count(*) > $1 AS others FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
    [pool.totalCount],
  );
  return rows[0]?.others ?? false;
}
