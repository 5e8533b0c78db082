import { join } from 'node:path';
import type { Command } from 'commander';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import {
  countAllDenied,
  listLostErasures,
  restoreFromReceipts,
} from '../features/delivery/guard/merge-receipts.command.ts';
import { listLostMoves, restoreMoves } from '../features/delivery/guard/move-receipts.ts';
import { doubtOpenMails, hasLaterReceipts, readRestored } from '../features/delivery/guard/restored.command.ts';
import { clearRewound } from '../features/delivery/pauses/rewound.queries.ts';
import { missDue } from '../features/reservations/due.command.ts';
import type { Db } from '../platform/database/db.ts';
import type { Settings } from '../platform/settings.ts';
import { command, refuse, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const DETAILS = `データベースが過去の状態に戻ったとき（昇格した非同期のスタンバイ、復元したバックアップ）、すべての送信は止まります。
worker が DATA_DIR に残した、3日以内の送信の記録を書き戻してから、送信を再開します。`;

const MERGE_DETAILS = `このマシンの DATA_DIR にある送信の記録を、データベースに書き戻します。
worker が動く、すべてのマシンで実行してください。`;

const RESUME_DETAILS = `このマシンの記録がすべて書き戻されていることを確かめて、送信を再開します。
バックアップから復元したデータベースでは、バックアップより後の送信の記録がこのマシンにあるときに再開します。
記録がないときは、次のどちらかを指定してください。`;

const COMPLETE = '--receipts-complete';
const WITHOUT = '--without-receipts';
const COMPLETE_HELP = 'すべての worker の記録を書き戻した、またはバックアップの後に何も送信していないと分かっている';
const WITHOUT_HELP =
  '記録が失われた。バックアップの時点で未送信のメールは「不明」に、時刻を過ぎた予約は「送信されませんでした」にする';

export const receiptsCommand = (readSettings: () => Settings): Command =>
  command('receipts', '過去の状態に戻ったデータベースに、送信の記録を書き戻す', DETAILS)
    .addCommand(
      command('merge', '送信の記録を、データベースに書き戻す', MERGE_DETAILS).action(() =>
        onReceipts(readSettings(), merge),
      ),
    )
    .addCommand(
      command('resume', '送信を再開する', RESUME_DETAILS)
        .option(COMPLETE, COMPLETE_HELP)
        .option(WITHOUT, WITHOUT_HELP)
        .action((given: ResumeOptions) => {
          if (given.receiptsComplete && given.withoutReceipts)
            throw new UsageError(`${COMPLETE} と ${WITHOUT} は、どちらか一方だけを指定してください。`);
          return onReceipts(readSettings(), (db, root) => resume(db, root, given));
        }),
    );

interface ResumeOptions {
  readonly receiptsComplete?: true;
  readonly withoutReceipts?: true;
}

/** Runs `work` on the database of the settings and their folder of receipts. */
const onReceipts = (settings: Settings, work: (db: Db, root: string) => Promise<void>): Promise<void> =>
  withDatabase(settings, ({ db }) => work(db, join(settings.dataDir, 'receipts')));

async function merge(db: Db, root: string): Promise<void> {
  // Before its mails: nothing of an account that has left is sent here.
  const moved = await restoreMoves(db, root);
  const { sent, unknown, contacted } = await restoreFromReceipts(db, root, reportUnreadable);
  process.stdout.write(
    `送信済みに直したメール: ${sent}通\n「不明」に直したメール: ${unknown}通\nデータベースになく、宛先の送信日時だけを書き込んだメール: ${contacted}通\n\n` +
      'worker が動くほかのマシンでも実行してから、receipts resume で送信を再開してください。\n',
  );
  for (const { accountId, movedTo } of moved)
    process.stdout.write(`アカウントID ${accountId} は ${movedTo} に移行済みです。移行済みに直しました。\n`);
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

async function resume(db: Db, root: string, { receiptsComplete, withoutReceipts }: ResumeOptions): Promise<void> {
  const restored = await readRestored(db);
  if (restored) {
    const { from, mails, reservations } = restored;
    process.stdout.write(
      `${formatSecond(from.getTime())} のバックアップから復元したデータベースです。` +
        `その時点で未送信だったもの: メール ${mails}通、予約 ${reservations}件\n`,
    );
  }
  if (!restored && withoutReceipts) {
    refuse(
      `${WITHOUT} は、restore で復元し、まだ再開していないデータベースでだけ使えます。ほかの方法で前の状態に戻したデータベースでは、どのメールが送信済みかわからないため、送信を再開しません。`,
    );
    return;
  }
  const [moved] = await listLostMoves(db, root);
  if (moved) {
    const { accountId, movedTo } = moved;
    refuse(
      `アカウントID ${accountId} は ${movedTo} に移行済みですが、データベースにその記録がありません。先に receipts merge を実行してください。`,
    );
    return;
  }
  const denied = await countAllDenied(db, root, reportUnreadable);
  if (denied > 0) {
    refuse(`送信の記録のうち、データベースにないものが${denied}通分あります。先に receipts merge を実行してください。`);
    return;
  }
  if (restored && withoutReceipts) await doubtAll(db);
  else if (restored && !receiptsComplete && !(await hasLaterReceipts(db, root, restored, () => undefined))) {
    refuse(NO_LATER_RECEIPTS);
    return;
  }
  process.stdout.write((await clearRewound(db)) ? '送信を再開しました。\n' : '送信は止まっていません。\n');
  await writeLost(db, root);
}

const NO_LATER_RECEIPTS = `このマシンの DATA_DIR には、バックアップより後の送信の記録がありません。このまま再開すると、送信済みの宛先にもう一度送るおそれがあります。
  worker が動いていたマシンの DATA_DIR/receipts が残っているとき: そのマシンで receipts merge と receipts resume を実行してください。
  すべて書き戻したか、バックアップの後に何も送信していないとき: receipts resume ${COMPLETE}
  記録が失われたとき: receipts resume ${WITHOUT}`;

/** Treats what was open in the backup as if it might have left. */
async function doubtAll(db: Db): Promise<void> {
  const mails = await doubtOpenMails(db);
  const reservations = await missDue(db);
  process.stdout.write(
    `「不明」にしたメール: ${mails}通（送信履歴で、1通ずつ「送信済みとして扱う」か「もう一度送信」を選べます）\n` +
      `「送信されませんでした」にした予約: ${reservations}件\n`,
  );
}

/** Prints that a line of a receipt file cannot be read. */
export function reportUnreadable(error: unknown): void {
  process.stderr.write(`読み取れない送信の記録が1行あります（${(error as Error).message}）。この行は使いません。\n`);
}
