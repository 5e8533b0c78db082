/** The texts of the page for a sender's confirmation link. Visitors can open it. */
export const SENDER_CONFIRMATION_MESSAGES = {
  title: '差出人のメールアドレスの確認',
  help: 'メールが届いたアドレスを、Kaitakuのメールの差出人として使うことに同意する場合は、ボタンを押してください。心当たりがない場合は、このページを閉じてください。',
  confirm: 'このアドレスを確認',
  confirming: '確認しています…',
  confirmed: (email: string) => `${email} を確認しました`,
  confirmedHelp:
    'このアドレスから、会社にメールを送れるようになりました。もとの画面を開いている場合は、そちらで次の手順に進めます。',
  goOn: '次の手順へ進む',
  toSenders: '差出人の設定を開く',
  logIn: 'ログインして次へ進む',
  refusedHelp:
    'リンクは24時間、1回だけ使えます。ほかのアカウントでログインしている場合は、ログアウトしてから開き直してください。',
} as const;
