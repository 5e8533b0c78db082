import { companies } from '#web/lib/phrases.ts';

/** The texts of the first day. */
export const FIRST_STEPS_MESSAGES = {
  title: 'はじめかた',
  progress: (done: number, all: number) => `${done} / ${all} 完了`,
  /** The heads of the first sight. `welcomeHelp`: while no step is done. */
  welcomeHelp: (name: string) =>
    `ようこそ${name === '' ? '' : `、${name}さん`}。あと10分ほどで、最初のメールを送れます。`,
  openList: '見込み客リストを開く',
  invite: 'メンバーを招待',
  later: 'あとで',
  laterDone: 'はじめかたを閉じました。アカウント画面の「はじめかたを表示」で、もう一度表示できます',
  fold: 'はじめかたを折りたたむ',
  unfold: 'はじめかたを開く',
  states: { done: '完了', next: '次の手順', open: '未完了' },
  /** `mark`: the name in the line of all steps. `title`: the name as the next step. */
  steps: {
    legal_profile_ready: {
      mark: '法定表示',
      title: '法定表示を入力',
      help: 'メールの末尾に入る住所と連絡先です。会社名とメールアドレスは入力してあります。',
      act: '入力する',
    },
    sender_confirmed: {
      mark: '差出人',
      title: '差出人を確認',
      help: 'ご自身のアドレスに確認メールを送ります。リンクを開き、「このアドレスを確認」を押すと、会社に送れるようになります。',
      act: '確認メールを送る',
    },
    companies_imported: {
      mark: '見込み客',
      title: '見込み客を取り込む',
      help: 'Excelの会社リストを、そのまま取り込めます（Shift_JIS・㈱・約50名も読めます）。',
      act: 'ファイルを選ぶ',
    },
    template_edited: {
      mark: '文面',
      title: '文面を整える',
      help: '用意した文面を、自社の言葉に直します。会社名と宛名は、会社ごとに差し込まれます。',
      act: '文面を開く',
    },
    test_sent: {
      mark: 'テスト',
      title: '自分に送ってみる',
      help: 'テストのメールが自分だけに届きます。会社には送られません。',
      act: '自分に送ってみる',
    },
    mail_sent: {
      mark: '送信',
      title: 'はじめての送信',
      help: '準備ができました。送る会社を確かめて、送信します。',
      act: 'アタックリストを開く',
    },
  },
  /** What the last step is for, while others stand before it. */
  lastLaterHelp: '送る会社を確かめて、送信します。',
  /** `on`: the modes of the attack list that are on. */
  lastHelp: (on: readonly string[]) =>
    `準備ができました。${on.map((mode) => `「${mode}」`).join('と')}をオフにすると、会社に送れます。`,
  turnOff: 'オフにする',
  /** In place of the mail that confirms the sender, where no mail leaves the server but by mailboxes. */
  mailbox: {
    mark: 'メールボックス',
    title: 'メールボックスをつなぐ',
    help: 'ふだんお使いのメールアドレスをつなぎます。差出人の確認も済み、そのアドレスから会社に送れるようになります。',
    act: 'つなぐ',
  },
  askedHelp: (email: string) =>
    `確認メールを${email}に送りました。メールのリンクを開き、「このアドレスを確認」を押してください。`,
  askAgain: 'もう一度送る',
  done: {
    legal_profile_ready: '法定表示がそろいました',
    sender_confirmed: '差出人を確認しました',
    template_edited: '文面を保存しました',
    test_sent: '自分にテスト送信しました',
    mail_sent: 'はじめての送信が終わりました',
  },
  imported: (number: number) => `${companies(number)}を取り込みました`,
  next: (title: string) => `次：${title}`,
  finishedHelp: '届いたか、返信があったかは、送信履歴で確かめられます。',
  results: '結果を見る',
  close: '閉じる',
  show: 'はじめかたを表示',
  shown: 'はじめかたを表示しました',
} as const;
