import { mails } from '#web/lib/phrases.ts';

/** The texts of a run's mails. */
export const DELIVERY_MESSAGES = {
  label: '1通ごとの結果',
  filter: 'ステータス',
  search: '会社名で探す',
  all: 'すべて',
  option: (state: string, inState: number) => `${state}（${mails(inState)}）`,
  columns: {
    company_name: '会社名',
    mail_to: '宛先',
    state: 'ステータス',
    at: '日時',
    attempts: '回数',
    answer: '理由',
    delivered_at: '受信',
    actions: '操作',
  },
  states: {
    queued: '送信待ち',
    sending: '送信中',
    sent: '送信済み',
    failed: '失敗',
    unknown: '不明',
    cancelled: '取り消し',
  },
  answer: 'サーバーの応答',
  times: (attempts: number) => `${attempts.toLocaleString('ja-JP')}回`,
  nextTry: (at: string) => `次回 ${at}`,
  deliveredAt: (at: string) => `${at}に相手のサーバーが受信`,
  empty: '条件に合うメールがありません',
  showAll: 'すべてのメールを表示',
  show: '表示',
  showOf: (company: string) => `${company}へのメールを表示`,
  replyOf: (company: string) => `${company}へのメールのサーバーの応答を表示`,
  mailTitle: (company: string) => `${company}へのメール`,
  noMail: 'このメールは作成できませんでした。',
  unknownHelp:
    '送信の途中で接続や記録が途切れたため、届いたかどうかわかりません。自動では送り直しません。送信済みとして扱うか、もう一度送るかを選んでください。',
  countAsSent: {
    button: '送信済みとして扱う',
    title: '送信済みとしての扱い',
    question: (company: string) => `${company}へのメールを、送信済みとして扱いますか？`,
    consequence: '元に戻せません。',
    done: '送信済みとして扱います',
  },
  sendAgain: {
    button: 'もう一度送信',
    title: 'メールの再送信',
    question: (company: string) => `${company}へのメールを、もう一度送信しますか？`,
    consequence: '前のメールが届いていた場合は、同じメールが2通届きます。',
    done: 'もう一度送信します',
  },
  mend: {
    short: 'アドレスを直す',
    shortOf: (company: string) => `${company}のアドレスを直す`,
  },
} as const;
