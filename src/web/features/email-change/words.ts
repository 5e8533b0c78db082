/** The texts of the screen that a mailed confirmation link opens. */
export const CONFIRMATION_MESSAGES = {
  title: 'メールアドレスの確認',
  checking: 'メールアドレスを確認しています…',
  rejected: 'メールアドレスは有効になりませんでした',
  rejectedCause: 'URLが正しくないか、有効期限が切れています。',
  rejectedHelp:
    '変更を申し込んだアカウントでログインしてから、リンクを開き直してください。それでも有効にならないときは、アカウントの画面から確認メールをもう一度送信してください。',
  unreachable: 'メールアドレスを確認できませんでした',
  again: 'もう一度確認',
  notUpdated: 'メールアドレスを変更できませんでした',
  notUpdatedHelp: 'ログインして、アカウントの画面から変更をやり直してください。',
  updated: 'メールアドレスの変更が有効になりました',
  updatedHelp: '新しいメールアドレスで、もう一度ログインしてください。',
} as const;
