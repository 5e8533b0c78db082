import { UsageError } from './commands/command.ts';
import { runProgram } from './commands/program.ts';
import { isDatabaseUnavailable } from './platform/database/db.ts';
import { readSettings } from './platform/settings.ts';
import { StartupError } from './platform/startup-error.ts';

const CONNECTION_LOST = '処理が終わったかどうかを確認できません。接続を確認してから、もう一度実行してください。';

try {
  await runProgram(process.argv.slice(2), () => readSettings(process.env));
} catch (error) {
  if (isDatabaseUnavailable(error)) {
    const { message } = error as Error;
    process.stderr.write(`\nデータベースとの接続が切れました（${message}）。${CONNECTION_LOST}\n`);
    process.exitCode = 1;
  } else {
    if (!(error instanceof StartupError || error instanceof UsageError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
