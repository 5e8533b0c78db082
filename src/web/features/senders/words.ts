/** The texts of the selects of sender group and template. */
export const SENDER_MESSAGES = {
  group: '送信者グループ',
  sender: 'テンプレート',
  noGroup: '送信者グループがありません',
  noSender: 'テンプレートがありません',
  none: '（なし）',
  noGroupHelp:
    '設定の「送信者グループ」で、グループと送信者を追加してください。追加したら「再読み込み」を押してください。',
  noSenderHelp:
    'ほかの送信者グループを選ぶか、設定の「送信者グループ」で送信者を追加してください。追加したら「再読み込み」を押してください。',
  noSenderNote: 'ほかの送信者グループを選ぶか、設定で送信者を追加してください',
  waiting: (subject: string) => `${subject}（確認待ち）`,
  notAsked: (subject: string) => `${subject}（未確認）`,
  unconfirmed: '差出人のアドレスの確認が済んでいないため、テスト送信だけができます',
  badDomain: '差出人のドメインの設定に問題があります（設定の「ドメイン・受信」）',
  senderMissing: 'テンプレートが選択されていません',
  both: '送信者グループとテンプレート',
  chosen: (group: string, template: string) => `${group}・${template}`,
  choose: '送信者グループとテンプレートを選ぶ',
  edit: 'テンプレートを編集',
  newTab: '新しいタブで開きます',
} as const;
