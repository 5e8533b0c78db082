import { SUPPRESSION_SOURCE_NAMES } from '#contract/answers/suppressions-names.ts';
import { MAX_IMPORT_PART_BYTES } from '#domain/company/import-limits.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { count } from '#web/lib/phrases.ts';

/** The texts of the addresses and domains that get no mail. */
export const SUPPRESSION_MESSAGES = {
  title: '配信停止',
  help: 'ここにあるアドレスとドメインには、どの送信者グループからも送りません。',
  search: 'アドレス・会社名で探す',
  class: '理由',
  source: '登録元',
  all: 'すべて',
  matches: (rows: number, addresses: number, domains: number) =>
    `該当 ${count(rows)}（登録：アドレス ${addresses.toLocaleString('ja-JP')}・ドメイン ${domains.toLocaleString('ja-JP')}）`,
  columns: {
    value: 'アドレス/ドメイン',
    companies: '会社',
    class: '理由',
    source: '登録元',
    created_at: '登録日時',
    created_by: '登録者',
    note: 'メモ',
    act: '操作',
  },
  otherFieldsOf: (value: string) => `${value}のほかの項目`,
  domain: (value: string) => `@${value}`,
  classes: DATA_MESSAGES.suppressionClasses,
  sources: SUPPRESSION_SOURCE_NAMES,
  optOutReasons: {
    irrelevant: '関係がない',
    too_many: '回数が多い',
    unknown_sender: '覚えがない',
    other: 'その他',
  },
  automatic: '自動',
  noCompany: '–',
  moreCompanies: (others: number) => `ほか${others.toLocaleString('ja-JP')}社`,
  empty: '配信停止のアドレスはありません',
  emptyHelp: '受信者が配信停止を押すか、ここで追加すると、この一覧に入ります。',
  noMatch: '条件に合う配信停止がありません',
  clear: '条件をクリア',
  dead: (at: string) => `このアドレスにはメールが届かないため、送信を止めています（${at}から）`,
  note: (reason: string, source: string, at: string) => `配信停止に登録されています（${reason}・${source}・${at}）`,
  /** The cause of what servers refuse for good; the server's own words stand behind a mark. */
  unknownAddress: '宛先が存在しません',
  /** The button that lifts, beside a mail or a company. */
  lift: { dead: 'もう一度このアドレスに送れるようにする', other: '配信停止を解除' },
  open: '配信停止の一覧で見る',
} as const;

const MEGABYTES = MAX_IMPORT_PART_BYTES / 1024 / 1024;

const facts = {
  added: (values: number) => `登録する ${count(values)}`,
  already: (values: number) => `登録済み ${count(values)}`,
  companies: (companies: number) => `対象の会社 ${companies.toLocaleString('ja-JP')}社`,
  reserved: (companies: number) => `予約から外れる ${companies.toLocaleString('ja-JP')}社`,
  queued: (mails: number) => `送信待ちから取り消す ${mails.toLocaleString('ja-JP')}通`,
};

/** The texts of adding by hand and from a file. */
export const SUPPRESSION_ADD_MESSAGES = {
  add: '追加',
  addTitle: '配信停止の追加',
  addCompany: '配信停止に登録',
  import: 'CSVを取り込む',
  importTitle: '配信停止のCSVの取り込み',
  values: 'アドレスかドメイン（必須）',
  valuesHelp: '1行に1つ、1,000行までです。ドメインは @example.co.jp の形で入力します（サブドメインは含みません）。',
  line: (line: number, fault: string) => `${line.toLocaleString('ja-JP')}行目：${fault}`,
  none: 'アドレスかドメインを入力してください',
  class: '理由',
  classHelp: '電話や手紙で断られたアドレスは「本人の希望」にします。',
  note: 'メモ',
  noteHelp: '入力例：電話で受付',
  check: '内容を確認',
  facts,
  factsLabel: '登録の内容',
  store: (values: number) => `${count(values)}を登録`,
  nothing: '登録するものがありません',
  done: (values: number) => `${count(values)}を配信停止に登録しました`,
  file: 'ファイル（必須）',
  fileHelp: `CSV（UTF-8かShift_JIS）かExcelで、${MEGABYTES}MBまでです。「メールアドレス」の列か、最初の列を読みます。登録するだけで、解除はしません。`,
  fileMissing: 'ファイルを選んでください',
  fileTooLarge: `ファイルが大きすぎます。${MEGABYTES}MBまでのファイルに分けてください`,
  fileUnreadable: 'ファイルを読めません。もう一度選んでください',
  faults: (rows: number) => `読めない行 ${rows.toLocaleString('ja-JP')}行（飛ばします）`,
  fault: (row: number, value: string, fault: string) => `${row.toLocaleString('ja-JP')}行目「${value}」：${fault}`,
} as const;
