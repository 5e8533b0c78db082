import { type Command, CommanderError } from 'commander';
import { rebuildSums } from '../features/reports/report-sums.command.ts';
import { listTemplates, setSendGridTemplate } from '../features/senders/sendgrid-template.command.ts';
import type { Db } from '../platform/database/db.ts';
import { isBundled } from '../platform/database/roles/database-access.ts';
import { COMMAND, VERSION } from '../platform/package.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { accountCommand } from './accounts/account.ts';
import { memberCommand } from './accounts/member.ts';
import { secretsCommand } from './accounts/secrets.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { ACCOUNT, command, filled, id, refuse } from './command.ts';
import { inboxCommand } from './inbox.ts';
import { prospectCommand } from './prospect.ts';
import { receiptsCommand } from './receipts.ts';
import { senderCommand } from './sender.ts';
import { withAccount, withDatabase } from './with-database.ts';

const NEEDS = 'DATABASE_URL が必要';

const ALL_DETAILS = `データベース（DATABASE_URL がないとき）、メールキャッチャー（SMTP_URL も SENDGRID_API_KEY もないとき）、
Web、配信をまとめて動かします。`;

/** Returns the program with all its commands. */
export function program(readSettings: () => Settings): Command {
  return command(COMMAND, '', '設定は環境変数で行います（docs/setup.ja.md を参照してください）。')
    .version(VERSION, '--version', 'バージョンを表示する')
    .addCommand(
      command('all', 'すべてをまとめて動かす（npm start や、コマンドのない npx kaitaku と同じ）', ALL_DETAILS).action(
        () => loadRun().then(({ all }) => all(readSettings())),
      ),
    )
    .addCommand(
      command('web', `Webだけを動かす（${NEEDS}）`, halfDetails('Web')).action(() =>
        loadRun().then(({ web }) => web(readSettings())),
      ),
    )
    .addCommand(
      command('worker', `配信だけを動かす（${NEEDS}）`, halfDetails('配信')).action(() =>
        loadRun().then(({ worker }) => worker(readSettings())),
      ),
    )
    .addCommand(migrateCommand(readSettings))
    .addCommand(accountCommand(readSettings))
    .addCommand(memberCommand(readSettings))
    .addCommand(prospectCommand(readSettings))
    .addCommand(senderCommand(readSettings))
    .addCommand(backupCommand(readSettings))
    .addCommand(restoreCommand(readSettings))
    .addCommand(receiptsCommand(readSettings))
    .addCommand(secretsCommand(readSettings))
    .addCommand(inboxCommand(readSettings))
    .addCommand(reportCommand(readSettings))
    .addCommand(
      command('tasks', '定期的な処理が、最後にいつ動き、どう終わったかを表示する', TASKS_DETAILS).action(() =>
        import('./tasks/print-tasks.ts').then(({ printTasks }) => printTasks(readSettings())),
      ),
    )
    .addCommand(
      command('doctor', '設定と動きを確かめ、直し方を表示する', DOCTOR_DETAILS)
        .option('--json', 'JSONで表示する')
        .action(({ json = false }: { json?: boolean }) =>
          import('./doctor/doctor.ts').then(({ doctor }) => doctor(readSettings, json)),
        ),
    )
    .addCommand(templateCommand(readSettings))
    .addHelpText('after', `\n各コマンドの詳しい使い方: ${COMMAND} <コマンド> --help`);
}

/** Imported only when needed: it takes half of the start time of any other command. */
const loadRun = () => import('./run.ts');

const TASKS_DETAILS = `定期的な処理の状態、最後に動いた時刻、間隔、名前を、1つ1行で表示します。名前はログやメトリクスと同じです。
時刻は、すべての web と worker のうち最後の1回のもので、1分に1回まで記録します。
  正常    最後の1回が成功した
  失敗    最後の1回が失敗した（原因と、最後に成功した時刻も表示します。ログも確かめてください）
  遅れ    最後の成功から、間隔の3倍（バックアップは26時間）を超えて時間がたっている（web と worker が動いているか確かめてください）
  未実行  まだ一度も動いていない`;

const DOCTOR_DETAILS = `web か worker が動く場所で、その設定のまま実行します。設定、ファイルの権限、データベース、鍵、ディスク、送信、バックアップ、時計、
利用者が開くアドレス、メールサーバー、受信箱、メールボックス、差出人のDNSを確かめ、1行ずつ
✓（正しい）、要確認、✗（直す必要がある）のどれかと、直し方を表示します。1つの確認は長くて5秒です。
メールは送らず、何も変えず、パスワードや鍵は表示しません。✗ があれば、終了コードは1です。`;

const halfDetails = (half: string): string => `${half}だけを動かします。いくつでも同時に動かせます。${NEEDS}です。`;

/**
 * Runs the command named in `args`; without one shows the usage. A fault sets `process.exitCode` to 1.
 * @param readSettings called only by a command, so that `--help` and misspelt options do not depend on the environment
 * @throws UsageError
 */
export async function runProgram(args: readonly string[], readSettings: () => Settings): Promise<void> {
  const [name = 'help'] = args;
  try {
    await program(readSettings).parseAsync(name === 'help' ? ['--help'] : args, { from: 'user' });
  } catch (error) {
    // The help or the version has been printed.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
}

const REBUILD_DETAILS = `レポートの集計を、すべてのメールの記録から作り直します（300万通で数十秒）。
送信は止まりません。ふだんは要りません。記録をデータベースに直接書き込んだあとに使います。`;

const reportCommand = (readSettings: () => Settings): Command =>
  command('report', 'レポートの集計を作り直す').addCommand(
    command('rebuild', '集計を、すべてのメールの記録から作り直す', REBUILD_DETAILS).action(async () => {
      await withDatabase(readSettings(), ({ db }) => rebuildSums(db));
      process.stdout.write('レポートの集計を作り直しました。\n');
    }),
  );

const DETAILS = `データベースのロールを用意し、データベースをこのプログラムの形まで進めます。戻すことはできません。
ロールを作れないユーザーのときは、管理者に渡すSQLを表示します。`;

const migrateCommand = (readSettings: () => Settings): Command =>
  command('migrate', 'データベースを最新の形にする', DETAILS).action(() => migrate(readSettings()));

async function migrate(settings: Settings): Promise<void> {
  if (settings.database.owner === null && !isBundled(settings.database))
    throw new StartupError('migrate には DATABASE_URL が必要です。');
  const version = await withDatabase(
    settings,
    async ({ pool }) => {
      const { rows } = await pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migration');
      return rows[0]?.version;
    },
    { isMigrate: true },
  );
  process.stdout.write(`データベースは版 ${version} です。\n`);
}

const TEMPLATE_DETAILS = `SendGridで送るとき（SENDGRID_API_KEY）は、メールの本文をSendGridのテンプレートから作ります。
どのテンプレートを使うかを、ここで設定します。`;

const templateCommand = (readSettings: () => Settings): Command =>
  command('template', 'テンプレートと、SendGridのテンプレートを結びつける', TEMPLATE_DETAILS)
    .addCommand(
      command('list', 'テンプレートの番号と、SendGridのテンプレートIDを表示する')
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action(({ account }: { account: string }) =>
          withAccount(readSettings(), account, (accountId, { db }) => printTemplates(db, accountId)),
        ),
    )
    .addCommand(
      command('set-sendgrid', 'SendGridのテンプレートを選ぶ', TEMPLATE_DETAILS)
        .argument('<番号>', 'テンプレートの番号（template list で確認できます）', id)
        .argument('<SendGridのテンプレートID>', '「d-」で始まるID。none で結びつけをやめる', filled)
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action((template: number, sendGridId: string, { account }: { account: string }) =>
          withAccount(readSettings(), account, async (accountId, { db }) => {
            const chosen = sendGridId === 'none' ? null : sendGridId;
            const problem = await setSendGridTemplate(db, { accountId, id: template }, chosen);
            if (problem) refuse(problem.message);
            else await printTemplates(db, accountId);
          }),
        ),
    );

async function printTemplates(db: Db, accountId: number): Promise<void> {
  for (const { id: template, name, sendgrid_template_id } of await listTemplates(db, accountId))
    process.stdout.write(`${template}  ${sendgrid_template_id ?? '-'}  ${name}\n`);
}
