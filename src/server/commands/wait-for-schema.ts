import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/database/db.ts';
import { newestVersion, refuseNewer } from '../platform/database/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Polls the version of the schema, as another process migrates. @param pool of a role that may read the version */
export async function waitForSchema(pool: Database['pool'], waitMs: number, onWait: () => void): Promise<void> {
  const program = await newestVersion();
  const end = Date.now() + waitMs;
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
