import { count } from '#web/lib/phrases.ts';

/** The texts of the prospect list and its column dialog. */
export const PROSPECT_MESSAGES = {
  list: '見込み客リスト',
  status: '送信状況',
  statuses: { all: 'すべて', unsent: '未送信', sent: '送信済み', reserved: '予約中', archived: 'アーカイブ済み' },
  rowStatus: 'ステータス',
  rowStatuses: {
    archived: 'アーカイブ済み',
    undeliverable: '届きません',
    suppressed: '配信停止',
    in_progress: '送信処理中',
    reserved: '予約中',
    sent: '送信済み',
    unsent: '未送信',
  },
  sentOn: (word: string, day: string) => `${word} ${day}`,
  units: { number_of_employees: '人', amount_of_sales: '円', ordinary_profit: '円', capital: '円' },
  activeOf: (company: string) => `${company}への配信`,
  remarksOf: (company: string) => `${company}の備考`,
  editRemarksOf: (company: string) => `${company}の備考を編集`,
  remarksTooLong: (max: number, length: number) =>
    `備考は${max.toLocaleString('ja-JP')}文字までです（現在${length.toLocaleString('ja-JP')}文字）`,
  remarksHelp: 'Enterで保存、Escで取り消します。',
  empty: '条件に合う見込み客がありません',
  emptyHelp: '絞り込みの条件か送信状況を変更してください。',
  clear: '条件をクリア',
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

const companies = (value: number): string => `${value.toLocaleString('ja-JP')}社`;

/** The texts of the choice of companies, and of the acts on many of them. */
export const BULK_MESSAGES = {
  select: '選択',
  selectRow: (company: string) => `${company}を選択`,
  selectPage: 'このページのすべてを選択',
  selectAll: (total: number) => `この条件の${count(total)}をすべて選択`,
  bar: '一括操作',
  selected: (chosen: number) => `${count(chosen)}を選択中`,
  clear: '選択を解除',
  export: '書き出す',
  acts: {
    activate: '有効にする',
    deactivate: '無効にする',
    append_remarks: '備考を追記',
    suppress: '配信停止に登録',
    archive: 'アーカイブ',
    restore: 'リストに戻す',
  },
  titles: {
    activate: '配信の有効化',
    deactivate: '配信の無効化',
    append_remarks: '備考の追記',
    suppress: '配信停止への登録',
    archive: '会社のアーカイブ',
    restore: 'アーカイブした会社の復帰',
  },
  questions: {
    activate: (chosen: number) => `${companies(chosen)}への配信を有効にしますか？`,
    deactivate: (chosen: number) => `${companies(chosen)}への配信を無効にしますか？`,
    append_remarks: (chosen: number) => `${companies(chosen)}の備考に追記しますか？`,
    suppress: (chosen: number) => `${companies(chosen)}を配信停止に登録しますか？`,
    archive: (chosen: number) => `${companies(chosen)}をリストから外しますか？`,
    restore: (chosen: number) => `${companies(chosen)}をリストに戻しますか？`,
  },
  counting: '件数を確認しています',
  running: '実行中…',
  newRemarks: '追記する備考',
  newRemarksHelp: '今の備考の次の行に追記します。',
  consequence: {
    archive: '送信の記録は残り、いつでも戻せます。',
    nothing: '変更する会社がありません。',
    already: (number: number) => `すでにその状態の${count(number)}は、そのままです。`,
    impossible: (number: number, reasons: string) => `${count(number)}は変更できません（${reasons}）。`,
    reserved: (number: number) => `予約中の${count(number)}からも外れます。`,
    queued: (number: number) => `送信待ちの${number.toLocaleString('ja-JP')}通は送信しません。`,
  },
  reasons: { no_email: '代表メールなし', too_long: '備考が長すぎる', not_found: '見つからない' },
  done: (changed: number) => `${count(changed)}に実行しました`,
  failed: (number: number, reasons: string) => `${count(number)}は変更できませんでした（${reasons}）`,
} as const;
