import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/database/db.ts';
import { checkVersion, newestVersion, readApplied } from '../platform/database/migrate.ts';
import { StartupError } from '../platform/startup-error.ts';

/** Polls the version of the schema, as another process migrates. @param pool of a role that may read the version */
export async function waitForSchema(pool: Database['pool'], waitMs: number, onWait: () => void): Promise<void> {
  const program = await newestVersion();
  const end = Date.now() + waitMs;
  for (let n = 0; ; n += 1) {
    const version = checkVersion(await appliedOrNone(pool), program);
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

/** Reads the migrations that were applied. None before the first one has made the table and lets this role read it. */
async function appliedOrNone(pool: Database['pool']): ReturnType<typeof readApplied> {
  try {
    return await readApplied(pool);
  } catch (error) {
    if (['42P01', '42501'].includes((error as { code?: string }).code ?? '')) return [];
    throw error;
  }
}
