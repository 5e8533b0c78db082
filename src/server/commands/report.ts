import type { Command } from 'commander';
import { rebuildSums } from '../features/reports/rebuild.command.ts';
import type { Settings } from '../platform/settings.ts';
import { command } from './command.ts';
import { withDatabase } from './with-database.ts';

const REBUILD_DETAILS = `レポートの集計を、すべてのメールの記録から作り直します（300万通で数十秒）。
送信は止まりません。ふだんは要りません。記録をデータベースに直接書き込んだあとに使います。`;

export const reportCommand = (readSettings: () => Settings): Command =>
  command('report', 'レポートの集計を作り直す').addCommand(
    command('rebuild', '集計を、すべてのメールの記録から作り直す', REBUILD_DETAILS).action(async () => {
      await withDatabase(readSettings(), ({ db }) => rebuildSums(db));
      process.stdout.write('レポートの集計を作り直しました。\n');
    }),
  );
