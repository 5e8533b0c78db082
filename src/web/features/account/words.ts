/** The texts of the account screen. */
export const ACCOUNT_MESSAGES = {
  title: 'アカウント',
  profile: 'プロフィール',
  email: 'メールアドレス',
  name: '氏名',
  company: '会社名',
  saveChange: '変更を保存',
  emailHelp:
    '保存すると、新しいメールアドレスに確認メールが届きます。メールのリンクを開くまで、メールアドレスは変わりません。',
  saved: (label: string) => `${label}を変更しました`,
  pending: (address: string) => `${address} への変更は、まだ完了していません`,
  pendingHelp:
    '届いた確認メールのリンクを、送信から60分以内に開いてください。ログイン画面が表示されたときは、今のメールアドレスでログインすると変更が完了します。' +
    '変更しない場合は、何もする必要はありません。',
  late: '届かないとき',
  lateHelp: '迷惑メールのフォルダーを確認するか、もう一度送信してください。',
  sendAgain: '確認メールをもう一度送信',
  notSent: '確認メールを送信できませんでした。このサーバーの設定が必要です',
  notSentHelp:
    '確認メールの差出人が決まっていません。環境変数MAIL_FROMに差出人のメールアドレスを設定して、Kaitakuを起動し直してください。' +
    '入力例：no-reply@example.co.jp',
  mailSent: '確認メールが送信されました。メールを確認してください',
  security: 'セキュリティ',
  password: 'パスワード',
  changePassword: 'パスワードを変更',
  currentPassword: '現在のパスワード',
  passwordAskedHelp: 'ログインから15分が過ぎているため、ご本人であることを確かめます。',
  passwordHelp:
    '変更すると、このブラウザー以外のログインはすべて終了します。変更したことを、メールでもお知らせします。',
  samePassword: '現在のパスワードと新規パスワードは違うものにしてください',
  passwordUpdated: 'パスワードが更新されました',
  othersLoggedOut: 'このブラウザー以外のログインは終了しました',
} as const;

/** The texts of the section about the look of the screens. */
export const DISPLAY_MESSAGES = {
  title: '表示',
  schemes: {
    label: '画面の色',
    words: { system: 'システムに合わせる', light: 'ライト', dark: 'ダーク' },
  },
  rowHeights: { label: '表の行の高さ', words: { standard: '標準', roomy: 'ゆったり' } },
  help: 'このブラウザーだけの設定です。',
} as const;
