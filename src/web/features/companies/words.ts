import { MAX_EXTERNAL_ID_LENGTH } from '#domain/limits.ts';
import { inBrackets } from '#web/lib/phrases.ts';

/** The texts of one company: its details, its history, and its dialogs. */
export const COMPANY_MESSAGES = {
  title: '会社の詳細',
  back: '見込み客リスト',
  notFound: 'この会社は見つかりません',
  notFoundHelp: '削除されたか、アドレスが間違っている可能性があります。',
  company: '会社',
  corporateNumber: '法人番号',
  externalId: '外部ID',
  addressee: '代表メールの宛名',
  units: {
    number_of_employees: '人',
    amount_of_sales: '円',
    ordinary_profit: '円',
    capital: '円',
    year_of_establishment: '年',
  },
  copyEmail: 'メールアドレスをコピー',
  previous: '前の会社',
  next: '次の会社',
  shown: (company: string) => `${company}を表示しています`,
  changedAt: (at: string, by: string | null) => `最終更新 ${at}${by === null ? '' : inBrackets(by)}`,
  statuses: {
    maybeRefused: '返信の確認待ち',
    refusedByNotice: '営業お断り',
  },
  groups: {
    title: '送信者グループごと',
    activeIn: (company: string, group: string) => `${company}への配信（${group}）`,
    lastSent: (at: string) => `最終送信 ${at}`,
    reserved: (at: string) => `予約 ${at}`,
    noRemarks: '備考なし',
    none: '送信者グループがまだありません',
  },
  saveRemarks: '備考を保存',
  remarksSaved: '備考を保存しました',
  moreActs: 'その他の操作',
  send: 'この会社に送る',
  mend: 'アドレスを直す',
  seeReservation: '予約を見る',
  /** Shown after an edit in place of a toast, until it is used or the company is left. */
  saved: (company: string) => `${company}を保存しました`,
  undo: '元に戻す',
  undone: '元に戻しました',
  added: (company: string) => `${company}を追加しました`,
} as const;

const STOPPED = '配信停止のアドレスのため、送りません';

/** The texts of adding and editing. */
export const COMPANY_FORM_MESSAGES = {
  add: { title: '会社の追加', save: '追加', saveAnother: '追加して続ける' },
  edit: { title: '会社の編集', save: '保存' },
  required: '必須',
  more: 'ほかの項目も入力',
  remarks: (group: string) => `備考（${group}）`,
  addressee: (text: string) => `宛名：${text}`,
  help: {
    amount: '「1.2億」や「3,500万」とも入力できます。',
    industries: '「、」で区切ります。',
    corporateNumber: '13桁の数字です。',
    externalId: `ほかのシステムでの会社のIDです（${MAX_EXTERNAL_ID_LENGTH}文字まで）。保存すると変更できません。`,
    publishedAt:
      '代表メールが公開されているページです。公開されているアドレスへの送信では、公開元の控えをおすすめします。',
    seenOn: '公開元を最後に確認した日です（例：2026/11/20）。',
    notice: '営業メールをお断りする表示のある会社には、送信しません。',
  },
  notice: { unknown: '確認していない' },
  noName: '会社名が入力されていません',
  dead: 'このアドレスにはメールが届かないため、送信を止めています',
  suppressed: (reason: string) => `このアドレスは配信停止に登録されています（${reason}）`,
  sharing: (company: string) => `${company}も使っています（1通だけ送ります）`,
  sharingMany: (company: string, others: number) =>
    `${company}とほか${others.toLocaleString('ja-JP')}社も使っています（1通だけ送ります）`,
  similar: {
    title: '似た会社があります',
    archived: 'アーカイブ済み',
    open: '開く',
    openOf: (company: string) => `${company}を新しいタブで開く`,
    add: '別の会社として追加',
    save: '別の会社として保存',
  },
  affected: {
    title: 'アドレスの変更が及ぶメール',
    reserved: (mails: number) => `予約中 ${mails.toLocaleString('ja-JP')}件：新しいアドレスに送ります`,
    queued: (mails: number) =>
      `送信待ち ${mails.toLocaleString('ja-JP')}通：新しいアドレスに送ります（送る前に、もう一度確かめます）`,
    sending: (mails: number) => `送信中 ${mails.toLocaleString('ja-JP')}通：元のアドレスのままです`,
    failed: (mails: number) => `失敗 ${mails.toLocaleString('ja-JP')}通：再送信すると、新しいアドレスに送ります`,
    /** The new address is suppressed. */
    stopped: {
      reserved: (mails: number) => `予約中 ${mails.toLocaleString('ja-JP')}件：${STOPPED}`,
      queued: (mails: number) => `送信待ち ${mails.toLocaleString('ja-JP')}通：${STOPPED}`,
      failed: (mails: number) => `失敗 ${mails.toLocaleString('ja-JP')}通：${STOPPED}`,
    },
  },
  leaving: { question: '変更を破棄して移動しますか？', discard: '破棄して移動' },
} as const;

/** The texts of archiving one company and bringing it back. */
export const ARCHIVE_MESSAGES = {
  archive: {
    button: 'アーカイブ',
    title: '会社のアーカイブ',
    question: (company: string) => `${company}をリストから外しますか？`,
    consequence: '送信の記録は残り、いつでも戻せます。送信待ちのメールは送りません。',
    done: 'アーカイブしました',
  },
  restore: {
    button: 'リストに戻す',
    title: 'リストに戻す',
    question: (company: string) => `${company}をリストに戻しますか？`,
    consequence: 'リストとアタックリストに、また出るようになります。',
    done: 'リストに戻しました',
  },
} as const;

/** The texts of a company's history. */
export const TIMELINE_MESSAGES = {
  title: '履歴',
  noMail: 'まだ送信していません',
  more: '以前の履歴を表示',
  showMail: 'メールを表示',
  showRun: '送信の詳細',
  to: (address: string) => `宛先 ${address}`,
  kinds: {
    recorded: 'ほかの手段での送信を記録しました',
    added: '登録しました',
    imported: 'CSVの取り込みで変更しました',
    import_undone: '取り込みを取り消して、元に戻しました',
    edited: '編集しました',
    archived: 'アーカイブしました',
    restored: 'リストに戻しました',
    activated: '有効にしました',
    deactivated: '無効にしました',
    remarked: '備考を書き足しました',
    suppressed: '配信停止に登録しました',
    replied: '返信がありました',
    auto_replied: '自動返信がありました',
  },
  /** What an import or its undo has done with the company. */
  byImport: { added: 'CSVで登録しました', archived: '取り込みを取り消して、アーカイブしました' },
  mails: {
    queued: '送信待ちです',
    sending: '送信中です',
    sent: '送信しました',
    failed: '届きませんでした',
    unknown: '届いたかどうかわかりません',
    cancelled: '送信しませんでした',
  },
  /** A mail whose run was taken back or cancelled. */
  takenBack: '送信前に取り消しました',
  change: (field: string) => `${field}を変更しました：`,
  value: (field: string) => `${field}：`,
  blank: '（なし）',
} as const;
