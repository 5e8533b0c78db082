/** The texts of pages and forms, which neither the log-in nor the list loads. */
export const FRAME_MESSAGES = {
  backTo: (page: string) => `${page}へ戻る`,
  discard: '変更を破棄',
  saved: '保存済み',
} as const;
