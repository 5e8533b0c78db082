import {
  IMPORT_HOURS,
  MAX_IMPORT_BYTES,
  MAX_WORKBOOK_BYTES,
  MAX_WORKBOOK_ROWS,
  MB,
} from '#domain/company/import-limits.ts';
import { STALLED_UPLOAD_MINUTES } from '#domain/limits.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, FIGURE_SEPARATOR, persons, rows } from '#web/lib/phrases.ts';

const MAX_MB = MAX_IMPORT_BYTES / MB;
const MAX_WORKBOOK_MB = MAX_WORKBOOK_BYTES / MB;
const MAX_WORKBOOK_LIMITS = `${MAX_WORKBOOK_MB}MB・${MAX_WORKBOOK_ROWS / 10_000}万行`;
const KEPT = `ファイルは${IMPORT_HOURS}時間残り、続きから再開できます`;
/** The number of companies and of persons, without those that are none. */
const withPersons = (of: number, people: number): string =>
  [...(of > 0 || people === 0 ? [companies(of)] : []), ...(people > 0 ? [persons(people)] : [])].join(FIGURE_SEPARATOR);
const number = (value: number): string => value.toLocaleString('ja-JP');
const { active: _a, sent_at: _s, send_at: _r, remarks, ...columns } = DATA_MESSAGES.prospects.columns;

/** The texts of the import's screen. */
export const IMPORT_MESSAGES = {
  title: 'CSVの取り込み',
  history: '取り込みの履歴',
  steps: {
    label: '取り込みの手順',
    file: 'ファイル',
    reading: '読み取りの設定',
    columns: '列の対応付け',
    check: '確認',
    run: '取り込み',
    result: '確認と取り込み',
  },
  next: '次へ',
  back: '戻る',
  notFound: 'この取り込みは見つかりません',
  notAllowed: '会社の取り込みはできません',
  notAllowedHelp: '取り込みは、営業または管理者の役割の方に依頼してください。',
  notFoundHelp:
    `アップロードしたファイルは${IMPORT_HOURS}時間で消えます。途中で${STALLED_UPLOAD_MINUTES}分以上止まったものは、` +
    '次のアップロードを始めると破棄されることがあります。もう一度、ファイルを選んでください。',
  expired: `ファイルの期限（${IMPORT_HOURS}時間）が過ぎました`,
  otherFile: '別のファイルを選ぶ',
  show: '表示',
  failed: (reason: string) => `前の処理は終わりませんでした：${reason}`,
  /** The fields that a column can hold: those of a company, of a person of it, and our own. */
  fields: {
    ...columns,
    corporate_number: '法人番号',
    remarks,
    person_name: '氏名',
    person_last_name: '姓',
    person_first_name: '名',
    person_department: '部署',
    person_title: '役職',
    person_email: '担当者メール',
    person_phone: '携帯・直通',
    person_met_on: '名刺交換日',
    person_is_primary: '主担当',
    own: '自社の項目',
    tags: 'タグ',
    owner: '自社担当',
    external_id: '外部ID',
  },
} as const;

/** The texts of the first step, a file; and of how it is read. */
export const FILE_MESSAGES = {
  drop: 'ここにファイルをドロップするか、選択してください',
  choose: 'ファイルを選ぶ',
  limitsHelp: `CSV・TSV（${MAX_MB}MBまで）、Excel（.xlsx、${MAX_WORKBOOK_LIMITS}まで）。${KEPT}。`,
  progress: (name: string) => `${name}をアップロードしています`,
  sent: (sent: string, all: string, share: number) => `${sent} / ${all}（${share}%）`,
  uploaded: 'アップロードしました',
  cut: '通信が切れました。続きから再開できます',
  stopped: 'ファイルを読めなかったため、アップロードを止めました。続きから再開できます',
  resume: '続きから再開',
  resumeWith: (name: string) => `「${name}」の途中まで届いています`,
  resumeHelp: '同じファイルを選ぶと、続きから再開します。',
  resumeChoose: 'ファイルを選んで再開',
  discarded: (names: string) =>
    `「${names}」のアップロードは、${STALLED_UPLOAD_MINUTES}分以上届かなかったため破棄しました`,
  kept: (name: string) => `選んだファイル：${name}`,
  sendAgain: 'もう一度アップロード',
  unfinished: (name: string) => `途中の取り込みがあります：${name}`,
  faults: {
    empty: 'ファイルが空です',
    tooLarge: (megabytes: number) =>
      `大きすぎます（${number(megabytes)}MB）。${MAX_MB}MBまでのファイルに分けてください`,
    workbookTooLarge: (megabytes: number) =>
      `大きすぎます（${number(megabytes)}MB）。Excelのファイルは${MAX_WORKBOOK_MB}MBまでです。CSVで保存し直してください`,
    many: 'ファイルは1つずつ選んでください',
    other: '始めたときと別のファイルです。同じファイルを選ぶか、最初からやり直してください',
    unreadable: 'ファイルを読めませんでした。変更されたか、移動された可能性があります。もう一度選んでください',
  },
  encoding: '文字コード',
  encodings: { 'utf-8': 'UTF-8', cp932: 'Shift_JIS', 'utf-16le': 'UTF-16 LE', 'utf-16be': 'UTF-16 BE' },
  separator: '区切り',
  separators: { comma: 'コンマ', tab: 'タブ', semicolon: 'セミコロン' },
  sheet: 'シート',
  headerRow: '見出しの行',
  headerRows: (row: number) => (row === 0 ? '見出しなし' : `${number(row)}行目`),
  auto: '自動',
  detected: (value: string) => `自動で判定しました：${value}`,
  preview: '先頭の5行',
  row: '行',
} as const;

/** The texts of the check: what the import would change. */
export const REVIEW_MESSAGES = {
  checking: '確認しています',
  stop: '確認を中止',
  stopped: '確認を中止しました',
  rowsRead: (read: number) => rows(read),
  counts: {
    added: '追加',
    updated: '変更',
    unchanged: '同じ内容',
    refused: '取り込めない行',
    repeated: '重複',
    blanked: '読めない値（取り込みません）',
    not_taken: '同じ会社のほかの行の値を取り込むため、取り込まない値',
    cut_phone: '先頭の0がない電話番号',
    closed: '除いた行（閉鎖・合計など）',
    suppressed: '配信停止に登録済み',
    archived: 'アーカイブ済み',
  },
  companies,
  persons,
  /** Above the figures of each, where the file has both. */
  kinds: { companies: '会社', people: '人' },
  newFields: (names: string) => `新しく作る項目：${names}`,
  rows,
  cells: (value: number) => `${number(value)}個`,
  /** Explains telephone numbers without their first 0, and labels the button that changes their reading. */
  cutPhones: {
    mend: (value: string) => `Excelで先頭の0が消えたとみられる電話番号が${value}あります。0を補って取り込みます`,
    as_written: (value: string) => `電話番号${value}を、先頭の0がないまま取り込みます`,
  },
  changePhones: { mend: '0を補わない', as_written: '0を補う' },
  noteOf: { suppressed: '停止のまま', archived: 'アーカイブのまま' },
  ignored: (names: string) => `取り込まない列：${names}`,
  label: '確認の結果',
  tabs: { changes: '変更される会社', people: '人', refused: '取り込めない行', repeated: '重複', notices: '注意' },
  peopleKind: '種類',
  peopleOf: { added: '追加される人', updated: '変更される人' },
  onlyFirstHelp: (people: number) => `先頭の${persons(people)}を表示しています。残りの人も取り込みます。`,
  primary: '主担当',
  out: '除外',
  noticeKind: '種類',
  allReasons: 'すべて',
  reasons: '取り込めない理由',
  reasonOf: (column: string, reason: string) => (column === '' ? reason : `${column}：${reason}`),
  line: {
    row: '行',
    company: '会社名',
    person: '人',
    column: '項目',
    value: '値',
    reason: '理由',
    first: '同じ会社の行',
    old: '今の値',
    new: '新しい値',
  },
  rowOf: (row: number) => `${number(row)}行目`,
  addressChanges: '宛先が変わります',
  blank: '（なし）',
  none: '該当する行はありません',
  download: '取り込めない行をCSVでダウンロード',
  downloadOf: (name: string) => `${name}の取り込めない行をダウンロード`,
  downloadName: (name: string) => `取り込めない行_${name}.csv`,
  mode: '取り込めない行の扱い',
  modes: { leave_out: '取り込めない行を除いて取り込む', strict: '取り込めない行があれば何も取り込まない' },
  strictFault: (faulty: number) =>
    `取り込めない行が${rows(faulty)}あります。ファイルを直して選び直すか、取り込めない行を除いてください`,
  run: (number_: number, people: number) => `${withPersons(number_, people)}を取り込む`,
  remarksOf: (group: string) => `${remarks}：${group}`,
  nothing: '取り込む会社がありません',
} as const;

/** The texts of the import itself: progress, result and undo; and of the history. */
export const RUN_MESSAGES = {
  running: '取り込んでいます',
  undoing: '取り消しています',
  progress: (done: number, total: number) => `${number(done)} / ${rows(total)}`,
  closeHelp: '画面を閉じても続きます。',
  stop: '取り込みを中止',
  stopped: '取り込みを中止しました。何も取り込んでいません',
  done: {
    title: (number_: number, people: number) => `${withPersons(number_, people)}を取り込みました`,
    details: (added: number, updated: number, out: string) =>
      `追加${number(added)}・変更${number(updated)}・除外${out}`,
    people: (added: number, updated: number) => `（人：追加${number(added)}・変更${number(updated)}）`,
    peopleHelp: '氏名や自社の項目は、会社名を押すか、一覧の列に出すと見られます。',
  },
  /** Why rows are left out. */
  out: { refused: '取り込めない行', repeated: '重複', closed: '閉鎖など' },
  undone: '取り込みを取り消しました',
  show: '見込み客を見る',
  showColumns: '取り込んだ項目を列に出して見る',
  another: '続けて取り込む',
  attackList: 'アタックリストを開く',
  undo: 'この取り込みを取り消す',
  undoUntil: (until: string) => `${until}まで取り消せます`,
  undoDialog: {
    title: '取り込みの取り消し',
    question: (added: string, updated: string) => `追加した${added}を外し、変更した${updated}を元の値に戻しますか？`,
    consequence: 'その後に編集・送信した会社は残ります。',
    button: '取り込みを取り消す',
  },
  /** Of companies, and of persons. */
  withPersons,
  undoPeople: { removed: '外した人', restored: '元の値に戻した人' },
  persons,
  undoCounts: {
    removed: '外した会社',
    restored: '元の値に戻した会社',
    archived: 'アーカイブした会社（送信などの記録があるため）',
    mailed: '残った会社（送信したため）',
    reserved: '残った会社（予約があるため）',
    edited: '残った会社（編集・取り込みをしたため）',
  },
  companies,
  rows,
  columns: {
    created_at: '日時',
    name: 'ファイル名',
    member_name: '実行者',
    added: '追加',
    updated: '変更',
    refused: '取り込めない行',
    state: 'ステータス',
    actions: '操作',
  },
  byCommand: 'サーバーの管理者',
  states: {
    uploading: 'アップロードの途中',
    uploaded: '確認前',
    checking: '確認中',
    checked: '取り込み前',
    importing: '取り込み中',
    imported: '取り込み済み',
    undoing: '取り消し中',
    undone: '取り消し済み',
  },
  discardDialog: {
    title: '取り込みの破棄',
    question: (name: string) => `「${name}」を破棄しますか？`,
    consequence: 'アップロードしたファイルと確認の結果を消します。見込み客は変わりません。',
    button: '取り込みを破棄する',
  },
  deleteFileDialog: {
    title: 'ファイルの削除',
    question: (name: string) => `「${name}」を削除しますか？`,
    consequence:
      'アップロードしたファイルを消します。元に戻せません。取り込んだ会社、取り込めない行、取り消しはそのまま残ります。',
    button: 'ファイルを削除する',
  },
  deleteFileShort: '削除',
  deleteFileOf: (name: string) => `${name}のファイルを削除する`,
  discardShort: '破棄',
  discardOf: (name: string) => `${name}の取り込みを破棄する`,
  undoShort: '取り消す',
  undoOf: (name: string) => `${name}の取り込みを取り消す`,
  downloadShort: '取り込めない行',
  empty: '取り込みの履歴はまだありません',
  emptyHelp: '会社のリスト（CSV・Excel）を取り込むと、ここに残ります。',
} as const;
