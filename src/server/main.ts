import { accountCommand } from './commands/account.ts';
import { migrateCommand } from './commands/migrate.ts';
import { prospectCommand } from './commands/prospect.ts';
import { receiptsCommand } from './commands/receipts.ts';
import { all, web, worker } from './commands/run.ts';
import { senderCommand } from './commands/sender.ts';
import { templateCommand } from './commands/template.ts';
import { type Command, UsageError } from './commands/usage.ts';
import { programVersion } from './commands/version.ts';
import { isDatabaseUnavailable } from './platform/db.ts';
import { readSettings } from './platform/settings.ts';
import { StartupError } from './platform/startup-error.ts';

const HELP = `使い方: npm run kaitaku -- <コマンド>

  all       データベース、メールキャッチャー、Web、配信をまとめて動かす（npm start と同じ）
  web       Webだけを動かす（DATABASE_URL と、SMTP_URL か SENDGRID_API_KEY が必要）
  worker    配信だけを動かす（DATABASE_URL と、SMTP_URL か SENDGRID_API_KEY が必要）
  migrate   データベースを最新の形にする
  account   アカウントを作る・一覧を表示する・パスワードやメールアドレスを変える
  prospect  見込み客をCSVから取り込む
  sender    送信者が1分あたりに送る通数と、同時接続数の上限を設定する
  receipts  過去の状態に戻ったデータベースに、送信の記録を書き戻す
  template  テンプレートと、SendGridのテンプレートを結びつける

各コマンドの詳しい使い方: npm run kaitaku -- <コマンド> --help
バージョン: npm run kaitaku -- --version
設定は環境変数で行います（README を参照してください）。`;

const COMMANDS: Record<string, Command> = {
  all,
  web,
  worker,
  migrate: migrateCommand,
  account: accountCommand,
  prospect: prospectCommand,
  sender: senderCommand,
  receipts: receiptsCommand,
  template: templateCommand,
};

async function run([name = '--help', ...args]: string[]): Promise<number> {
  if (name === '--version') {
    process.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const command = COMMANDS[name];
  if (!command) {
    const known = name === '--help' || name === 'help';
    (known ? process.stdout : process.stderr).write(
      `${known ? '' : `「${name}」というコマンドはありません。\n\n`}${HELP}\n`,
    );
    return known ? 0 : 2;
  }
  return command(args, () => readSettings(process.env));
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (isDatabaseUnavailable(error)) {
    process.stderr.write(
      `\nデータベースとの接続が切れました（${(error as Error).message}）。処理が終わったかどうかを確認できません。接続を確認してから、もう一度実行してください。\n`,
    );
    process.exitCode = 1;
  } else {
    if (!(error instanceof StartupError || error instanceof UsageError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
