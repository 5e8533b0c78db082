import { MAX_MAILS_PER_MINUTE, SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';

/** The texts of the settings of groups and senders. */
export const SENDER_SETTINGS_MESSAGES = {
  title: '送信者グループ',
  help: 'グループごとに、会社に送るメールの差出人（送信者）を登録します。',
  addGroup: 'グループを追加',
  renameGroup: '名前を変更',
  deactivate: '無効にする',
  activate: '有効に戻す',
  groupTitle: { add: '送信者グループの追加', rename: '送信者グループの名前の変更' },
  groupName: 'グループ名',
  add: '追加',
  addSender: '送信者を追加',
  noSender: 'このグループには送信者がいません',
  noSenderHelp: '送信者を追加すると、このグループから送れます。',
  counts: (senders: number, sent: number) =>
    `送信者 ${senders.toLocaleString('ja-JP')}・今月 ${sent.toLocaleString('ja-JP')}通`,
  active: '有効',
  inactive: '無効',
  confirmed: '確認済み',
  waiting: '確認待ち',
  unconfirmed: '未確認',
  sentAt: (at: string) => `${at}に確認メールを送りました`,
  sendConfirmation: '確認メールを送る',
  confirmationSent: (email: string) => `確認メールを${email}に送りました`,
  confirmationSentHelp: `${SENDER_CONFIRMATION_HOURS}時間以内にリンクを開き、「このアドレスを確認」を押すと、会社に送れるようになります。`,
  alreadyConfirmed: (email: string) => `${email}は確認済みです`,
  columns: {
    name: '差出人名',
    email: 'メールアドレス',
    bcc: 'Bcc',
    template: 'テンプレート',
    limit: '上限/分',
    status: 'ステータス',
  },
  none: '–',
  editOf: (name: string) => `${name}を編集`,
  saved: {
    groupAdded: (name: string) => `「${name}」を追加しました`,
    group: (name: string) => `「${name}」を保存しました`,
    sender: (name: string) => `送信者「${name}」を保存しました`,
  },
} as const;

/** The texts of the form of a sender. */
export const SENDER_FORM_MESSAGES = {
  title: { add: '送信者の追加', edit: '送信者の編集' },
  name: '差出人名（必須）',
  email: 'メールアドレス（必須）',
  emailHelp:
    '保存すると確認メールが届きます。リンクを開き、「このアドレスを確認」を押すと、会社に送れるようになります。それまでは、テスト送信だけができます。',
  replyTo: '返信先',
  replyToHelp: '空なら、返信は差出人に届きます。',
  bcc: 'Bcc',
  bccHelp: '送るたびに写しが届きます。複数はコンマで区切ります。',
  template: 'テンプレート',
  subject: '件名（必須）',
  subjectChoice: '件名',
  templateSubject: 'テンプレートの件名を使う',
  ownSubject: '別の件名',
  subjectOfTemplate: (subject: string) => `件名：${subject}`,
  subjectHelp: '{{ company_name }} などの差し込み項目を使えます。',
  signature: '署名',
  signatureHelp: 'テンプレートの {{ sender.signature }} に、書いたとおりに入ります。',
  limit: '1分あたりの上限',
  limitHelp: (max: number | null) =>
    max === null
      ? '空なら、上限なしで送ります。'
      : `空なら、このサーバーの上限（${max.toLocaleString('ja-JP')}通）で送ります。`,
  limitFault: `1〜${MAX_MAILS_PER_MINUTE}の整数で入力してください`,
  active: '有効',
  noTemplate: 'テンプレートがありません。テンプレートの画面で作成してください',
  inUseHelp: '保存した内容は、次の送信から使われます。予約には、送信が始まるときの内容が使われます。',
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
} as const;
