/** The texts of the question before a log-out. */
export const LOG_OUT_MESSAGES = {
  question: '変更を破棄してログアウトしますか？',
  leave: '破棄してログアウト',
} as const;
