import type { Command } from 'commander';
import { parseMailAddress } from '#domain/mail/address.ts';
import { isReturnPattern } from '#domain/mail/return-address.ts';
import { deleteAccount, findDeleteObstacle } from '../../features/moves/delete-account.command.ts';
import { type MoveStep, moveAccount } from '../../features/moves/move-account.command.ts';
import { currentHost } from '../../features/moves/move-obstacles.queries.ts';
import { checkConnection } from '../../platform/database/check-connection.ts';
import { type Database, type Db, openDatabase } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { Settings } from '../../platform/settings.ts';
import { askLine, command, filled, logAct, refuse, UsageError } from '../command.ts';
import { refuseFault } from '../database-fault.ts';
import { withMailReader } from '../inbox.ts';
import { withAccount } from '../with-database.ts';
import { freezeCalls, thawServicesOf } from './account-place.ts';

const DETAILS = `アカウントを止め、データを別のセル（別のデータベースのKaitaku）にコピーし、比較してから、移行先で再開します。
--to のユーザーは、移行先のスーパーユーザーか、BYPASSRLS と session_replication_role を設定する権限を持つ所有者です。
コマンドの引数は、同じマシンのほかのユーザーにも見えます。パスワードは .pgpass に書くか、--to を - にしてください。
- なら、URLを端末で尋ねます。標準入力がパイプのときは、その1行目をURLにします。
途中で止まったときは、もう一度実行してください。「移行先で再開します」より前であれば、account thaw で移行元に戻せます。
それより後は、移行先で account move を実行すると、元のセルにも戻せます。
移行したアカウントに --return-address を付けて実行すると、残っているメールがその宛先に転送されます。
終わったら、表示された行をプロキシのmapファイルに書いて、読み込み直してください。`;

interface Given {
  readonly email: string;
  readonly to: string;
  readonly returnAddress?: string;
  readonly withoutLateMail?: true;
  readonly targetRestored?: true;
}

export const moveCommand = (readSettings: () => Settings): Command =>
  command('move', 'アカウントを別のセルに移す', DETAILS)
    .requiredOption('--email <メールアドレス>', 'アカウントのメールアドレス', filled)
    .requiredOption('--to <URL>', '移行先のデータベース（postgres://…）。- なら端末で尋ねる', filled)
    .option(
      '--return-address <アドレス>',
      '移行先の RETURN_ADDRESS（b-{key}@…）。後から届いたメールを転送する宛先',
      filled,
    )
    .option('--without-late-mail', '後から届いたメールは、手で転送する')
    .option(
      '--target-restored',
      '移行先を移行前のバックアップに戻した。移行元に残っている行をもう一度コピーし、移行先の送信を止める',
    )
    .action((given: Given) => move(readSettings(), given));

async function move(settings: Settings, given: Given): Promise<void> {
  const fault = lateMailFault(settings, given);
  if (fault !== null) throw new UsageError(fault);
  const to = given.to === '-' ? (await askLine('移行先のデータベースのURL: ', { isSecret: true })).trim() : given.to;
  if (to === '') throw new UsageError('移行先のデータベースのURLは空にできません。');
  refuseFault(await checkConnection(to, null), { setting: '--to' });
  const target = openDatabase(to, { connections: 2 });
  try {
    await withAccount(settings, given.email, (id, home) => moveOne(settings, given, id, { home, target }), {
      frozen: true,
    });
  } finally {
    await target.close();
  }
}

/** Bounces and replies arrive at the mailbox of the cell that sent the mails, for weeks. */
function lateMailFault({ smtp, inbox, returnAddress }: Settings, given: Given): string | null {
  const pattern = given.returnAddress;
  if (pattern !== undefined && given.withoutLateMail)
    return '--return-address と --without-late-mail は、どちらか一方だけを指定してください。';
  if (pattern !== undefined && !isReturnPattern(pattern, (text) => parseMailAddress(text).ok))
    return '--return-address は b-{key}@example.co.jp の形で指定してください。';
  if (pattern !== undefined && smtp === null)
    return 'SMTP_URL がないため、後から届いたメールを転送できません。--without-late-mail を指定し、手で転送してください。';
  if (pattern === undefined && !given.withoutLateMail && (inbox !== null || returnAddress !== null))
    return LATE_MAIL_MISSING;
  return null;
}

const LATE_MAIL_MISSING =
  '後から届く返信やエラーメールのために、移行先の RETURN_ADDRESS を --return-address で指定してください。' +
  '手で転送するときは --without-late-mail を指定してください。';

const STEPS: Readonly<Record<MoveStep, string>> = {
  freeze: '1/4 アカウントを止めます',
  copy: '2/4 コピーして比較します',
  decide: '3/4 移行を確定します',
  thaw: '4/4 移行先で再開します',
};

async function moveOne(
  settings: Settings,
  { email, returnAddress, targetRestored }: Given,
  accountId: number,
  databases: { readonly home: Database; readonly target: Database },
): Promise<void> {
  const host = await currentHost(databases.home.db, accountId);
  const url = new URL(settings.publicUrl);
  if (host !== null) url.hostname = host;
  const moved = await withMailReader(databases.target.db, settings, (read) =>
    moveAccount(
      {
        ...databases,
        url: url.origin,
        lateMailTo: returnAddress ?? null,
        isTargetRestored: targetRestored ?? false,
        thawServices: (db) => thawServicesOf(db, settings, read),
        onStep: (step) => void process.stderr.write(`${STEPS[step]}\n`),
        ...freezeCalls(settings),
      },
      accountId,
    ),
  );
  if (moved instanceof Problem) return refuse(moved.message);
  const { frozen, rows, cell, isRecorded } = moved;
  const copied = rows === 0 ? '' : `（${rows.toLocaleString('en-US')}行）`;
  process.stdout.write(
    isRecorded
      ? `${email} のアカウントは、すでに移っていました。そのことだけを移行元に記録しました（コピーはしていません）。プロキシのmapファイルの行:\n`
      : `${email} のアカウントを移しました${copied}。プロキシのmapファイルを、この行に変えてください:\n`,
  );
  process.stdout.write(`${host} cell${cell}\n`);
  if (frozen === null && rows > 0) process.stdout.write(TARGET_PAUSED);
  if (frozen !== null && frozen.unknown > 0)
    process.stdout.write(`連絡不明のメールが${frozen.unknown}通あります。移行先の画面で確認してください。\n`);
  for (const machine of frozen?.deadMachines ?? [])
    process.stdout.write(`止まっている配信のプロセスの記録は、反映していません: ${machine}\n`);
}

const TARGET_PAUSED = `移行先では、すべての送信が止まっています。移行先の worker が動いていたすべてのマシンで receipts merge を実行してから、
receipts resume で再開してください。移行の後に移行先で変えた内容と、そこに届いた配信停止の申し出は、戻っていません。
`;

const DELETE_DETAILS = `別のセルに移ったアカウントのデータを、移行元から削除します。移行から7日たち、預かったものをすべて渡し終え、
移行先がアカウントのホストで答えるときだけ実行できます。送ったメールの配信停止リンクと、後から届くメールは、
削除した後も移行先に届きます。メンバーのメールアドレスは、このセルのほかのアカウントで使えるようになります。
バージョン1.0.0のプロセスがこのセルに残っていると、そのリンクは使えません。すべて新しくしてから実行してください。
確認のため、アカウントIDを端末で尋ねます。標準入力がパイプのときは、その1行目をアカウントIDにします。
途中で止まったときは、もう一度実行してください。`;

export const deleteCommand = (readSettings: () => Settings): Command =>
  command('delete', '移行したアカウントを移行元から削除する', DELETE_DETAILS)
    .requiredOption('--email <メールアドレス>', 'アカウントのメールアドレス', filled)
    .action(({ email }: { email: string }) => {
      const settings = readSettings();
      const work = (accountId: number, { db }: Database) => deleteOne(db, settings, accountId, email);
      return withAccount(settings, email, work, { frozen: true });
    });

async function deleteOne(db: Db, { database }: Settings, accountId: number, email: string): Promise<void> {
  const obstacle = await findDeleteObstacle(db, accountId);
  if (obstacle) return refuse(obstacle.message);
  const typed = await askLine(
    `${email} のアカウントを削除します。アカウントID（account list のID）を入力してください: `,
  );
  if (typed.trim() !== String(accountId))
    return refuse('アカウントIDが違うため、削除しませんでした。account list で確認してください。');
  // Only the log has it, because the account's audit is deleted too. Logged first: a killed delete has started too.
  await logAct({ account_id: accountId }, 'deleting an account that has moved away');
  const onTable = async (table: string) => {
    process.stderr.write(`削除しています: ${table}\n`);
    if (table === 'prospect' && database.owner !== null) await vacuumBefore18(database.owner);
  };
  const deleted = await deleteAccount({ db, onTable }, accountId);
  if (deleted instanceof Problem) return refuse(deleted.message);
  await logAct({ account_id: accountId, rows: deleted }, 'account deleted');
  process.stdout.write(
    `${email} のアカウント（ID ${accountId}）を、このセルから削除しました（${deleted.toLocaleString('en-US')}行）。\n`,
  );
}

/**
 * Removes index entries of deleted companies. Before version 18, the foreign keys of these tables read all dead entries
 * of the account again for each company: for 60,000 that took 45 s instead of 1.6. A user who does not own the tables
 * gets a server warning.
 */
async function vacuumBefore18(owner: string): Promise<void> {
  const { pool, close } = openDatabase(owner, { connections: 1 });
  try {
    const { rows } = await pool.query<{ is: boolean }>(
      `SELECT current_setting('server_version_num')::integer < 180000 AS is`,
    );
    if (rows[0]?.is !== true) return;
    // As autovacuum does, because others read and write meanwhile.
    await pool.query(`SET vacuum_cost_delay = '2ms'`);
    await pool.query('VACUUM active_prospect, recorded_contact, reservation_target');
  } finally {
    await close();
  }
}
