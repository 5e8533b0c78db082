/** The texts of the prospect list and its column dialog. */
export const PROSPECT_MESSAGES = {
  list: '見込み客リスト',
  status: '送信状況',
  statuses: { all: 'すべて', unsent: '未送信', sent: '送信済み', reserved: '予約中' },
  units: { number_of_employees: '人', amount_of_sales: '円', ordinary_profit: '円', capital: '円' },
  activeOf: (company: string) => `${company}への配信`,
  remarksOf: (company: string) => `${company}の備考`,
  editRemarksOf: (company: string) => `${company}の備考を編集`,
  remarksTooLong: (max: number, length: number) =>
    `備考は${max.toLocaleString('ja-JP')}文字までです（現在${length.toLocaleString('ja-JP')}文字）`,
  remarksHelp: 'Enterで保存、Escで取り消します。',
  empty: '条件に合う見込み客がありません',
  emptyHelp: '絞り込みの条件か送信状況を変更してください。',
  noGroup: '送信者グループがないため、見込み客を表示できません',
  sort: '並べ替え',
  noSort: '登録順',
  columnDialog: {
    open: '列の設定',
    title: '列の設定',
    help: '表示する列を選べます。',
    widthHelp: '列の幅は、見出しの右端のドラッグでも変えられます。',
    widthOf: (column: string) => `${column}の幅`,
    pixels: (width: number) => `${width}ピクセル`,
    reset: '元に戻す',
  },
} as const;
