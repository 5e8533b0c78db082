import { type Database, openDatabase } from '../platform/db.ts';
import { MigrationFault, migrate } from '../platform/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

const OLDEST_MAJOR = 15;

/**
 * A connected database with the newest schema. The caller closes it.
 * @throws StartupError when it does not answer, is too old or too new, or a migration fails
 */
export async function openMigrated(url: string): Promise<Database> {
  const database = openDatabase(url);
  try {
    await refuseOldServer(database);
    await migrate(database.pool);
    return database;
  } catch (error) {
    await database.close();
    if (!(error instanceof MigrationFault)) throw error;
    throw new StartupError(`データベースを最新の形にできませんでした（${error.message}）。データは元のままです。`);
  }
}

async function refuseOldServer({ pool }: Database): Promise<void> {
  let version: number;
  try {
    const { rows } = await pool.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
    );
    version = rows[0]?.version ?? 0;
  } catch (error) {
    throw new StartupError(
      `データベースに接続できませんでした（${(error as Error).message}）。DATABASE_URL を確認してください。`,
    );
  }
  if (version >= OLDEST_MAJOR) return;
  throw new StartupError(
    `データベースはPostgreSQL ${version} です。PostgreSQL ${OLDEST_MAJOR} 以上を DATABASE_URL で指定してください。`,
  );
}
