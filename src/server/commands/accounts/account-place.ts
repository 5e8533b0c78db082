import { join } from 'node:path';
import type { Command } from 'commander';
import { listMappedHosts, setHost } from '../../features/account-hosts/set-host.command.ts';
import { unknownKeeper } from '../../features/delivery/guard/unknown-mails.ts';
import { takeMail } from '../../features/inbox/take-mail.command.ts';
import { type FreezeCalls, freeze, type WaitsFor } from '../../features/moves/freeze.command.ts';
import { type ThawServices, thaw } from '../../features/moves/thaw.command.ts';
import { readRegistration } from '../../features/oidc/registration.queries.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Database, Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { Settings } from '../../platform/settings.ts';
import { command, filled, refuse } from '../command.ts';
import { type ReadMail, withMailReader } from '../inbox.ts';
import { withAccount } from '../with-database.ts';

/* Commands about where an account lives: its host, and moves to another cell (decisions/cells). */

const EMAIL = '--email <メールアドレス>';

const SET_HOST_DETAILS = `アカウント専用のホスト（acme.kaitaku.example.co.jp など）を設定します。メールの中のリンクと配信停止の
アドレスは、このホストになります。前のホストのリンクも使え続けます。メンバーは、新しいホストで1回ログインし直します。
割り当てられるホストは、ACCOUNT_HOSTS で設定します。`;

const FREEZE_DETAILS = `データを別のサーバーに移すために、アカウントを止めます。画面とAPIは「データを移行しています」（503）になり、
送信中のメールと実行中の処理が終わるのを待ってから、このコマンドが終わります。途中で止めても、もう一度実行できます。
そのあいだに届いた配信停止の希望、返信、SendGridのイベントは預かり、account thaw で反映します。
予約の日時が過ぎてから60分以内に再開しなければ、その予約は送信されません。`;

const THAW_DETAILS = `account freeze で止めたアカウントを再開します。預かっていた配信停止の希望、返信、イベントを先に反映します。`;

/** Returns the subcommands of `account` for hosts and moves. */
export const placeCommands = (readSettings: () => Settings): readonly Command[] => [
  command('set-host', 'アカウント専用のホストを設定する', SET_HOST_DETAILS)
    .requiredOption(EMAIL, 'アカウントのメールアドレス', filled)
    .option('--host <ホスト名>', '新しいホスト', filled)
    .option('--none', '専用のホストをやめ、PUBLIC_URL に戻す')
    .action((given: { email: string; host?: string; none?: boolean }) => giveHost(readSettings(), given)),
  command('freeze', 'アカウントを止める（データの移行のため）', FREEZE_DETAILS)
    .requiredOption(EMAIL, 'アカウントのメールアドレス', filled)
    .action(({ email }: { email: string }) => {
      const settings = readSettings();
      const work = (accountId: number, { db }: Database) => printFrozen(db, settings, accountId, email);
      return withAccount(settings, email, work, { frozen: true });
    }),
  command('thaw', '止めたアカウントを再開する', THAW_DETAILS)
    .requiredOption(EMAIL, 'アカウントのメールアドレス', filled)
    .action(({ email }: { email: string }) => {
      const settings = readSettings();
      const work = (accountId: number, database: Database) => printThawed(database, settings, accountId, email);
      return withAccount(settings, email, work, { frozen: true });
    }),
];

async function giveHost(
  settings: Settings,
  { email, host, none = false }: { email: string; host?: string; none?: boolean },
): Promise<void> {
  if ((host !== undefined) === none) return refuse('--host <ホスト名> か --none のどちらかを指定してください。');
  await withAccount(settings, email, async (accountId, { db }) => {
    const given = await setHost(db, accountId, host ?? null, settings);
    if (given instanceof Problem) return refuse(given.message);
    if (given === null) process.stdout.write(`${email} のアカウントは、${settings.publicUrl} を使います。\n`);
    else process.stdout.write(`${email} のアカウントのホストを ${given} にしました。\n`);
    if (await readRegistration(db, { accountId })) process.stdout.write(NEW_REDIRECT_URI);
  });
}

const NEW_REDIRECT_URI =
  '会社のIDでのログインのため、設定の「ログインの決まり」に表示される新しいリダイレクトURIを、提供元に登録してください。\n';

const WAITS: Readonly<Record<WaitsFor, string>> = {
  transactions: '実行中の操作が終わるのを待っています…',
  work: '送信中のメールと、実行中の取り込みや書き出しが終わるのを待っています…',
  receipts: '配信のプロセスが送信の記録を反映するのを待っています…',
};

/** Prints what a freeze waits for, and writes the mails that become unknown to this machine's DATA_DIR. */
export const freezeCalls = ({ dataDir }: Pick<Settings, 'dataDir'>): FreezeCalls => ({
  onWait: (waitsFor) => void process.stderr.write(`${WAITS[waitsFor]}\n`),
  keepUnknown: unknownKeeper(join(dataDir, 'receipts'), {
    onFault: (error) =>
      process.stderr.write(`送信の記録を ${dataDir} に書き込めません（${(error as Error).message}）。続けます。\n`),
  }),
});

async function printFrozen(db: Db, settings: Settings, accountId: number, email: string): Promise<void> {
  const frozen = await freeze(db, accountId, freezeCalls(settings));
  if (frozen instanceof Problem) return refuse(frozen.message);
  const { moveNumber, unknown, deadMachines } = frozen;
  process.stdout.write(`${email} のアカウントを止めました（移行番号 ${moveNumber}）。account thaw で再開します。\n`);
  if (unknown === 0) return;
  process.stdout.write(`連絡不明のメールが${unknown}通あります。\n`);
  for (const machine of deadMachines)
    process.stdout.write(`止まっている配信のプロセスの記録は、反映していません: ${machine}\n`);
}

async function printThawed({ db }: Database, settings: Settings, accountId: number, email: string): Promise<void> {
  const held = await withMailReader(db, settings, (read) => thaw(thawServicesOf(db, settings, read), accountId));
  if (held instanceof Problem) return refuse(held.message);
  const carried = held === 0 ? '' : `預かっていた${held}件を反映しました。`;
  process.stdout.write(`${email} のアカウントを再開しました。${carried}\n`);
}

/** Returns the services of a thaw, here or at the account's new home. */
export const thawServicesOf = (db: Db, { authservId }: Pick<Settings, 'authservId'>, read: ReadMail): ThawServices => ({
  db,
  accountDb: accountDbOf(db),
  async takeHeldMail(services, { source, envelope }) {
    const { mail, judge } = await read(source, envelope);
    return takeMail({ ...services, db, authservId }, mail, judge);
  },
});

/** Prints the lines of an HAProxy map (`map_str`): each host, and its cell's backend. */
export async function printHostMap(db: Db): Promise<void> {
  for (const { host, cell } of await listMappedHosts(db)) process.stdout.write(`${host} cell${cell}\n`);
}
