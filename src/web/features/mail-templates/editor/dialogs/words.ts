/** The texts of the versions of a template. */
export const VERSION_MESSAGES = {
  title: 'テンプレートの履歴',
  help: '保存のたびに残ります。比べる版を選んでください。',
  current: '現在の内容',
  unsaved: '編集中の内容',
  version: (number: number) => `第${number.toLocaleString('ja-JP')}版`,
  savedBy: (at: string, by: string | null) => `${at}${by === null ? '' : ` ${by}`}`,
  difference: '変更点',
  compared: (older: string, newer: string) => `${older} → ${newer}`,
  same: '変更点はありません',
  added: '追加',
  removed: '削除',
  parts: { name: 'テンプレート名', subject: '件名', text_body: '本文（テキスト）', html_body: '本文（HTML）' },
  restore: 'この版に戻す',
  restoreHelp: '編集中の内容があります。保存するか破棄してから、戻してください。',
  restored: (number: number) => `第${number.toLocaleString('ja-JP')}版の内容に戻しました`,
  tooLong: '長すぎるため、比べられません',
} as const;
