import type { MailboxStep } from '#contract/senders/mailboxes-names.ts';
import { LIST_SEPARATOR, mails, withNote } from '#web/lib/phrases.ts';

/** The texts of the list of mailboxes. */
export const MAILBOX_MESSAGES = {
  title: 'メールボックス',
  help: 'ふだんお使いのメールアドレスをつなぐと、そのメールサーバーから送信します。',
  add: 'メールボックスを追加',
  empty: 'メールボックスはまだありません',
  emptyHelp:
    'ご自身のメールアドレスをつなぐと、そのアドレスから会社に送れるようになります。返信も自動で見つけられます。',
  emptyOfOthersHelp: '管理者か営業の人がメールボックスをつなぐと、ここに並びます。',
  emptyOfDemoHelp:
    'お試しのアカウントのメールは、このサーバーのメールキャッチャーに届くだけで、外部には送られません。ご自身のアカウントを作ると、メールボックスをつなげます。',
  columns: {
    name: '名前',
    address: 'アドレス・種類',
    today: '今日',
    reads: '返信の受信',
    status: 'ステータス',
    act: '操作',
  },
  shared: (name: string) => withNote(name, '共有'),
  used: (used: number, most: number) => `${used.toLocaleString('ja-JP')} / ${mails(most)}`,
  reads: { on: '読んでいます', off: '読みません', stopped: '止まっています', soon: 'これから読みます' },
  states: { ok: '接続済み', unchecked: '未確認', reconnect: 'つなぎ直しが必要', off: '切断' },
  paused: (day: string, clock: string) => `${day} ${clock}に再開`,
  /** Why nothing is sent until then. */
  pauseHelp: {
    fault: (until: string) => `サーバーに接続できないため、${until}まで送信を待っています。`,
    limited: (until: string) => `サーバーの送信の上限に達したため、${until}まで送信を待っています。`,
    crowded: (until: string) => `サーバーが混み合っているため、${until}まで送信を待っています。`,
    log_in: (until: string) => `ログインできなかったため、${until}にもう一度試します。`,
  },
  reconnectHelp: 'ログインできなくなりました。つなぎ直すまで、このメールボックスのメールは送信を待ちます。',
  readFaultHelp: (fault: string) => `返信を受信できていません：${fault}。`,
  serverReply: (reply: string) => `サーバーの応答：${reply}`,
  /** As wide as the mark of the menu. */
  dots: '⋯⋯',
  edit: '編集',
  editOf: (name: string) => `${name}を編集`,
  actsOn: (name: string) => `${name}の操作`,
  check: '確かめる',
  checkOf: (name: string) => `${name}の接続を確かめる`,
  reconnect: 'つなぎ直す',
  reconnectOf: (name: string) => `${name}をつなぎ直す`,
  disconnect: '切断',
} as const;

/** The texts of the form of a mailbox. */
export const MAILBOX_FORM_MESSAGES = {
  titles: { add: 'メールボックスの追加', edit: 'メールボックスの編集', reconnect: 'メールボックスのつなぎ直し' },
  kind: '種類',
  address: 'メールアドレス（必須）',
  name: '名前（必須）',
  nameHelp: 'このメールボックスを使う人の氏名や、部署の名前です。',
  host: 'SMTPサーバー（必須）',
  hostHelp: '入力例：mail.example.co.jp',
  port: 'ポート',
  ports: { '587/starttls': '587（STARTTLS）', '465/tls': '465（TLS）', '2525/starttls': '2525（STARTTLS）' },
  otherPort: (port: string, isTls: boolean) => withNote(port, isTls ? 'TLS' : 'STARTTLS'),
  username: 'ユーザー名（必須）',
  usernameHelp: '多くの場合、メールアドレスと同じです。',
  password: 'パスワード（必須）',
  newPassword: 'パスワード',
  passwordHelp: '暗号化して保存し、画面には表示しません。',
  againPasswordHelp: 'サーバーやユーザー名を変えるときは、もう一度入力します。',
  keptPasswordHelp: '変えないときは、空のままにします。',
  reads: '返信を読む',
  readsHelp:
    '受信トレイのうち、Kaitakuから送ったメールへの返信と、届かずに戻ったメールだけを読みます。返信は冒頭の500字を保存し、チームの全員に表示します。ほかのメールは保存しません。',
  imapHost: 'IMAPサーバー（必須）',
  imapHostHelp: '返信を読むサーバーです（ポート993）。',
  shared: '共有のメールボックスにする',
  sharedHelp:
    'チームの全員が、差出人のメールボックスとして選べます。招待やパスワードの再設定のメールも、ここから送信されることがあります。',
  perDay: '1日の上限（通）',
  perMinute: '1分あたりの上限（通）',
  limits: '送信の上限',
  countFault: (max: number) => `1〜${max.toLocaleString('ja-JP')}の整数で入力してください`,
  /** The fields without their notes, for what another member has saved. */
  labels: {
    kind: '種類',
    name: '名前',
    address: 'メールアドレス',
    smtp_host: 'SMTPサーバー',
    port: 'ポート',
    username: 'ユーザー名',
    reads: '返信を読む',
    imap_host: 'IMAPサーバー',
    shared: '共有',
    per_day: '1日の上限（通）',
    per_minute: '1分あたりの上限（通）',
  },
  ticked: ['いいえ', 'はい'],
  missing: {
    name: '名前を入力してください',
    address: 'メールアドレスを入力してください',
    smtp_host: 'SMTPサーバーを入力してください',
    username: 'ユーザー名を入力してください',
    password: 'パスワードを入力してください',
    imap_host: 'IMAPサーバーを入力してください',
  },
  recheckConsequence: 'アドレスやサーバーを変えると、接続を確かめ終わるまで、このメールボックスからは送信されません。',
  connect: '接続を確かめる',
  saveAndCheck: '保存して確かめる',
  saved: (name: string) => `メールボックス「${name}」を保存しました`,
  others: {
    title: 'ほかの差出人のアドレス',
    help: 'このメールボックスから、ほかのアドレスを差出人にして送れます。確かめるために、このメールボックスにメールを1通送ります。',
    none: 'まだありません',
    noInboxHelp:
      'ほかのアドレスを差出人にするには、確かめのメールを受け取れるように、「返信を読む」にチェックを入れて保存してください。',
    address: '追加するアドレス',
    missing: '追加するアドレスを入力してください',
    add: '確かめて追加',
    added: (address: string) => `${address}を差出人に使えるようになりました`,
    remove: '外す',
    removeOf: (address: string) => `${address}を外す`,
    removeConsequence: (address: string) => `外すと、${address}から送る予定のメールは取り消されます。`,
    removeIt: 'このアドレスを外す',
    removed: (address: string) => `${address}を差出人に使わなくなりました`,
  },
  discarding: { title: '入力の破棄', question: '保存していない入力を破棄しますか？', discard: '破棄' },
} as const;

/** The texts of a check of a connection. */
export const MAILBOX_CHECK_MESSAGES = {
  title: '接続の確認',
  steps: {
    host: 'サーバーの名前',
    connect: 'サーバーへの接続',
    tls: '通信の暗号化',
    login: 'ログイン',
    from: '差出人のアドレス',
    imap: '返信の受信',
    test_mail: '自分あてのテストメール',
    message_id: '返信の見分け',
  } satisfies Record<MailboxStep, string>,
  list: '確認の結果',
  waiting: '確認中…',
  /** Beside the mark of each step. */
  states: { ok: '問題ありません', look: '要確認', bad: 'できませんでした', skipped: '確認していません' },
  waitingHelp: 'メールサーバーに接続しています。30秒ほどかかることがあります。',
  failed: '接続を確かめられませんでした。結果を見て、もう一度確かめてください',
  connected: 'つながりました',
  connectedHelp: (address: string) => `${address}から送信できます。`,
  use: (names: readonly string[]) => withNote('この人の送信者に使う', names.join(LIST_SEPARATOR)),
  useHelp: '選ぶと、この人のメールはこのメールボックスから送信されます。',
  noProfileHelp: (address: string) =>
    `${address}の差出人は、まだありません。差出人の設定で、このメールボックスを選べます。`,
  toSenders: '差出人の設定を開く',
  used: (name: string) => `メールは「${name}」から送信されます`,
  againHelp: (question: string) => `${question}。よければ、もう一度「完了」を押してください。`,
  finish: '完了',
  again: 'もう一度確かめる',
} as const;

/** The texts of the question before a mailbox is disconnected. */
export const MAILBOX_OFF_MESSAGES = {
  title: 'メールボックスの切断',
  question: (name: string, address: string) => `「${withNote(name, address)}」を切断しますか？`,
  consequence: 'パスワードやサインインの情報を削除し、送信と返信の受信を止めます。あとで、つなぎ直せます。',
  disconnect: '切断',
  done: (name: string) => `メールボックス「${name}」を切断しました`,
} as const;
