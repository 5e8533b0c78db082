import { type RowFault, shownValue } from './faults.ts';
import type { CsvRecord } from './read-records.ts';

/*
 * Finds lines of a list that are no companies: totals, counts, and notes that programs and people write under a table.
 * Words decide (合計, Copyright, 作成者:), but 株式会社合計 is a company. A title among such lines counts as one (取引先レポート under a
 * blank line, above Copyright).
 */

const COUNTED = '(?:件|社|行|名|人|円|千円|百万円|レコード|rows?|records?)';
const TOTAL = new RegExp(
  '^(?:(?:総|小|合|総合|累|以上合?)?計|平均|(?:総|合計|全|登録)?(?:件数|社数|レコード数|行数|企業数|会社数|取引先数|レコード件数)|' +
    `(?:grand|sub)-?total|total(?:records|rows)?)[:=]?(?:\\(?[\\d,.]+${COUNTED}?\\)?)?$|` +
    `^\\(?(?:全|計|合計|以上、?)?[\\d,]+(?:件|社|行|レコード|rows?|records?)(?:のレコード|inset.*)?\\)?$`,
);
/** A cell beside 合計. */
const AMOUNT = new RegExp(`^[¥\\\\]?[-−△▲]?[\\d,.]+(?:${COUNTED}|万円|億円|%)?$`);
/** Notes that have only one text in their line. */
const NOTE = new RegExp(
  '^(?:copyright[-:,]*(?:\\(c\\)|©|\\d{4})|(?:\\(c\\)|©)\\d{4}|allrightsreserved|機密情報(?:$|[-:ー―])|confidential|社外秘$|' +
    '取扱注意$|(?:無断)?転載(?:を)?禁|(?:generated|exported|created|printed|downloaded)(?:by|on|at)?:|asof:?\\d|' +
    '(?:出典|出所|備考|注記?|注意|資料|単位|source|note)\\d*:|[※*]|注\\d*\\)|以上。?$|(?:page|ページ)\\d|-+\\d+-+$|' +
    'end(?:ofreport|offile)?$|eof$)',
);
const STATED =
  /^(?:作成|出力|抽出|印刷|生成|集計|ダウンロード|エクスポート|取得|最終更新|更新|レポート|報告|検索|データ)(?:者|日|日時|時刻|年月日|条件|元|担当者?|期間|基準日)(?:$|[:=])/;
/** Notes that programs write under their reports, with a title. */
const PROGRAM = /^(?:copyright|\(c\)|©|機密情報|confidential|作成者|出力者|出力日|生成日|generated|exported)/;
/** A line with one of these is a company, wherever it is. */
const LEGAL_FORM = /株式会社|有限会社|合[同名資]会社|法人|組合|[(（][株有同][)）]|㈱|㈲/;
/** Words of the patterns above, as a quick check. Most names hold none of them. */
const LIKELY =
  /[計均数件社行者日時条件元間担©※*＊注:：Ａ-Ｚａ-ｚ]|tot|rows?|rec|copy|\(c\)|機密|conf|外秘|取扱|禁|以上|page|ページ|^-|eof|end|by|as of/i;
const MAX_LENGTH = 200;

const NOT_A_COMPANY = '会社の行ではありません（合計、件数、出力した日時や注記など）。';

/** Returns the report line of a row that is no company. */
export const notACompany = ({ cells }: CsvRecord): RowFault => ({
  kind: 'closed',
  column: '',
  value: shownValue(cells.find((cell) => cell.trim() !== '') ?? ''),
  reason: NOT_A_COMPANY,
});

const foldLine = (cell: string): string => cell.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

/** The first two texts of a record. */
function firstTexts(cells: readonly string[]): [string, string | undefined] {
  const texts: string[] = [];
  for (const cell of cells) {
    if (cell.trim() !== '' && texts.push(cell) === 2) break;
  }
  return [texts[0] ?? '', texts[1]];
}

/** Checks whether a record is a total, or a note. */
function isFootLine(cells: readonly string[], first: string, second: string | undefined): boolean {
  if (first.length > MAX_LENGTH || !LIKELY.test(first)) return false;
  const line = foldLine(first);
  if (TOTAL.test(line)) {
    return cells.every((cell) => cell === first || cell.trim() === '' || AMOUNT.test(foldLine(cell)));
  }
  if (second === undefined) return NOTE.test(line) || STATED.test(line);
  return STATED.test(line) && cells.filter((cell) => cell.trim() !== '').length === 2;
}

/** The most one-text lines that are held back between a blank line and a note. */
const MAX_HELD = 10;

/** After a record was taken: the records that are now known to be companies. */
export interface Sorted {
  readonly companies: readonly CsvRecord[];
  readonly others: readonly CsvRecord[];
}

/**
 * Sorts the records after a list's heading row into companies and notes.
 * One-text records under a blank line are held back. A following note makes them its title; any other record makes them
 * companies.
 * @param isTable the list has several columns; in a one-column list every line has one text
 */
export function createFootSorter(isTable: boolean) {
  let held: CsvRecord[] = [];
  let lastRow = 0;
  let isFoot = false;
  function release(): CsvRecord[] {
    const released = held;
    held = [];
    return released;
  }
  return {
    take(record: CsvRecord): Sorted {
      const [first, second] = firstTexts(record.cells);
      const isBelowGap = record.row > lastRow + 1 && lastRow > 0;
      lastRow = record.row;
      if (isFootLine(record.cells, first, second)) {
        const isOfProgram = isTable && PROGRAM.test(foldLine(first));
        isFoot ||= isOfProgram && (isBelowGap || held.length > 0);
        const waited = release();
        return isOfProgram ? { companies: [], others: [...waited, record] } : { companies: waited, others: [record] };
      }
      if (!isTable || second !== undefined || held.length >= MAX_HELD || LEGAL_FORM.test(first)) {
        isFoot = false;
        return { companies: [...release(), record], others: [] };
      }
      if (isFoot) return { companies: [], others: [record] };
      if (!isBelowGap && held.length === 0) return { companies: [record], others: [] };
      held.push(record);
      return { companies: [], others: [] };
    },
    /** @returns the records held back until the end, as companies */
    end: release,
  };
}
