/** The texts of the page that makes the first account. */
export const SETUP_MESSAGES = {
  title: '最初のアカウントの作成',
  help: '最初のアカウントを作ってログインします。このアドレスからメールを送れるように、準備もあわせて行います。',
  company: '会社名',
  name: '氏名',
  email: 'メールアドレス',
  missing: (label: string) => `${label}を入力してください`,
  submit: 'アカウントを作成',
  created: 'アカウントを作成しました',
  checking: 'リンクを確認しています…',
  again: 'もう一度確認',
  toLogin: 'ログインへ戻る',
} as const;
