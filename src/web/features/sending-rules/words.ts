/** The texts of the rules of an account's sending. */
export const SENDING_RULE_MESSAGES = {
  title: '送信ルール',
  help: 'アカウントのすべての送信に使います。選ぶと、すぐに保存されます。',
  afterPress: '送信ボタンを押したあと',
  undoHelp:
    '会社への送信を、ここで選ぶ時間だけ待ちます。そのあいだは、1通も送らずに取り消せます。予約とテスト送信は待ちません。',
  undo: '送信の取り消し',
  never: 'しない',
  seconds: (seconds: number) => `${seconds}秒`,
  tick: (seconds: number) => `送信後${seconds}秒は取り消せるようにする`,
} as const;
