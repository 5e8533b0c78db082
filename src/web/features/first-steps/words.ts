/** The texts of the first day: the card of the first steps, and the sample companies. */
export const FIRST_STEPS_MESSAGES = {
  title: 'はじめかた',
  progress: (done: number, all: number) => `${done} / ${all} 完了`,
  later: 'あとで表示',
  laterDone: 'カードを閉じました。アカウント画面の「はじめかたを表示」で、もう一度表示できます',
  done: '完了',
  open: '未完了',
  steps: {
    legal_profile_ready: { title: '法定表示を入力', act: '入力する' },
    sender_confirmed: { title: '差出人のメールアドレスを確認', act: '確認メールを送る' },
    companies_imported: { title: '見込み客を取り込む', act: 'CSVを取り込む' },
    template_edited: { title: 'テンプレートを整える', act: 'テンプレートを編集' },
    test_sent: { title: '自分にテスト送信', act: '自分に送ってみる' },
    mail_sent: { title: 'はじめての送信', act: 'アタックリストを開く' },
  },
  readyHelp: '準備ができました。アタックリストから送信できます。',
  finished: 'はじめての送信が終わりました',
  close: '閉じる',
  show: 'はじめかたを表示',
  shown: 'はじめかたを見込み客の画面に表示しました',
  samples: {
    add: '見本の会社を入れる',
    added: (companies: number) => `見本の会社${companies}社を入れました。実際の送信からは外れます`,
    help: (companies: number) =>
      `見本の会社が${companies}社入っています。テスト送信はできますが、実際の送信からは外れます。`,
    remove: '見本の会社を消す',
    removed: (companies: number) => `見本の会社${companies}社を消しました`,
  },
} as const;
