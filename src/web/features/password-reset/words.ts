/** The texts of the pages that reset a forgotten password. */
export const PASSWORD_RESET_MESSAGES = {
  title: 'パスワードの再設定',
  email: 'メールアドレス',
  emailMissing: 'メールアドレスを入力してください',
  requestHelp: 'ログインに使うメールアドレスを入力してください。再設定のリンクをメールで送ります。',
  request: '再設定のメールを送る',
  acceptedHelp: '登録のあるアドレスなら、再設定のメールが届きます。60分以内にリンクを開いてください。',
  lateHelp: '届かないときは、迷惑メールのフォルダーと、アドレスに間違いがないかを確認してください。',
  again: 'もう一度送る',
  setHelp: '設定すると、すべてのログインが終了します。新しいパスワードでログインし直してください。',
  set: '新しいパスワードを設定',
  done: '新しいパスワードを設定しました。ログインしてください',
  dead: 'このリンクは使えません。もう一度、再設定のメールを送ってください',
  toLogin: 'ログイン画面に戻る',
} as const;
