import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ImportAnswer, importProspects } from '../features/prospect-import/import.command.ts';
import type { ReportLine } from '../features/prospect-import/import-report.ts';
import type { Database } from '../platform/db.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Settings } from '../platform/settings.ts';
import { command, filled, refuse } from './command.ts';
import { findAccountOrRefuse } from './find-account.ts';
import { withDatabase } from './with-database.ts';

const IMPORT_DETAILS = `UTF-8かShift_JIS（Excelの「CSV（コンマ区切り）」）のファイルを読み込みます。1行目は見出しで、「会社名」の列が必要です。
読めない値のある行が1行でもあれば何も取り込まず、理由を行ごとに表示します。`;

export const prospectCommand = (readSettings: () => Settings): Command =>
  command('prospect', '見込み客をCSVから取り込む').addCommand(
    command('import', 'CSVファイルを取り込む', IMPORT_DETAILS)
      .argument('<ファイル.csv>', '取り込むファイル', filled)
      .requiredOption('--account <メールアドレス>', '取り込むアカウントのメールアドレス', filled)
      .option('--skip-refused', '読めない値のある行だけを除いて取り込む', false)
      .option('--dry-run', '何も変更せずに、追加・更新される件数と取り込めない行を表示する', false)
      .action(async (file: string, { account, ...rules }: ImportRules & { account: string }) => {
        // npm starts a script in the package's folder; INIT_CWD is the folder of the user's shell.
        const path = resolve(process.env.INIT_CWD ?? '', file);
        const fault = await fileFault(path);
        if (fault !== null) refuse(`${fault}: ${path}`);
        else await withDatabase(readSettings(), (database) => importFile(database, account, path, rules));
      }),
  );

/**
 * Returns why the file at a path cannot be imported, or null.
 * A device or a pipe may have no end, and the import reads the file more than once.
 */
async function fileFault(path: string): Promise<string | null> {
  try {
    const file = await open(path);
    try {
      const found = await file.stat();
      if (found.isDirectory()) return 'フォルダーは取り込めません。CSVファイルを指定してください';
      return found.isFile() ? null : '通常のファイルではないため、取り込めません。CSVファイルを指定してください';
    } finally {
      await file.close();
    }
  } catch {
    return 'ファイルを開けません。場所と権限を確認してください';
  }
}

interface ImportRules {
  readonly skipRefused: boolean;
  readonly dryRun: boolean;
}

async function importFile(database: Database, email: string, file: string, rules: ImportRules): Promise<void> {
  const accountId = await findAccountOrRefuse(database.db, email);
  if (accountId === null) return;
  const answer = await importProspects(database, { accountId, file, ...rules });
  if (answer instanceof Refusal) {
    refuse(answer.message);
    return;
  }
  for (const line of answer.report) process.stderr.write(`${reportText(line)}\n`);
  const more = answer.reportTotal - answer.report.length;
  if (more > 0) process.stderr.write(`ほか${more}件\n`);
  process.stdout.write(`${summary(answer)}\n`);
  if (!answer.accepted) process.exitCode = 1;
}

const reportText = ({ row, column, message }: ReportLine): string =>
  `${row}行目${column === '' ? '' : `（${column}）`}: ${message}`;

function summary(answer: ImportAnswer): string {
  const { rowsRead, added, updated, unchanged, refused, duplicates, ignoredColumns } = answer;
  const ignored = ignoredColumns.length === 0 ? '' : `\n取り込まなかった列: ${ignoredColumns.join('、')}`;
  if (!answer.accepted) {
    return `${rowsRead}行のうち${refused}行に問題があるため、何も取り込みませんでした。${ignored}`;
  }
  const rest = `（変更なし${unchanged}件、重複${duplicates}件、取り込めない行${refused}件）。${ignored}`;
  if (!answer.imported) {
    return `確認だけを行い、何も変更していません。取り込むと、${rowsRead}行のうち${added}件を追加、${updated}件を更新します${rest}`;
  }
  return `${rowsRead}行を読み、${added}件を追加、${updated}件を更新しました${rest}`;
}
