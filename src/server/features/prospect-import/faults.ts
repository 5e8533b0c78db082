/** What an import answers besides success: values, in words for the user. */

export type FileFaultCode =
  | 'empty_file'
  | 'no_rows'
  | 'not_csv'
  | 'utf16'
  | 'unknown_encoding'
  | 'truncated'
  | 'unclosed_quote'
  | 'record_too_long'
  | 'file_too_large'
  | 'no_company_name_column'
  | 'duplicate_column';

/** Why a file cannot be read at all. `message` is Japanese and says what to do. */
export interface FileFault {
  code: FileFaultCode;
  message: string;
}

/** `column`: the name of the column, '' where the row as a whole is meant. */
export interface RowFault {
  column: string;
  message: string;
}

const SAVE_AS_CSV = 'Excelなどで「CSV UTF-8（コンマ区切り）」として保存し直してから取り込んでください。';

export const fileFaults = {
  empty: { code: 'empty_file', message: 'ファイルが空です。' },
  noRows: { code: 'no_rows', message: '見出しの行だけで、取り込む行がありません。' },
  workbook: { code: 'not_csv', message: `これはExcelブックまたはZIPのファイルで、CSVではありません。${SAVE_AS_CSV}` },
  binary: { code: 'not_csv', message: `このファイルはCSVとして読めません。${SAVE_AS_CSV}` },
  utf16: { code: 'utf16', message: `文字コードがUTF-16のファイルには対応していません。${SAVE_AS_CSV}` },
  unknownEncoding: {
    code: 'unknown_encoding',
    message: `文字コードを判別できません。UTF-8かShift_JISのファイルを選んでください。${SAVE_AS_CSV}`,
  },
  truncated: {
    code: 'truncated',
    message: 'ファイルが途中で切れています。元のファイルから保存またはコピーし直してください。',
  },
  noCompanyName: {
    code: 'no_company_name_column',
    message: '「会社名」の列がありません。1行目を見出しにし、「会社名」の列を入れてください。',
  },
} as const satisfies Record<string, FileFault>;

export const tooLarge = (maxBytes: number): FileFault => ({
  code: 'file_too_large',
  message: `ファイルが大きすぎます（上限${Math.floor(maxBytes / 1024 / 1024)}MB）。分割して取り込んでください。`,
});

export const unclosedQuote = (line: number): FileFault => ({
  code: 'unclosed_quote',
  message: `${line}行目から始まる引用符（"）が閉じられていません。`,
});

export const recordTooLong = (line: number): FileFault => ({
  code: 'record_too_long',
  message: `${line}行目から始まる行が長すぎます。引用符（"）の閉じ忘れがないか確認してください。`,
});

export const duplicateColumn = (label: string, first: number, second: number): FileFault => ({
  code: 'duplicate_column',
  message: `「${label}」にあたる列が2つあります（${first}列目と${second}列目）。1つにしてください。`,
});
