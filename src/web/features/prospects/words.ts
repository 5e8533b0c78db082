import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, count } from '#web/lib/phrases.ts';

/** The texts of the prospect list and its column dialog. */
export const PROSPECT_MESSAGES = {
  list: '見込み客リスト',
  status: '送信状況',
  statuses: {
    all: 'すべて',
    ...DATA_MESSAGES.prospects.statuses,
    archived: 'アーカイブ済み',
  },
  rowStatus: 'ステータス',
  showReason: '理由を表示',
  units: { number_of_employees: '人', amount_of_sales: '円', ordinary_profit: '円', capital: '円' },
  otherFieldsOf: (company: string) => `${company}のほかの項目`,
  cardSeparator: ' · ',
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
    widthHelp: '列の幅は、見出しの右端で変えられます（ドラッグ、またはEnterのあと←→）。',
    presets: '列の組み合わせ',
    presetNames: { all: 'すべて', sales: '営業', sending: '送信' },
    resetWidths: '幅を元に戻す',
  },
} as const;

/** The texts of the selection of companies, and of the actions on many of them. */
export const BULK_MESSAGES = {
  select: '選択',
  selectRow: (company: string) => `${company}を選択`,
  selectPage: 'このページのすべてを選択',
  selectAll: (total: number) => `この条件の${companies(total)}をすべて選択`,
  bar: '一括操作',
  selected: (chosen: number) => `${companies(chosen)}を選択中`,
  send: (selected: number) => `${companies(selected)}に送る`,
  clear: '選択を解除',
  acts: {
    activate: '有効にする',
    deactivate: '無効にする',
    append_remarks: '備考を追記',
    suppress: '配信停止に登録',
    archive: 'アーカイブ',
    restore: 'リストに戻す',
    label: 'タグを付ける',
  },
  titles: {
    activate: '配信の有効化',
    deactivate: '配信の無効化',
    append_remarks: '備考の追記',
    suppress: '配信停止への登録',
    archive: '会社のアーカイブ',
    restore: 'アーカイブした会社の復帰',
    label: 'タグの変更',
  },
  questions: {
    activate: (chosen: number) => `${companies(chosen)}への配信を有効にしますか？`,
    deactivate: (chosen: number) => `${companies(chosen)}への配信を無効にしますか？`,
    append_remarks: (chosen: number) => `${companies(chosen)}の備考に追記しますか？`,
    suppress: (chosen: number) => `${companies(chosen)}を配信停止に登録しますか？`,
    archive: (chosen: number) => `${companies(chosen)}をリストから外しますか？`,
    restore: (chosen: number) => `${companies(chosen)}をリストに戻しますか？`,
    label: (chosen: number) => `${companies(chosen)}のタグを変更しますか？`,
  },
  counting: '会社の数を確認しています',
  running: '実行中…',
  newRemarks: '追記する備考',
  newRemarksHelp: '今の備考の次の行に追記します。',
  consequence: {
    archive: '送信の記録は残り、いつでも戻せます。',
    suppress: '登録したアドレスには、配信停止を解除するまで、どの送信者グループからも送信しません。',
    nothing: '変更する会社がありません。',
    already: (number: number) => `すでにその状態の${companies(number)}は、そのままです。`,
    impossible: (number: number, reasons: string) => `${companies(number)}は変更できません（${reasons}）。`,
    reserved: (number: number) => `予約中の${count(number)}からも外れます。`,
    queued: (number: number) => `送信待ちの${number.toLocaleString('ja-JP')}通は送信しません。`,
  },
  reasons: {
    no_email: '代表メールなし',
    too_long: '備考が長すぎる',
    not_found: '見つからない',
    too_many: 'タグが多すぎる',
  },
  done: {
    activate: (changed: number) => `${companies(changed)}の配信を有効にしました`,
    deactivate: (changed: number) => `${companies(changed)}の配信を無効にしました`,
    append_remarks: (changed: number) => `${companies(changed)}の備考に追記しました`,
    suppress: (changed: number) => `${companies(changed)}を配信停止に登録しました`,
    archive: (changed: number) => `${companies(changed)}をアーカイブしました`,
    restore: (changed: number) => `${companies(changed)}をリストに戻しました`,
    label: (changed: number) => `${companies(changed)}のタグを変更しました`,
  },
  already: (number: number) => `${companies(number)}は、すでにその状態でした`,
  failed: (number: number, reasons: string) => `${companies(number)}は変更できませんでした（${reasons}）`,
} as const;

/** The texts of tags for many companies. */
export const TAG_BULK_MESSAGES = {
  way: 'タグの変更',
  ways: { add: '付ける', remove: '外す' },
  questions: {
    add: (chosen: number) => `${companies(chosen)}に付けるタグを選んでください`,
    remove: (chosen: number) => `${companies(chosen)}から外すタグを選んでください`,
  },
  box: 'タグ',
  chosen: '選んだタグ',
  drop: (label: string) => `タグ「${label}」を選択から外す`,
  acts: { add: 'タグを付ける', remove: 'タグを外す' },
} as const;
