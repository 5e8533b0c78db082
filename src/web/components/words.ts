/** The texts of pages and forms, which neither the log-in nor the list loads. */
export const FRAME_MESSAGES = {
  backTo: (page: string) => `${page}へ戻る`,
  copied: 'コピーしました',
  notCopied: 'コピーできませんでした。文字を選んでコピーしてください',
  discard: '変更を破棄',
  saved: '保存済み',
  /** The folded filters of a phone. */
  filter: '絞り込み',
  search: '検索',
  chosen: (label: string, value: string) => `${label}：${value}`,
} as const;
