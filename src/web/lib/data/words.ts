import { SUPPRESSION_CLASS_NAMES } from '#contract/answers/suppressions-names.ts';
import { PROSPECT_COLUMN_NAMES } from '#contract/companies/prospects-names.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { companies } from '../phrases.ts';

/** The texts about companies and mails that several features show. */
export const DATA_MESSAGES = {
  /** For a run or a reservation that was open in a restored backup. */
  restored: {
    state: '復元確認待ち',
    help: 'バックアップから復元した時点の予定です。その後に送信または取り消した可能性があります。',
    send: '予定どおり送信する',
    drop: '送信しない',
  },
  matches: {
    total: (total: number) => `該当 ${companies(total)}`,
    counting: '該当 …社',
    uncounted: '該当 社数不明',
  },
  prospects: {
    columns: PROSPECT_COLUMN_NAMES,
    /** The flag of a company, where it is no switch. */
    actives: { 0: '無効', 1: '有効' },
    /** A company's published statement about sales mails. */
    notices: { refused: 'お断りの表示あり', none: '表示なし' },
    /** The filter 送信状況, except すべて and archived companies. */
    statuses: { unsent: '未送信', sent: '送信済み', reserved: '予約中', replied: '返信あり' },
    /** The status of one company. */
    rowStatuses: {
      archived: 'アーカイブ済み',
      undeliverable: '届きません',
      suppressed: '配信停止',
      replied: '返信あり',
      in_progress: '送信処理中',
      reserved: '予約中',
      sent: '送信済み',
      unsent: '未送信',
    },
    statusAt: (word: string, at: string) => `${word} ${at}`,
    none: '見込み客がまだ登録されていません',
    noneHelp: '会社のリスト（CSV・Excel）を取り込むか、1社ずつ追加してください。',
    sample: '見本のCSVをダウンロード',
    sampleName: '見込み客の見本.csv',
  },
  /** Where mails go: of a list, a run, a reservation. */
  sendTo: {
    term: '宛先',
    names: { company: '代表メール', primary_or_company: '主担当（いなければ代表メール）' },
    /** In narrow columns, whose title has the whole name. */
    short: { company: '代表メール', primary_or_company: '主担当' },
  },
  /** Why an address or a domain gets no mail. */
  suppressionClasses: SUPPRESSION_CLASS_NAMES,
  leftOut: {
    reasons: DELIVERY_REASON_NAMES,
    reason: (reason: string, left: number) => `${reason} ${companies(left)}`,
    /** For companies that would have got a mail. */
    skipped: (skipped: number) => `${companies(skipped)}は条件が変わったため対象外になりました`,
  },
  mail: {
    sending: 'メールを送信中',
    undoConsequence: (seconds: number) =>
      seconds === 0 ? '送信したメールは取り消せません。' : `送信から${seconds}秒の間は取り消せます。`,
    subject: '件名',
    from: '差出人',
    to: '宛先',
    address: (name: string, address: string) => `${name}（${address}）`,
  },
} as const;
