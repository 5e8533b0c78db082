import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAccess } from '../platform/database-access.ts';
import { type Database, openDatabase } from '../platform/db.ts';
import { newestVersion, refuseNewer } from '../platform/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Polls the version of the schema, as another process migrates. */
export async function waitForSchema(access: DatabaseAccess, waitMs: number, onWait: () => void): Promise<void> {
  const program = await newestVersion();
  // `api` may not read the version.
  const role = access.roles.find((one) => one !== 'api') ?? 'service';
  const { pool, close } = openDatabase(access.urlOf(role), { connections: 1 });
  const end = Date.now() + waitMs;
  try {
    for (let n = 0; ; n += 1) {
      const version = await schemaVersion(pool);
      refuseNewer(version, program);
      if (version === program) return;
      if (Date.now() >= end) {
        throw new StartupError(
          `データベースの形が古いままです（データベース ${version}、プログラム ${program}）。` +
            '所有者の DATABASE_URL で npm run kaitaku -- migrate を実行してください。',
        );
      }
      if (n === 0) onWait();
      await sleep(Math.min(1000, waitMs));
    }
  } finally {
    await close();
  }
}

/**
 * Returns the version of the schema.
 * 0 before the first migration, and before the one that lets this role read the table.
 */
async function schemaVersion(pool: Database['pool']): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migration');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (['42P01', '42501'].includes((error as { code?: string }).code ?? '')) return 0;
    throw error;
  }
}
