import { MAX_MAILS_PER_MINUTE, SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { count, mails } from '#web/lib/phrases.ts';

/** The texts of the settings of groups and senders. */
export const SENDER_SETTINGS_MESSAGES = {
  title: '送信者グループ',
  help: 'グループごとに、会社に送るメールの差出人と、差出人が使うテンプレートを登録します。',
  addGroup: 'グループを追加',
  renameGroup: '名前を変更',
  deactivate: '無効にする',
  activate: '有効に戻す',
  groupTitle: { add: '送信者グループの追加', rename: '送信者グループの名前の変更' },
  groupName: 'グループ名',
  add: '追加',
  addPerson: '差出人を追加',
  noPerson: 'このグループには差出人がいません',
  noPersonHelp: '差出人を追加すると、このグループから送れます。',
  counts: (persons: number, sent: number) =>
    `差出人${persons.toLocaleString('ja-JP')}人・今月 ${sent.toLocaleString('ja-JP')}通`,
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
  twins: (addresses: string) => `同じアドレスの差出人がいます：${addresses}`,
  replyTo: '返信先',
  bcc: 'Bcc',
  replyToOf: (address: string) => `返信先：${address}`,
  bccOf: (addresses: string) => `Bcc：${addresses}`,
  limitOf: (most: number) => `1分あたり${mails(most)}まで`,
  templates: '使うテンプレート',
  ownSubjectOf: (template: string) => `${template}（別の件名）`,
  moreTemplates: (others: number) => `ほか${count(others)}`,
  noTemplate: '使うテンプレートがないため、送れません',
  chooseTemplates: 'テンプレートを選ぶ',
  inactivePersons: '無効の差出人',
  inactivePerson: (name: string, email: string) => `無効：${name} ${email}`,
  editOf: (name: string) => `${name}を編集`,
  saved: {
    groupAdded: (name: string) => `「${name}」を追加しました`,
    group: (name: string) => `「${name}」を保存しました`,
    person: (name: string) => `差出人「${name}」を保存しました`,
  },
} as const;

/** The texts of the form of a person. */
export const PROFILE_FORM_MESSAGES = {
  title: { add: '差出人の追加', edit: '差出人の編集' },
  nameLabel: '差出人名',
  emailLabel: 'メールアドレス',
  name: '差出人名（必須）',
  email: 'メールアドレス（必須）',
  emailHelp:
    '保存すると確認メールが届きます。リンクを開き、「このアドレスを確認」を押すと、会社に送れるようになります。それまでは、テスト送信だけができます。',
  replyToHelp: '空なら、返信は差出人に届きます。',
  bccHelp: '送るたびに写しが届きます。複数はコンマで区切ります。',
  templates: 'テンプレート',
  templatesOf: (chosen: number) => `テンプレート（${count(chosen)}を選択中）`,
  searchTemplates: 'テンプレートを探す',
  templatesHelp: 'チェックを入れたテンプレートを、この差出人の名前で送れます。',
  inactiveHelp: '無効にすると、この差出人からは送れません。テンプレートの選択も外れます。',
  noTemplateHelp: 'テンプレートがまだありません。テンプレートを作成すると、差出人を追加できます。',
  toTemplates: 'テンプレートを作成',
  noTemplateChosen: 'テンプレートを1つ以上選んでください',
  archivedTemplate: 'アーカイブしたテンプレート',
  ownSubject: (subject: string) => `別の件名：${subject}`,
  signature: '署名',
  signatureHelp: 'テンプレートの {{ sender.signature }} に、書いたとおりに入ります。',
  limit: '1分あたりの上限',
  limitHelp: (max: number | null) =>
    max === null
      ? '空なら、上限なしで送ります。'
      : `空なら、このサーバーの上限（${max.toLocaleString('ja-JP')}通）で送ります。`,
  limitFault: `1〜${MAX_MAILS_PER_MINUTE}の整数で入力してください`,
  active: '有効',
  inUseHelp: '保存した内容は、次の送信から使われます。予約には、送信が始まるときの内容が使われます。',
  more: '詳細設定',
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
} as const;
