/** The texts of the selects of sender group and template. */
export const SENDER_MESSAGES = {
  group: '送信者グループ',
  sender: 'テンプレート',
  noGroup: '送信者グループがありません',
  noSender: 'テンプレートがありません',
  none: '（なし）',
  noGroupHelp:
    '設定の「送信者グループ」で、グループと差出人を追加してください。追加したら「再読み込み」を押してください。',
  noSenderHelp:
    'ほかの送信者グループを選ぶか、設定の「送信者グループ」で、差出人が使うテンプレートを選んでください。選んだら「再読み込み」を押してください。',
  /** For a member who may not add or change them. */
  askGroupHelp: '送信者グループと差出人の追加は、管理者に依頼してください。',
  askSenderHelp: 'ほかの送信者グループを選ぶか、差出人が使うテンプレートの設定を管理者に依頼してください。',
  noSenderNote: 'ほかの送信者グループを選ぶか、設定で差出人のテンプレートを選んでください',
  /** The label of a template with its sender. */
  choice: (template: string, subject: string, person: string) =>
    `${template}${subject === template ? '' : ` — ${subject}`}（${person}）`,
  waiting: (person: string) => `${person}・確認待ち`,
  notAsked: (person: string) => `${person}・未確認`,
  gone: '選んでいたテンプレートは使えなくなりました',
  goneHelp: '別のテンプレートを選んでください。',
  chooseOne: 'テンプレートを選ぶ',
  find: '探す',
  findName: 'テンプレートを探す',
  settings: '送信者グループの設定',
  unconfirmed: '差出人のアドレスの確認が済んでいないため、テスト送信だけができます',
  senderMissing: 'テンプレートが選択されていません',
  both: '送信者グループとテンプレート',
  chosen: (group: string, template: string) => `${group}・${template}`,
  choose: '送信者グループとテンプレートを選ぶ',
  edit: 'テンプレートを編集',
  /** For a member who may only read it. */
  read: 'テンプレートを見る',
  newTab: '新しいタブで開きます',
} as const;
