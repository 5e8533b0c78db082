import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { MAX_IMPORT_COMPANY_ROWS, MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { Problem } from '../../../platform/problem.ts';

/**
 * What an import reports about a row. `refused`: not importable. `blanked`: a cell was left blank. `not_taken`: another
 * row of the company has another value, which counts. `repeated`: an earlier row has the same company, and the same
 * person if this row has one. `closed`: the company is closed, or a later row replaces this one. `cut_phone`: the
 * telephone number lost its first 0 in a spreadsheet.
 */
export type ReportKind = 'refused' | 'repeated' | 'closed' | 'blanked' | 'not_taken' | 'cut_phone';

/** A fault of a row or of one of its cells. */
export interface RowFault {
  kind: ReportKind;
  /** The column's label; '' where the fault concerns the whole row. */
  column: string;
  /** The cell as in the file, shortened; '' for a fault of the row. */
  value: string;
  /** The same text for all rows with this fault, so that they can be grouped. */
  reason: string;
}

const MAX_SHOWN_VALUE = 60;

/** Shortens a cell for a report, and makes its line breaks and invisible characters harmless. */
export function shownValue(cell: string): string {
  const text = cell
    .slice(0, MAX_SHOWN_VALUE)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .toWellFormed();
  return cell.length > MAX_SHOWN_VALUE ? `${text}…` : text;
}

/** Makes a fault that refuses a whole row. */
export const rowFault = (reason: string, value = ''): RowFault => ({ kind: 'refused', column: '', value, reason });

const SAVE_AS_CSV = 'Excelなどで「CSV UTF-8（コンマ区切り）」として保存し直してから取り込んでください。';

const otherEncoding = (name: string) =>
  new Problem('unknown_encoding', `ファイルの文字コードが${name}です。UTF-8かShift_JISだけ読めます。${SAVE_AS_CSV}`);

/** Why a whole file is refused. */
export const fileFaults = {
  empty: new Problem('empty_file', 'ファイルが空です。'),
  noRows: new Problem('no_rows', '見出しの行だけで、取り込む行がありません。'),
  binary: new Problem('not_csv', `このファイルはCSVとして読めません。${SAVE_AS_CSV}`),
  unknownEncoding: new Problem(
    'unknown_encoding',
    `文字コードを判別できません。UTF-8かShift_JISのファイルを選んでください。${SAVE_AS_CSV}`,
  ),
  jis: otherEncoding('JIS（ISO-2022-JP）'),
  eucJp: otherEncoding('EUC-JP'),
  truncated: new Problem(
    'truncated',
    'ファイルが途中で切れています。元のファイルから保存またはコピーし直してください。',
  ),
  noCompanyName: new Problem(
    'no_company_name_column',
    '「会社名」の列がありません。見出しの行に「会社名」の列を入れてください。',
  ),
  /** For columns that a person chose. */
  noCompanyColumn: new Problem('no_company_name_column', '「会社名」の列がありません。対応する列を選んでください。'),
};

export const tooLarge = (maxBytes: number) =>
  new Problem(
    'file_too_large',
    `ファイルが大きすぎます（上限${Math.floor(maxBytes / 1024 / 1024)}MB）。分割して取り込んでください。`,
  );

export const unclosedQuote = (line: number) =>
  new Problem('unclosed_quote', `${line}行目から始まる引用符（"）が閉じられていません。`);

export const recordTooLong = (line: number) =>
  new Problem(
    'record_too_long',
    `${line}行目から始まる行が長すぎます。引用符（"）の閉じ忘れがないか確認してください。`,
  );

export const tooManyColumns = (columns: number) =>
  new Problem(
    'too_many_columns',
    `列が多すぎます（${columns.toLocaleString('ja-JP')}列）。${MAX_IMPORT_COLUMNS.toLocaleString('ja-JP')}列までにしてください。`,
  );

export const tooManyExtraRows = (most: number) =>
  new Problem(
    'too_many_rows',
    `人や自社の項目のある行が多すぎます（1つのファイルで${most.toLocaleString('ja-JP')}行まで）。ファイルを分けて取り込んでください。`,
  );

export const tooManyLateFaults = (most: number) =>
  new Problem(
    'too_many_rows',
    `取り込めない行が${most.toLocaleString('ja-JP')}行を超えました。外部IDと会社名の列が合っているか確かめてください。`,
  );

export const duplicateColumn = (label: string, first: number, second: number) =>
  new Problem(
    'duplicate_column',
    `「${label}」にあたる列が2つあります（${first}列目と${second}列目）。1つにしてください。`,
  );

export const unknownField = (field: string) => new Problem('unknown_field', `「${field}」という項目はありません。`);

export const headingMissing = (heading: string) =>
  new Problem('heading_missing', `対応させた見出し「${heading}」がファイルにありません。`);

/** Remarks belong to a sender group, not to the company. */
export const noRemarksGroup = new Problem(
  'no_remarks_group',
  '備考は送信者グループごとに残ります。備考を残す送信者グループ（コマンドでは --group）を指定してください。',
);

/** A chosen own field that was archived since, or never was. */
export const fieldGone = new Problem(
  'field_changed',
  '取り込み先の自社の項目が、使われなくなっています。列の対応付けを選び直してください。',
);

/** Why a row is refused that the merge has met, after its cells were read. */
export const lateFaults = {
  idsDisagree: (first: string, second: string): RowFault => ({
    kind: 'refused',
    column: '外部ID',
    value: shownValue(`${first}／${second}`),
    reason: '外部IDと法人番号が、別々の会社を指しています。',
  }),
  externalIdSet: (externalId: string): RowFault => ({
    kind: 'refused',
    column: '外部ID',
    value: shownValue(externalId),
    reason: 'この会社には、別の外部IDがあります。',
  }),
  tooManyPeople: {
    kind: 'refused',
    column: '',
    value: '',
    reason: `1社に登録できるのは${MAX_PEOPLE_OF_COMPANY}人までです。`,
  } satisfies RowFault,
  tooManyRows: rowFault(
    `1社の行が多すぎます（${MAX_IMPORT_COMPANY_ROWS.toLocaleString('ja-JP')}行まで。値が長いと、もっと少なくなります）。会社名を確認してください。`,
  ),
};
