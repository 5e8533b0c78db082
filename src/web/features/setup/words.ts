/** The texts of the page that creates the first account. */
export const SETUP_MESSAGES = {
  title: '最初のアカウントの作成',
  promise: {
    lead: '作成すると、すぐに始められます',
    points: [
      '送信者グループと差出人を用意します',
      '手直しして使える文面が入っています',
      '最初の送信まで、画面が順に案内します',
    ],
  },
  company: '会社名',
  name: '氏名',
  email: 'メールアドレス',
  emailHelp: 'ログインと、最初の差出人に使います。',
  missing: (label: string) => `${label}を入力してください`,
  submit: 'アカウントを作成',
  created: 'アカウントを作成しました',
  checking: 'リンクを確認しています…',
  again: 'もう一度確認',
  toLogin: 'ログインへ戻る',
} as const;
