/** The texts of the pages that stand in place of all screens. */
export const INSTEAD_MESSAGES = {
  moving: {
    title: 'データの移行中',
    help: 'データを移行しています。しばらくしてから、もう一度開いてください。',
  },
  network: {
    title: 'この場所からは使えません',
    help: '許可されたネットワークから、もう一度開いてください。',
  },
  again: 'もう一度開く',
  secondStepHelp: '管理者が、全員に二段階認証を求めています。設定すると、続きから使えます。',
} as const;
