import { type Command, CommanderError } from 'commander';
import type { Settings } from '../platform/settings.ts';
import { accountCommand } from './account.ts';
import { command } from './command.ts';
import { inboxCommand } from './inbox.ts';
import { migrateCommand } from './migrate.ts';
import { prospectCommand } from './prospect.ts';
import { receiptsCommand } from './receipts.ts';
import { reportCommand } from './report.ts';
import { senderCommand } from './sender.ts';
import { templateCommand } from './template.ts';
import { programVersion } from './version.ts';

const NEEDS = 'DATABASE_URL と、SMTP_URL か SENDGRID_API_KEY が必要';

const ALL_DETAILS = `データベース（DATABASE_URL がないとき）、メールキャッチャー（SMTP_URL も SENDGRID_API_KEY もないとき）、
Web、配信をまとめて動かします。`;

/** Returns the program with all its commands. */
export function program(readSettings: () => Settings): Command {
  return command('npm run kaitaku --', '', '設定は環境変数で行います（docs/setup.ja.md を参照してください）。')
    .version(programVersion(), '--version', 'バージョンを表示する')
    .addCommand(
      command('all', 'すべてをまとめて動かす（npm start と同じ）', ALL_DETAILS).action(() =>
        loadRun().then(({ all }) => all(readSettings())),
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
    .addCommand(prospectCommand(readSettings))
    .addCommand(senderCommand(readSettings))
    .addCommand(receiptsCommand(readSettings))
    .addCommand(inboxCommand(readSettings))
    .addCommand(reportCommand(readSettings))
    .addCommand(templateCommand(readSettings))
    .addHelpText('after', '\n各コマンドの詳しい使い方: npm run kaitaku -- <コマンド> --help');
}

/** Loads what runs for long only for it: half of the time that any other command takes to start. */
const loadRun = () => import('./run.ts');

const halfDetails = (half: string): string => `${half}だけを動かします。いくつでも同時に動かせます。${NEEDS}です。`;

/**
 * Runs the command that `args` names; without any, shows the usage. A refusal sets `process.exitCode` to 1.
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
