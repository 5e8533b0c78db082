/** The texts of the login screen. */
export const LOGIN_MESSAGES = {
  title: 'ログイン',
  email: 'メールアドレス',
  password: 'パスワード',
  submit: 'ログイン',
  emailMissing: 'メールアドレスを入力してください',
  passwordMissing: 'パスワードを入力してください',
  loggedIn: 'ログインしました',
  forgotten: 'パスワードをお忘れですか？',
} as const;
