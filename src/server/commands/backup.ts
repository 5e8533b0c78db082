import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { formatSecond, parseTimeOfDay } from '#domain/time/tokyo-time.ts';
import { refuseTaken } from '../features/backup/archive.ts';
import { type Backup, writeBackup } from '../features/backup/backup.command.ts';
import { checkBackup, refuseFullDisk } from '../features/backup/check-backup.ts';
import { dropOther, loadBackup, refuseUsed } from '../features/backup/restore.command.ts';
import { receiptsOf } from '../features/delivery/guard/receipt-files.ts';
import { holdAll } from '../features/delivery/pauses/held.command.ts';
import { listTeams, type Team } from '../features/members/member-list.queries.ts';
import { opens, readSeals } from '../features/seals/sealed-rows.queries.ts';
import { reconnectLost } from '../features/seals/seals.command.ts';
import { checkConnection } from '../platform/database/check-connection.ts';
import type { Db } from '../platform/database/db.ts';
import { openDatabase } from '../platform/database/db.ts';
import { type DatabaseAccess, isBundled } from '../platform/database/roles/database-access.ts';
import { ROLES } from '../platform/database/roles/database-roles.ts';
import { COMMAND } from '../platform/package.ts';
import { keyFileOf, presentKeys, readSealedBy } from '../platform/secrets/secret-key.ts';
import { secretsWith } from '../platform/secrets/secrets.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { wordsOf } from './accounts/member.ts';
import { command, filled, logAct, UsageError } from './command.ts';
import { refuseFault } from './database-fault.ts';
import { refuseSecondInstance } from './instance-lock.ts';
import { prepareDatabase } from './open-database.ts';
import { reportUnreadable } from './receipts.ts';
import { printOpenRights, withAccess, withDatabase } from './with-database.ts';

const WITHOUT_MAILBOXES = '--without-mailboxes';

const BACKUP_DETAILS = `データベースの内容と、このマシンにある送信の記録（DATA_DIR/receipts）を、1つの新しいファイルに書き出します。
Kaitakuが動いていても実行できます。設定、鍵（SECRET_KEY）、ログイン中の状態、メールで送ったリンクは入りません。

--to は、フォルダーの中に kaitaku-年月日-時分.backup（日本時間）を作り、読み直して確かめてから、古いものを消します。
消すのは、このKaitakuがそのフォルダーに作ったものだけです。--at を付けると、終わらずに、毎日その時刻に作ります。`;

const RESTORE_DETAILS = `backup で作ったファイルを、空のデータベースに読み込みます。Kaitakuをすべて終えてから実行してください。
復元したデータベースでは送信が止まっています。送信の記録を確かめてから、receipts resume で再開します。
つないであるメールボックスは、すぐに読み始めます。元のKaitakuも動いているなら、${WITHOUT_MAILBOXES} で切断してください。`;

export const backupCommand = (readSettings: () => Settings): Command =>
  command('backup', 'データをファイルに書き出す', BACKUP_DETAILS)
    .argument('[ファイル]', '新しく作るファイル', filled)
    .option(TO, '作るフォルダー（なければ作ります）', filled)
    .option(AT, '毎日作る時刻（日本時間。03:00 など）。付けなければ、すぐに1回だけ作る', timeOfDay)
    .option(KEEP_DAILY, '新しいものから何日分を残すか（1〜366。指定しなければ 7）', count(1, 366))
    .option(KEEP_WEEKLY, '新しいものから何週分を残すか（0〜520。指定しなければ 4）', count(0, 520))
    .action((path: string | undefined, options: ToOptions) => {
      if (path !== undefined && Object.keys(options).length === 0) return backup(readSettings(), path);
      if (path !== undefined || options.to === undefined)
        throw new UsageError(
          `<ファイル> か ${TO} の、どちらか一方を指定してください。--at と --keep-… は --to に付けます。`,
        );
      return backupTo(readSettings(), options.to, options);
    });

const TO = '--to <フォルダー>';
const AT = '--at <時刻>';
const KEEP_DAILY = '--keep-daily <日数>';
const KEEP_WEEKLY = '--keep-weekly <週数>';

interface ToOptions {
  readonly to?: string;
  /** Minutes since midnight in Tokyo. */
  readonly at?: number;
  readonly keepDaily?: number;
  readonly keepWeekly?: number;
}

function timeOfDay(value: string): number {
  const minute = parseTimeOfDay(value);
  if (minute === null) throw new InvalidArgumentError(`は 03:00 の形にしてください（今の値: ${value}）。`);
  return minute;
}

const count = (least: number, most: number) => (value: string) => {
  if (!/^\d{1,4}$/.test(value) || +value < least || +value > most)
    throw new InvalidArgumentError(`は${least}〜${most}の整数にしてください（今の値: ${value}）。`);
  return Number(value);
};

async function backupTo(settings: Settings, folder: string, options: ToOptions): Promise<void> {
  const { at, keepDaily: daily = 7, keepWeekly: weekly = 4 } = options;
  const to = { folder: resolve(folder), keep: { daily, weekly } };
  // Imported here: other commands start faster without it.
  const { backUpNightly, backUpOnce } = await import('./tasks/nightly-backup.ts');
  if (at !== undefined) return backUpNightly(settings, at, to);
  const written = await backUpOnce(settings, to);
  const { path, kept, deleted, foreign } = written;
  process.stdout.write(
    `${path} にバックアップを書き出し、確かめました（${contentsOf(written)}、${sizeOf(path)}）。` +
      `残したもの ${kept}、消したもの ${deleted}。${foreign.length > 0 ? foreignNote(foreign) : ''}\n`,
  );
}

const foreignNote = (names: readonly string[]): string =>
  `${names.join('、')} は、このKaitakuのバックアップとして読めないため、残しました。別の場所に移してください。`;

export const restoreCommand = (readSettings: () => Settings): Command =>
  command('restore', 'backup で作ったファイルを読み込む', RESTORE_DETAILS)
    .argument('<ファイル>', 'backup で作ったファイル', filled)
    .option(WITHOUT_MAILBOXES, 'メールボックスをすべて切断する（元のKaitakuと並べて動かす写しのため）')
    .action((path: string, { withoutMailboxes = false }: { withoutMailboxes?: boolean }) =>
      restore(readSettings(), path, withoutMailboxes),
    );

const receiptsRoot = ({ dataDir }: Settings): string => join(dataDir, 'receipts');

async function backup(settings: Settings, path: string): Promise<void> {
  refuseTaken(path);
  const options = { root: receiptsRoot(settings), onFault: reportUnreadable };
  const written = await withDatabase(settings, ({ pool }) => writeBackup(pool, path, options), { schema: 'as it is' });
  await logAct({ file: path, rows: rowsOf(written) }, 'backup of all accounts written');
  const { named } = settings;
  process.stdout.write(
    `${path} にバックアップを書き出しました（${contentsOf(written)}、${sizeOf(path)}）。\n` +
      '見込み客の個人情報と、パスワードのハッシュが入っています。ほかの人が読めない場所に保管してください。\n\n' +
      'このファイルに入っていないもの（別に保管してください）:\n' +
      `  設定の環境変数${named.length > 0 ? `（この端末では ${named.join('、')}）` : ''}と、それらが指すファイル\n` +
      `  二段階認証などの値の鍵（SECRET_KEY か ${keyFileOf(settings.dataDir)}。ないと、復元した値を読めません）\n` +
      '  worker が動くほかのマシンの DATA_DIR/receipts（送信の記録）\n' +
      '  リバースプロキシの設定と証明書、DNSの設定（SPF、DKIM、DMARC）\n',
  );
}

const rowsOf = ({ manifest: { tables } }: Backup): number =>
  Object.values(tables).reduce((sum, table) => sum + table.rows, 0);

const contentsOf = (backup: Backup): string => {
  const { tables, receipts } = backup.manifest;
  return `表 ${Object.keys(tables).length}、行 ${rowsOf(backup).toLocaleString('ja-JP')}、送信の記録 ${receipts}通`;
};

const sizeOf = (path: string): string => {
  const { size } = statSync(path);
  return size < 1_000_000 ? `${Math.ceil(size / 1000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
};

async function restore(settings: Settings, path: string, withoutMailboxes: boolean): Promise<void> {
  if (settings.database.owner === null && !isBundled(settings.database))
    throw new StartupError('restore には DATABASE_URL が必要です。');
  const checked = await checkBackup(path);
  const { teams, seals } = await withAccess(settings, ROLES, async (access) => {
    const release = await refuseInUse(access, settings, checked.bytes);
    try {
      return await restoreInto(access, path, checked, { settings, withoutMailboxes });
    } finally {
      await release();
    }
  });
  report(checked, receiptsRoot(settings));
  process.stdout.write(seals);
  printTeams(teams);
}

/** Refuses a database that cannot be restored into. @returns a function that lets another Kaitaku start on it */
async function refuseInUse(
  access: DatabaseAccess,
  { database, dataDir }: Settings,
  bytes: number,
): Promise<() => Promise<void>> {
  const url = access.owner ?? '';
  refuseFault(await checkConnection(url, null), { setting: 'DATABASE_URL' });
  const { db, pool, close } = openDatabase(url, { connections: 1 });
  try {
    await refuseUsed(pool);
    await refuseFullDisk(db, bytes);
  } finally {
    await close();
  }
  return isBundled(database) ? refuseSecondInstance(url, dataDir) : async () => {};
}

/** @returns the accounts with their members, and what to print about sealed values */
async function restoreInto(
  access: DatabaseAccess,
  path: string,
  checked: Backup,
  { settings, withoutMailboxes }: { readonly settings: Settings; readonly withoutMailboxes: boolean },
): Promise<{ readonly teams: readonly Team[]; readonly seals: string }> {
  const root = receiptsRoot(settings);
  const owner = openDatabase(access.owner ?? '', { connections: 1 });
  try {
    await dropOther(owner.pool, checked.head);
    await prepareDatabase(access, { isMigrate: true, schema: checked.head.migrations.at(-1)?.version ?? 0 });
    await loadBackup(owner.pool, path, checked, { root, cell: access.cell ?? null, withoutMailboxes });
    await prepareDatabase(access, { isMigrate: true, onOpenRights: printOpenRights });
    await owner.pool.query('ANALYZE');
  } finally {
    await owner.close();
  }
  // After the migrations, because an older backup lacks the columns. If this process is killed before, `receipts
  // resume` asks instead.
  const service = openDatabase(access.urlOf('service'), { role: 'service' });
  try {
    await holdAll(service.db);
    return { teams: await listTeams(service.db), seals: await sealsLine(service.db, settings) };
  } finally {
    await service.close();
  }
}

function report({ head, manifest }: Backup, root: string): void {
  const at = formatSecond(Date.parse(head.at));
  const added =
    manifest.receipts === 0
      ? ''
      : `送信の記録を ${receiptsOf(root, head.installation)} に加えました。もとからある記録はそのままです。\n`;
  process.stdout.write(
    `${at} のバックアップ（Kaitaku ${head.program}、版 ${head.migrations.at(-1)?.version}）から復元しました` +
      `（${contentsOf({ head, manifest })}）。\n` +
      `${added}全員がログアウトされています。パスワードの再設定、メールアドレスの確認、招待、最初のアカウントの作成のためのリンクは使えません。\n\n` +
      '送信は止まっています。この時点で終わっていなかった送信と予約は、再開したあとも、メンバーが画面で決めるまで止まっています。\n' +
      'worker が動いていたすべてのマシンで receipts merge を実行してから、receipts resume で再開してください。\n\n' +
      `${at} より後の配信停止の申し出は、データベースにありません。送信を再開する前に、登録し直してください。\n` +
      '  リンクからの申し出: リバースプロキシのログの POST /u/… （同じ URL に POST し直すと登録されます）\n' +
      '  メールでの申し出: 受信箱のメールを読み直します。INBOX_DONE で移したメールは、受信箱に戻してください。\n',
  );
}

/**
 * Says whether the present key opens the restored values; nothing where there are none. Mailboxes whose log-in it does
 * not open must be connected anew.
 */
async function sealsLine(db: Db, settings: Settings): Promise<string> {
  const seals = await readSeals(db);
  if (seals.length === 0) return '';
  const keys = presentKeys(settings, await readSealedBy(db));
  const secrets = secretsWith(keys);
  const lost = seals.filter((seal) => !opens(secrets, seal)).length;
  // Without any key nothing is known of them, and no server starts.
  const boxes = keys.current === null ? 0 : await reconnectLost(db, keys);
  const key = `SECRET_KEY（付属のデータベースでは ${keyFileOf(settings.dataDir)} でも）`;
  return (
    (lost === 0
      ? `\n暗号化した値 ${seals.length}件は、今の鍵で読めます。`
      : `\n暗号化した値 ${seals.length}件のうち ${lost}件は、今の鍵で読めません。バックアップした時の鍵を ${key} に戻してください。` +
        `鍵をなくしたときは、${COMMAND} secrets reset で削除できます。`) +
    (boxes === 0 ? '' : `メールボックス ${boxes}件は、つなぎ直しが必要です。`) +
    'バックアップより後に使った復旧コードは、もう一度使えます。\n'
  );
}

/** Names all members: who was stopped, or lost a role, after the backup has both again. */
function printTeams(teams: readonly Team[]): void {
  const lines = teams.flatMap(({ company, members }) => [
    `  ${company}`,
    ...members.map((member) => `    ${wordsOf(member).join('、')}`),
  ]);
  // A backup that was tampered with must not steer the terminal.
  const shown = lines.map((line) => line.replaceAll(/\p{Cc}/gu, ''));
  process.stdout.write(
    '\nバックアップより後に利用を停止した人や、役割を変えた人は、元に戻っています。次のメンバーを確かめて、送信を再開する前に、\n' +
      `member stop と member set-role で、もう一度停止するか、変えてください。\n${shown.join('\n')}\n`,
  );
}
