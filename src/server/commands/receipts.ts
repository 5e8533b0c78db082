import { join } from 'node:path';
import type { Command } from 'commander';
import {
  listLostErasures,
  restoreFromReceipts,
  resumeSending,
} from '../features/delivery/guard/merge-receipts.command.ts';
import type { Db } from '../platform/database/db.ts';
import type { Settings } from '../platform/settings.ts';
import { command, refuse } from './command.ts';
import { withDatabase } from './with-database.ts';

const DETAILS = `データベースが過去の状態に戻ったとき（昇格した非同期のスタンバイ、復元したバックアップ）、すべての送信は止まります。
worker が DATA_DIR に残した、3日以内の送信の記録を書き戻してから、送信を再開します。`;

const MERGE_DETAILS = `このマシンの DATA_DIR にある送信の記録を、データベースに書き戻します。
worker が動く、すべてのマシンで実行してください。`;

const RESUME_DETAILS = 'このマシンの記録がすべて書き戻されていることを確かめて、送信を再開します。';

export const receiptsCommand = (readSettings: () => Settings): Command =>
  command('receipts', '過去の状態に戻ったデータベースに、送信の記録を書き戻す', DETAILS)
    .addCommand(
      command('merge', '送信の記録を、データベースに書き戻す', MERGE_DETAILS).action(() =>
        onReceipts(readSettings(), merge),
      ),
    )
    .addCommand(command('resume', '送信を再開する', RESUME_DETAILS).action(() => onReceipts(readSettings(), resume)));

/** Runs `work` on the database of the settings and their folder of receipts. */
const onReceipts = (settings: Settings, work: (db: Db, root: string) => Promise<void>): Promise<void> =>
  withDatabase(settings, ({ db }) => work(db, join(settings.dataDir, 'receipts')));

async function merge(db: Db, root: string): Promise<void> {
  const { sent, contacted } = await restoreFromReceipts(db, root, reportUnreadable);
  process.stdout.write(
    `送信済みに直したメール: ${sent}通\nデータベースになく、宛先の送信日時だけを書き込んだメール: ${contacted}通\n\n` +
      'worker が動くほかのマシンでも実行してから、receipts resume で送信を再開してください。\n',
  );
  await writeLost(db, root);
}

/** Writes which erasures of personal data must be repeated: the addresses themselves are known to nobody here. */
async function writeLost(db: Db, root: string): Promise<void> {
  // What is unreadable was reported before.
  const lost = await listLostErasures(db, root, () => undefined);
  if (lost.length === 0) return;
  const lines = lost.map(({ accountId, addressHash, prospectIds }) => {
    const companies = prospectIds.length > 0 ? `会社ID ${prospectIds.join('、')}` : 'このアドレスの会社はありません';
    return `  アカウントID ${accountId}: ${companies}（アドレスの照合用の値 ${addressHash}）\n`;
  });
  process.stdout.write(
    `\nデータベースに記録のない個人情報の消去が${lost.length}件あります。` +
      'それぞれのアカウントで、もう一度消去してください（設定 › 個人情報・保存期間）。\n' +
      `${lines.join('')}消去したものは、この一覧に出なくなります。\n`,
  );
}

async function resume(db: Db, root: string): Promise<void> {
  const { denied, paused } = await resumeSending(db, root, reportUnreadable);
  if (denied > 0) {
    refuse(`送信の記録のうち、データベースにないものが${denied}通分あります。先に receipts merge を実行してください。`);
    return;
  }
  process.stdout.write(paused ? '送信を再開しました。\n' : '送信は止まっていません。\n');
  await writeLost(db, root);
}

function reportUnreadable(error: unknown): void {
  process.stderr.write(`読み取れない送信の記録が1行あります（${(error as Error).message}）。この行は使いません。\n`);
}
