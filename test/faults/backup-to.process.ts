import { join } from 'node:path';
import { withDatabase } from '#server/commands/with-database.ts';
import { backUpTo } from '#server/features/backup/backup-folder.ts';
import { readSettings } from '#server/platform/settings.ts';

// node test/faults/backup-to.process.ts FOLDER NOW: `backup --to FOLDER` at another time, for backup-killed.test.ts.
const [folder = '', now] = process.argv.slice(2);
const settings = readSettings(process.env);
const options = { root: join(settings.dataDir, 'receipts'), onFault: () => {}, keep: { daily: 2, weekly: 1 } };
await withDatabase(
  settings,
  async ({ pool }) => {
    process.stdout.write('begins\n');
    await backUpTo(pool, folder, { ...options, now: Number(now) });
  },
  { schema: 'as it is' },
);
