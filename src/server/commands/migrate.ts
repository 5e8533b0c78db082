import { isBundled } from '../platform/database-access.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { takesNothing } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方: npm run kaitaku -- migrate

データベースのロールを用意し、データベースをこのプログラムの形まで進めます。戻すことはできません。
ロールを作れないユーザーのときは、管理者に渡すSQLを表示します。`;

export async function migrateCommand(args: string[], readSettings: () => Settings): Promise<number> {
  if (!takesNothing(args, USAGE)) return 0;
  const settings = readSettings();
  if (settings.database.owner === null && !isBundled(settings.database))
    throw new StartupError('migrate には DATABASE_URL が必要です。');
  const version = await withDatabase(
    settings,
    async ({ pool }) => {
      const { rows } = await pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migration');
      return rows[0]?.version;
    },
    { isMigrate: true },
  );
  process.stdout.write(`データベースは版 ${version} です。\n`);
  return 0;
}
