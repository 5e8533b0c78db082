import { join } from 'node:path';
import { restoreFromReceipts, resumeSending } from '../features/delivery/merge-receipts.command.ts';
import type { Db } from '../platform/db.ts';
import type { Settings } from '../platform/settings.ts';
import { readArguments, UsageError } from './usage.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `使い方:
  npm run kaitaku -- receipts merge
  npm run kaitaku -- receipts resume

データベースが過去の状態に戻ったとき（昇格した非同期のスタンバイ、復元したバックアップ）、すべての送信は止まります。
worker が DATA_DIR に残した、3日以内の送信の記録を書き戻してから、送信を再開します。

  merge   このマシンの DATA_DIR にある送信の記録を、データベースに書き戻す（worker が動く、すべてのマシンで実行します）
  resume  このマシンの記録がすべて書き戻されていることを確かめて、送信を再開する`;

export async function receiptsCommand(args: string[], readSettings: () => Settings): Promise<number> {
  const given = readArguments(args, {}, USAGE);
  if (!given) return 0;
  const [action, ...rest] = given.positionals;
  if (!(action === 'merge' || action === 'resume') || rest.length > 0) throw new UsageError(USAGE);
  const settings = readSettings();
  const root = join(settings.dataDir, 'receipts');
  return withDatabase(settings, ({ db }) => (action === 'merge' ? merge(db, root) : resume(db, root)));
}

async function merge(db: Db, root: string): Promise<number> {
  const { sent, contacted } = await restoreFromReceipts(db, root, reportUnreadable);
  process.stdout.write(
    `送信済みに直したメール: ${sent}通\nデータベースになく、宛先の送信日時だけを書き込んだメール: ${contacted}通\n\n` +
      'worker が動くほかのマシンでも実行してから、receipts resume で送信を再開してください。\n',
  );
  return 0;
}

async function resume(db: Db, root: string): Promise<number> {
  const { denied, paused } = await resumeSending(db, root, reportUnreadable);
  if (denied > 0) {
    process.stderr.write(
      `送信の記録のうち、データベースにないものが${denied}通分あります。先に receipts merge を実行してください。\n`,
    );
    return 1;
  }
  process.stdout.write(paused ? '送信を再開しました。\n' : '送信は止まっていません。\n');
  return 0;
}

function reportUnreadable(error: unknown): void {
  process.stderr.write(`読み取れない送信の記録が1行あります（${(error as Error).message}）。この行は使いません。\n`);
}
