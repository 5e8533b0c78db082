/** What the account and the confirmation of its address say, under the rules of WORDS (words.ts). */
export const ACCOUNT_WORDS = {
  account: {
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
      '届いた確認メールのリンクを、送信から60分以内に開いてください。ログイン画面が表示されたときは、今のメールアドレスでログインすると変更が完了します。届かないときは、迷惑メールのフォルダーを確認するか、もう一度送信してください。変更しない場合は、何もする必要はありません。',
    sendAgain: '確認メールをもう一度送信',
    mailSent: '確認メールが送信されました。メールを確認してください',
    security: 'セキュリティ',
    changePassword: 'パスワードを変更',
    currentPassword: '現在のパスワード',
    newPassword: '新しいパスワード',
    newPasswordHelp: (min: number, max: number) => `${min}〜${max}文字。日本語や記号、空白も使えます。`,
    confirmPassword: '新しいパスワード（確認）',
    passwordHelp:
      '変更すると、このブラウザー以外のログインはすべて終了します。変更したことを、メールでもお知らせします。',
    samePassword: '現在のパスワードと新規パスワードは違うものにしてください',
    passwordsDiffer: '新規パスワードと確認用のパスワードが違います',
    passwordUpdated: 'パスワードが更新されました',
    othersLoggedOut: 'このブラウザー以外のログインは終了しました',
  },
  confirmation: {
    title: 'メールアドレスの確認',
    checking: 'メールアドレスを確認しています…',
    rejected: 'メールアドレスは有効になりませんでした。',
    rejectedCause: 'URLが正しくないか、有効期限が切れています。',
    rejectedHelp:
      '変更を申し込んだアカウントでログインしてから、リンクを開き直してください。それでも有効にならないときは、アカウントの画面から確認メールをもう一度送信してください。',
    unreachable: 'メールアドレスを確認できませんでした。',
    again: 'もう一度確認',
    notUpdated: 'メールアドレスを変更できませんでした。',
    notUpdatedHelp: 'ログインして、アカウントの画面から変更をやり直してください。',
    updated: 'メールアドレスの変更が有効になりました。',
    updatedHelp: '新しいメールアドレスで、もう一度ログインしてください。',
  },
} as const;
