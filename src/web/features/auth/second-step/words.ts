/** The texts of the log-in's second view. */
export const CODE_MESSAGES = {
  lead: (email: string) => `${email} のパスワードを確認しました`,
  code: '認証コード',
  codeHelp: '認証アプリに表示されている6桁の数字です。',
  clockHelp: 'スマートフォンの時刻が合っているか確かめてください。',
  codeMissing: '認証アプリの6桁の数字を入力してください',
  recovery: '復旧コード',
  recoveryHelp: '二段階認証を設定したときに保管した、16文字のコードです。1つにつき1回使えます。',
  recoveryMissing: '復旧コードを入力してください',
  trust: 'この端末では30日間省略する',
  submit: 'ログイン',
  back: '戻る',
  lost: '認証アプリを使えないとき',
  lostHelp: '保管した復旧コードで、ログインできます。',
  useRecovery: '復旧コードを入力',
  useApp: '認証アプリの数字を入力',
  noneLeftHelp:
    '復旧コードもないときは、管理者に二段階認証の解除を依頼してください。ほかに管理者がいなければ、このサーバーの運用担当者に依頼してください。',
} as const;
