/** The texts of the actions on a mail that was not delivered. */
export const CAUSE_MESSAGES = {
  showReply: 'サーバーの応答を表示',
  domains: 'ドメインの状態を開く',
  nextTry: (at: string) => `再試行は${at}です`,
  mend: {
    button: 'このアドレスに送り直す',
    field: '新しいメールアドレス',
    help: '会社の代表メールも、新しいアドレスに変わります。',
    missing: 'メールアドレスを入力してください',
    same: '届かなかったアドレスと同じです。別のアドレスを入力してください',
    skipped: (reason: string) => `アドレスを保存しました。送信の対象外のため、再送信していません（${reason}）`,
  },
  runPausedHelp: '相手のサーバーによる拒否が続いたため、この送信を一時停止しました。',
  deactivate: {
    button: 'この会社を無効にする',
    title: '会社の無効化',
    question: (company: string) => `${company}を無効にしますか？`,
    consequence: 'この送信者グループのアタックリストに出なくなります。見込み客リストで、いつでも有効に戻せます。',
    done: (company: string) => `${company}を無効にしました`,
  },
} as const;
