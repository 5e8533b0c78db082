import type { Command } from 'commander';
import { isBundled } from '../platform/database/roles/database-access.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { command } from './command.ts';
import { withDatabase } from './with-database.ts';

const DETAILS = `データベースのロールを用意し、データベースをこのプログラムの形まで進めます。戻すことはできません。
ロールを作れないユーザーのときは、管理者に渡すSQLを表示します。`;

export const migrateCommand = (readSettings: () => Settings): Command =>
  command('migrate', 'データベースを最新の形にする', DETAILS).action(() => migrate(readSettings()));

async function migrate(settings: Settings): Promise<void> {
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
}
