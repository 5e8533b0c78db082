import type { Settings } from '../platform/settings.ts';
import { takesNothing } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方: npm run kaitaku -- migrate

データベースを、このプログラムの形まで進めます。戻すことはできません。`;

export async function migrateCommand(args: string[], readSettings: () => Settings): Promise<number> {
  if (!takesNothing(args, USAGE)) return 0;
  const version = await withDatabase(readSettings(), async ({ pool }) => {
    const { rows } = await pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migration');
    return rows[0]?.version;
  });
  process.stdout.write(`データベースは版 ${version} です。\n`);
  return 0;
}
