import type { Command } from 'commander';
import { parseMailAddress } from '#domain/mail/address.ts';
import { isReturnPattern } from '#domain/mail/return-address.ts';
import { type MoveStep, moveAccount } from '../features/moves/move-account.command.ts';
import { checkConnection } from '../platform/database/check-connection.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import { Problem } from '../platform/problem.ts';
import type { Settings } from '../platform/settings.ts';
import { thawServicesOf, WAITS } from './account-place.ts';
import { command, filled, refuse, UsageError } from './command.ts';
import { refuseFault } from './database-fault.ts';
import { withMailReader } from './inbox.ts';
import { withAccount } from './with-database.ts';

const DETAILS = `アカウントを止め、データを別のセル（別のデータベースのKaitaku）にコピーし、比較してから、移行先で再開します。
--to のユーザーは、移行先のスーパーユーザーか、BYPASSRLS と session_replication_role を設定する権限を持つ所有者です。
途中で止まったときは、もう一度実行してください。「移行先で再開します」より前であれば、account thaw で移行元に戻せます。
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
    .requiredOption('--to <URL>', '移行先のデータベース（postgres://…）', filled)
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
  refuseFault(await checkConnection(given.to, null), { setting: '--to' });
  const target = openDatabase(given.to, { connections: 2 });
  try {
    await withAccount(settings, given.email, (id, home) => moveOne(settings, given, id, { home, target }), {
      frozen: true,
    });
  } finally {
    await target.close();
  }
}

/** Bounces and answers come to the mailbox of the cell that sent the mails, for weeks. */
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
  const host = await readHost(databases.home, accountId);
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
        onWait: (waitsFor) => void process.stderr.write(`${WAITS[waitsFor]}\n`),
      },
      accountId,
    ),
  );
  if (moved instanceof Problem) return refuse(moved.message);
  const { frozen, rows, cell } = moved;
  const copied = rows === 0 ? '' : `（${rows.toLocaleString('en-US')}行）`;
  process.stdout.write(
    `${email} のアカウントを移しました${copied}。プロキシのmapファイルを、この行に変えてください:\n`,
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

async function readHost({ db }: Database, accountId: number): Promise<string | null> {
  const row = await db
    .selectFrom('account_host')
    .select('host')
    .where('account_id', '=', accountId)
    .where('is_current', '=', true)
    .executeTakeFirst();
  return row?.host ?? null;
}
