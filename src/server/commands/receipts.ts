import { join } from 'node:path';
import type { Command } from 'commander';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import {
  countAllDenied,
  listLostErasures,
  restoreFromReceipts,
} from '../features/delivery/guard/merge-receipts.command.ts';
import { listLostMoves, restoreMoves } from '../features/delivery/guard/move-receipts.ts';
import {
  doubtOpenMails,
  hasLaterReceipts,
  type RestoredState,
  readRestored,
} from '../features/delivery/guard/restored.command.ts';
import { readPauses } from '../features/delivery/pauses/breaker.queries.ts';
import { holdOnce, listHeld, type OpenCounts, readUnheld } from '../features/delivery/pauses/held.command.ts';
import { RECEIPTS_KEPT_DAYS } from '../features/delivery/pauses/installation.queries.ts';
import { clearRewound } from '../features/delivery/pauses/rewound.queries.ts';
import type { Db } from '../platform/database/db.ts';
import type { Settings } from '../platform/settings.ts';
import { command, refuse, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const DETAILS = `データベースが過去の状態に戻ったとき（昇格した非同期のスタンバイ、復元したバックアップ）、すべての送信は止まります。
worker が DATA_DIR に残した、3日以内の送信の記録を書き戻してから、送信を再開します。`;

const MERGE_DETAILS = `このマシンの DATA_DIR にある送信の記録を、データベースに書き戻します。
worker が動く、すべてのマシンで実行してください。`;

const HOLD_DETAILS = `送信が止まっているあいだに実行します。終わっていない送信と予約は、再開したあとも、メンバーが画面で決めるまで止まります。
データベースの状態より後に取り消した送信や予約が、送られてしまうのを防ぎます。restore で復元したときは、実行済みです。
もう一度実行しても、メンバーがその後に決めたものと新しく作ったものは止まりません。ただし、ほかのサーバーに替わった後や
PostgreSQL が起動し直した後は、さらに過去の状態に戻ったものとして、それより前に決めたものと作ったものも止めます。`;

const RESUME_DETAILS = `このマシンの記録がすべて書き戻されていることを確かめて、送信を再開します。
バックアップから復元したデータベースでは、バックアップより後の送信の記録がこのマシンにあり、すべて読み取れるときに再開します。
そうでないときと、バックアップが${RECEIPTS_KEPT_DAYS}日より前のもので、その後の記録が残っていないときは、次のどちらかを指定してください。`;

const COMPLETE = '--receipts-complete';
const WITHOUT = '--without-receipts';
const COMPLETE_HELP =
  'バックアップの後の送信は、すべての worker の記録を書き戻した、または何も送信していないと分かっている';
const WITHOUT_HELP = '記録が失われた。バックアップの時点で未送信のメールを「不明」にする';
const NOTHING_TAKEN_BACK = '--nothing-taken-back';
const NOTHING_HELP = 'receipts hold をせずに再開する。その後に取り消した送信や予約はないと分かっている';

export const receiptsCommand = (readSettings: () => Settings): Command =>
  command('receipts', '過去の状態に戻ったデータベースに、送信の記録を書き戻す', DETAILS)
    .addCommand(
      command('merge', '送信の記録を、データベースに書き戻す', MERGE_DETAILS).action(() =>
        onReceipts(readSettings(), merge),
      ),
    )
    .addCommand(
      command('hold', '終わっていない送信と予約を、メンバーが決めるまで止める', HOLD_DETAILS).action(() =>
        onReceipts(readSettings(), hold),
      ),
    )
    .addCommand(
      command('resume', '送信を再開する', RESUME_DETAILS)
        .option(COMPLETE, COMPLETE_HELP)
        .option(WITHOUT, WITHOUT_HELP)
        .option(NOTHING_TAKEN_BACK, NOTHING_HELP)
        .action((given: ResumeOptions) => {
          if (given.receiptsComplete && given.withoutReceipts)
            throw new UsageError(`${COMPLETE} と ${WITHOUT} は、どちらか一方だけを指定してください。`);
          return onReceipts(readSettings(), (db, root) => resume(db, root, given));
        }),
    );

interface ResumeOptions {
  readonly receiptsComplete?: true;
  readonly withoutReceipts?: true;
  readonly nothingTakenBack?: true;
}

/** Runs `work` on the database of the settings and their receipts folder. */
const onReceipts = (settings: Settings, work: (db: Db, root: string) => Promise<void>): Promise<void> =>
  withDatabase(settings, ({ db }) => work(db, join(settings.dataDir, 'receipts')));

async function merge(db: Db, root: string): Promise<void> {
  // Before its mails: an account that has left sends nothing here.
  const moved = await restoreMoves(db, root);
  const { sent, unknown, contacted, taken } = await restoreFromReceipts(db, root, reportUnreadable);
  process.stdout.write(
    `送信済みに直したメール: ${sent}通\n「不明」に直したメール: ${unknown}通\nデータベースになく、宛先の送信日時だけを書き込んだメール: ${contacted}通\n` +
      `そのメールを送信済みのため、予約から外した会社: ${taken}社\n\n` +
      'worker が動くほかのマシンでも実行してから、receipts resume で送信を再開してください。\n',
  );
  for (const { accountId, movedTo } of moved)
    process.stdout.write(`アカウントID ${accountId} は ${movedTo} に移行済みです。移行済みに直しました。\n`);
  await writeLost(db, root);
}

/** Prints which erasures of personal data must be repeated. Nobody here knows the addresses themselves. */
async function writeLost(db: Db, root: string): Promise<void> {
  // Unreadable lines were reported before.
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

/** Holds all open work of a database that was set back by other means than `restore`. */
async function hold(db: Db): Promise<void> {
  if (!(await readPauses(db)).isRewound) {
    refuse(
      '送信は止まっていません。receipts hold は、データベースが過去の状態に戻り、送信が止まっているときに使います。',
    );
    return;
  }
  await holdOnce(db);
  await writeHeld(db);
}

/** The most held runs and reservations that are listed. */
const HELD_MAX = 20;

/** Prints what waits for the members of its account. */
async function writeHeld(db: Db): Promise<void> {
  const { rows, total } = await listHeld(db, HELD_MAX);
  if (total === 0) return;
  const lines = rows.map(({ accountId, company, kind, at, subject, mails }) => {
    const what = kind === 'run' ? `送信 メール${mails}通` : `予約 ${mails}社`;
    const whose = `アカウントID ${accountId}（${printable(company)}）`;
    return `  ${formatSecond(at.getTime())} ${whose} ${what}「${printable(subject)}」\n`;
  });
  const rest = total > rows.length ? `  ほか${total - rows.length}件\n` : '';
  process.stdout.write(
    `メンバーが画面で「予定どおり送信する」か「送信しない」を選ぶまで止まっているもの: ${total}件\n${lines.join('')}${rest}`,
  );
}

/** Members write subjects and names, which must not control a terminal. */
const printable = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ');

async function resume(db: Db, root: string, options: ResumeOptions): Promise<void> {
  const { withoutReceipts, nothingTakenBack } = options;
  const restored = await readRestored(db);
  if (restored)
    process.stdout.write(`${formatSecond(restored.from.getTime())} のバックアップから復元したデータベースです。\n`);
  const unheld = nothingTakenBack ? null : await readUnheld(db);
  const problem =
    !restored && withoutReceipts
      ? NOT_RESTORED
      : ((await problemOfReceipts(db, root, options, restored)) ?? (unheld && unheldProblem(unheld)));
  if (problem === null && withoutReceipts) await doubtAll(db);
  await writeHeld(db);
  if (problem !== null) {
    refuse(problem);
    return;
  }
  process.stdout.write((await clearRewound(db)) ? '送信を再開しました。\n' : '送信は止まっていません。\n');
  await writeLost(db, root);
}

const NOT_RESTORED =
  `${WITHOUT} は、restore で復元し、まだ再開していないデータベースでだけ使えます。` +
  'ほかの方法で前の状態に戻したデータベースでは、どのメールが送信済みかわからないため、送信を再開しません。';

/** Returns why this machine's receipts do not permit resuming; null: they do. */
async function problemOfReceipts(
  db: Db,
  root: string,
  { receiptsComplete, withoutReceipts }: ResumeOptions,
  restored: RestoredState | null,
): Promise<string | null> {
  const [moved] = await listLostMoves(db, root);
  if (moved) {
    const { accountId, movedTo } = moved;
    return `アカウントID ${accountId} は ${movedTo} に移行済みですが、データベースにその記録がありません。先に receipts merge を実行してください。`;
  }
  let isAllRead = true;
  const denied = await countAllDenied(db, root, (error) => {
    isAllRead = false;
    reportUnreadable(error);
  });
  if (denied > 0)
    return `送信の記録のうち、データベースにないものが${denied}通分あります。先に receipts merge を実行してください。`;
  if (!restored || withoutReceipts || receiptsComplete) return null;
  if (restored.isOutlived) return RECEIPTS_GONE;
  if (!isAllRead) return UNREADABLE_RECEIPTS;
  return (await hasLaterReceipts(db, root, restored, () => undefined)) ? null : NO_LATER_RECEIPTS;
}

/** Treats the backup's open work as possibly sent. */
async function doubtAll(db: Db): Promise<void> {
  const mails = await doubtOpenMails(db);
  process.stdout.write(
    `「不明」にしたメール: ${mails}通（送信履歴で、1通ずつ「送信済みとして扱う」か「もう一度送信」を選べます）\n`,
  );
}

const unheldProblem = ({ runs, mails, reservations }: OpenCounts): string =>
  `終わっていない送信が${runs}件（メール${mails}通）、予約が${reservations}件あります。その後に取り消した送信や予約も、再開すると送られます。
  メンバーが決めるまで止めるとき（おすすめ）: receipts hold を実行してから、receipts resume
  その後に取り消した送信や予約はないと分かっているとき（止めた後に PostgreSQL を起動し直しただけのときなど）: receipts resume ${NOTHING_TAKEN_BACK}`;

const NO_LATER_RECEIPTS = `このマシンの DATA_DIR には、バックアップより後の送信の記録がありません。このまま再開すると、送信済みの宛先にもう一度送るおそれがあります。
  worker が動いていたマシンの DATA_DIR/receipts が残っているとき: そのマシンで receipts merge と receipts resume を実行してください。
  すべて書き戻したか、バックアップの後に何も送信していないとき: receipts resume ${COMPLETE}
  記録が失われたとき: receipts resume ${WITHOUT}`;

const RECEIPTS_GONE = `${RECEIPTS_KEPT_DAYS}日より前のバックアップです。送信の記録は${RECEIPTS_KEPT_DAYS}日で消えるため、その後の記録がすべては残っていません。
このまま再開すると、送信済みの宛先にもう一度送るおそれがあります。
  バックアップから${RECEIPTS_KEPT_DAYS}日前までに何も送信しておらず、その後の記録をすべてのマシンで書き戻したとき: receipts resume ${COMPLETE}
  そうでないとき（残っている記録を、先に receipts merge で書き戻してください）: receipts resume ${WITHOUT}`;

const UNREADABLE_RECEIPTS = `読み取れない送信の記録があるため、送信済みのメールがすべてわかりません。このまま再開すると、送信済みの宛先にもう一度送るおそれがあります。
  その記録のメールが送信済みになっている、またはバックアップより前に送信したと分かっているとき: receipts resume ${COMPLETE}
  わからないとき: receipts resume ${WITHOUT}`;

/** Prints that a line of a receipt file is unreadable. */
export function reportUnreadable(error: unknown): void {
  process.stderr.write(`読み取れない送信の記録が1行あります（${(error as Error).message}）。この行は使いません。\n`);
}
