/** The contents of exports, as users read them. */
export const EXPORT_NAMES = {
  prospects: '見込み客',
  people: '相手の人',
  runs: '送信履歴',
  deliveries: '送信の結果',
  suppressions: '配信停止',
  audit: '操作履歴',
} as const;
