/** The texts of the selects of sender group and template. */
export const SENDER_MESSAGES = {
  group: '送信者グループ',
  sender: 'テンプレート',
  noGroup: '送信者グループがありません',
  noSender: 'テンプレートがありません',
  none: '（なし）',
  noGroupHelp:
    '送信者グループは、管理者が登録します。管理者に登録を依頼し、登録が済んだら「再読み込み」を押してください。',
  noSenderHelp:
    'ほかの送信者グループを選んでください。テンプレートを増やすときは、管理者に登録を依頼し、登録が済んだら「再読み込み」を押してください。',
  noSenderNote: 'ほかの送信者グループを選ぶか、管理者に登録を依頼してください',
  senderMissing: 'テンプレートが選択されていません',
  edit: 'テンプレートを編集',
  newTab: '新しいタブで開きます',
} as const;
