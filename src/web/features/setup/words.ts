/** The texts of the page that creates the first account. */
export const SETUP_MESSAGES = {
  title: 'アカウントの作成',
  promise: {
    lead: '作成すると、すぐに始められます',
    points: [
      '送信者グループと差出人を用意します',
      'すぐに使える文面を用意してあります',
      '最初の送信まで、画面が順に案内します',
    ],
  },
  company: '会社名',
  name: '氏名',
  email: 'メールアドレス',
  emailHelp: 'ログインと、メールの差出人のアドレスに使います。',
  missing: (label: string) => `${label}を入力してください`,
  submit: 'アカウントを作成',
  created: 'アカウントを作成しました',
  checking: 'リンクを確認しています…',
  again: 'もう一度確認',
  toLogin: 'ログイン画面に戻る',
} as const;
