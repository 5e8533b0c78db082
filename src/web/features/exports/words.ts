import { EXPORT_NAMES } from '#domain/company/export-names.ts';
import { EXPORT_DAYS, MAX_XLSX_ROWS } from '#domain/limits.ts';
import { companies, rows } from '#web/lib/phrases.ts';

/** The texts of the export dialog. */
export const EXPORT_MESSAGES = {
  titles: {
    prospects: '見込み客の書き出し',
    runs: '送信履歴の書き出し',
    deliveries: '送信の結果の書き出し',
    suppressions: '配信停止の書き出し',
    audit: '操作履歴の書き出し',
  },
  scope: '範囲',
  scopes: {
    chosen: (number: number) => `選択した${companies(number)}`,
    condition: (number: number) => `この条件の${companies(number)}`,
    all: 'すべての見込み客',
  },
  columns: '列',
  columnChoices: { shown: '表示中の列', all: 'すべての列', people: 'すべての列（相手の人ごとに1行）' },
  format: '形式',
  formats: { csv_utf8: 'CSV（UTF-8）', csv_cp932: 'CSV（Shift_JIS）', xlsx: 'Excel' },
  tooManyRows: `Excelは${rows(MAX_XLSX_ROWS)}までです。CSVを選んでください`,
  start: '書き出す',
  help: '画面を閉じても続きます。',
  recent: `最近${EXPORT_DAYS}日間の書き出し`,
  empty: 'まだ書き出していません',
  what: EXPORT_NAMES,
  item: (what: string, format: string) => `${what}・${format}`,
  preparing: 'ファイルを準備しています',
  progress: (done: number, total: number) => `${done.toLocaleString('ja-JP')} / ${rows(total)}`,
  ready: `ダウンロードできます（${EXPORT_DAYS}日間）`,
  size: (number: number, bytes: string) => `${rows(number)}・${bytes}`,
  replaced: (number: number) => `${number.toLocaleString('ja-JP')}字はShift_JISにないため「〓」になります`,
  failed: '書き出せませんでした',
  cancelled: '書き出しを中止しました',
  cancel: '中止',
  cancelOf: (what: string) => `${what}の書き出しを中止`,
  exportOf: (what: string) => `${what}の書き出し`,
  delete: '削除',
  deleteOf: (name: string) => `${name}を削除`,
  deleteDialog: {
    title: '書き出しの削除',
    question: (name: string) => `「${name}」を削除しますか？`,
    consequence: '書き出したファイルを消します。元に戻せません。',
    button: '書き出しを削除する',
  },
  download: 'ダウンロード',
  downloadOf: (name: string) => `${name}をダウンロード`,
} as const;
