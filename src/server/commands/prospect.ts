import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { importProspects } from '../features/imports/merge/import.command.ts';
import type { ImportAnswer, ReportGroup, ReportLine } from '../features/imports/merge/import-report.ts';
import { type Mapping, parseMapping } from '../features/imports/read/table/headings.ts';
import type { Database, Db } from '../platform/database/db.ts';
import { Problem } from '../platform/problem.ts';
import type { Settings } from '../platform/settings.ts';
import { ACCOUNT, command, filled, refuse } from './command.ts';
import { withAccount } from './with-database.ts';

const IMPORT_DETAILS = `UTF-8かShift_JISのCSV、またはExcel（.xlsx、50MB・20万行まで）のファイルを読み込みます。見出しの行と、「会社名」の列が必要です。
国税庁法人番号公表サイトのファイルは、見出しがなくても取り込めます。取り込めない行が1行でもあれば何も取り込まず、理由ごとに行を表示します。
数値・設立年・URL・業種・電話番号が読めないときは、その値だけを取り込まず、表示します。Excelで先頭の0が消えた電話番号には0を補い、表示します。`;

export const prospectCommand = (readSettings: () => Settings): Command =>
  command('prospect', '見込み客をCSVかExcelのファイルから取り込む').addCommand(
    command('import', 'CSVかExcelのファイルを取り込む', IMPORT_DETAILS)
      .argument('<ファイル>', '取り込むファイル', filled)
      .requiredOption(ACCOUNT, '取り込むアカウントのメールアドレス', filled)
      .option(
        '--map <項目=見出し>',
        'ファイルの見出しを項目に対応させる（例: --map 会社名=企業名）。何度でも指定できます',
        (pair: string, pairs: string[]) => [...pairs, pair],
        [],
      )
      .option(
        '--sheet <シート名>',
        'Excelの、取り込むシート（省略すると、会社名の見出しがある最初のシート（なければ、値のある最初のシート））',
        filled,
      )
      .option(
        '--group <送信者グループ>',
        '「備考」の列を、この名前かidの送信者グループの備考にする（省略すると、備考は取り込みません）',
        filled,
      )
      .option('--skip-refused', '取り込めない行だけを除いて取り込む', false)
      .option('--keep-phones', '先頭の0が消えた電話番号に、0を補わずに取り込む', false)
      .option('--dry-run', '何も変更せずに、追加・更新される件数と取り込めない行を表示する', false)
      .action(async (file: string, { account, map, ...rules }: Rules & { account: string; map: string[] }) => {
        const mapping = parseMapping(map);
        if (mapping instanceof Problem) return refuse(mapping.message);
        // npm starts a script in the package's folder; INIT_CWD is the user's.
        const path = resolve(process.env.INIT_CWD ?? '', file);
        const fault = await fileFault(path);
        if (fault !== null) return refuse(`${fault}: ${path}`);
        const settings = readSettings();
        const { companiesMax, peopleMax } = settings;
        return withAccount(settings, account, (accountId, database) =>
          importFile(database, accountId, path, { ...rules, mapping, companiesMax, peopleMax }),
        );
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
      if (found.isDirectory()) return 'フォルダーは取り込めません。ファイルを指定してください';
      return found.isFile()
        ? null
        : '通常のファイルではないため、取り込めません。CSVかExcelのファイルを指定してください';
    } finally {
      await file.close();
    }
  } catch {
    return 'ファイルを開けません。場所と権限を確認してください';
  }
}

interface Rules {
  readonly sheet?: string;
  readonly group?: string;
  readonly skipRefused: boolean;
  readonly keepPhones: boolean;
  readonly dryRun: boolean;
}

interface ImportRules extends Rules {
  readonly companiesMax: number;
  readonly peopleMax: number;
  readonly mapping: Mapping;
}

async function importFile(
  database: Database,
  accountId: number,
  file: string,
  { group, keepPhones: keepsCutPhones, ...rules }: ImportRules,
): Promise<void> {
  const remarksGroupId = group === undefined ? null : await findGroup(database.db, accountId, group);
  if (remarksGroupId === undefined) return refuse(`送信者グループ「${group}」はありません。`);
  const answer = await importProspects(database, { accountId, file, remarksGroupId, keepsCutPhones, ...rules });
  if (answer instanceof Problem) return refuse(answer.message);
  process.stderr.write(sheetText(answer));
  for (const group of answer.reportGroups) process.stderr.write(groupText(group));
  process.stdout.write(`${summary(answer)}\n`);
  if (!answer.accepted) process.exitCode = 1;
}

/** Finds an active sender group by its name, or else by its id. @returns undefined if there is none */
async function findGroup(db: Db, accountId: number, named: string): Promise<number | undefined> {
  const groups = await db
    .selectFrom('sender_group')
    .select(['id', 'group_name'])
    .where('account_id', '=', accountId)
    .where('active', '=', true)
    .execute();
  return (groups.find(({ group_name }) => group_name === named) ?? groups.find(({ id }) => String(id) === named))?.id;
}

/** Names the sheet that was read, if the workbook has several. */
function sheetText({ workbook }: ImportAnswer): string {
  if (workbook === null || workbook.sheets.length < 2) return '';
  const { sheets, sheet } = workbook;
  const others = sheets.filter((_, at) => at !== sheet);
  return `シート「${sheets[sheet]}」を読みました（ほかのシート: ${others.join('、')}）。\n`;
}

const KIND_LABELS: Record<ReportGroup['kind'], string> = {
  refused: '取り込めない行',
  blanked: '取り込まない値',
  not_taken: 'ほかの行の値を取り込むため、取り込まない値',
  cut_phone: '先頭の0がない番号',
  repeated: '重複した行',
  closed: '除いた行',
};

/** Describes all rows with one fault: their number, the reason, and the first ones. */
function groupText({ kind, column, reason, count, lines }: ReportGroup): string {
  const more = count > lines.length ? `\n  ほか${count - lines.length}件` : '';
  const heading = `${KIND_LABELS[kind]} ${count}件${column === '' ? '' : `（${column}）`}: ${reason}`;
  return `${heading}\n${lines.map(lineText).join('\n')}${more}\n`;
}

const lineText = ({ row, value, firstRow }: ReportLine): string =>
  `  ${row}行目${value === '' ? '' : `「${value}」`}${firstRow === undefined ? '' : `（${firstRow}行目と同じ会社）`}`;

function summary(answer: ImportAnswer): string {
  const { rowsRead, added, updated, unchanged, refused, duplicates, closed, blanked, ignoredColumns } = answer;
  const ignored = ignoredColumns.length === 0 ? '' : `\n取り込まなかった列: ${ignoredColumns.join('、')}`;
  if (!answer.accepted) {
    return `${rowsRead}行のうち${refused}行に問題があるため、何も取り込みませんでした。${ignored}`;
  }
  const closedText = closed === 0 ? '' : `、閉鎖など${closed}件`;
  const blankedText = blanked === 0 ? '' : `読めない値${blanked}個は取り込みませんでした。`;
  const counts = `変更なし${unchanged}件、重複${duplicates}件、取り込めない行${refused}件${closedText}`;
  const rest = `（${counts}）。${answer.imported ? blankedText : ''}${ignored}`;
  if (!answer.imported) {
    return `確認だけを行い、何も変更していません。取り込むと、${rowsRead}行のうち${added}件を追加、${updated}件を更新します${rest}`;
  }
  return `${rowsRead}行を読み、${added}件を追加、${updated}件を更新しました${rest}`;
}
