/** The texts of the login screen. */
export const LOGIN_MESSAGES = {
  title: 'ログイン',
  email: 'メールアドレス',
  password: 'パスワード',
  submit: 'ログイン',
  emailMissing: 'メールアドレスを入力してください',
  passwordMissing: 'パスワードを入力してください',
  loggedIn: 'ログインしました',
  promise: {
    lead: '見込み客を選び、送り、返信まで',
    points: [
      'いま送れる会社だけを選べます',
      '会社ごとの宛名で、1通ずつ送ります',
      '返信・不達・配信停止を自動で反映します',
    ],
  },
  forgotten: 'パスワードをお忘れですか？',
} as const;
