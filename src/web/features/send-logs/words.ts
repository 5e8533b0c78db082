import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { mails, withNote } from '#web/lib/phrases.ts';
import { UNDO_MESSAGES } from './undo/words.ts';

/** The texts of the list of runs and of one run. */
export const HISTORY_MESSAGES = {
  title: '送信履歴',
  titleOf: (sentAt: string) => `${sentAt}の送信`,
  details: '送信の詳細',
  columns: {
    sent_at: '送信日時',
    state: 'ステータス',
    subject: '件名',
    group_name: '送信者グループ',
    targets: '件数',
    sent: '送信済み',
    failed: '失敗',
    unknown: '不明',
    cancelled: '取り消し',
    open: '残り',
    estimated_end_at: '終了予定',
    result: '結果',
    member_name: '実行者',
    replied: '返信',
    refused: '配信停止',
  },
  more: 'その他の操作',
  otherFieldsOf: (subject: string) => `${subject}のほかの項目`,
  barSeparator: '、',
  share: (share: number) => `送信済み ${share.toLocaleString('ja-JP')}%`,
  states: {
    waiting: '送信待ち',
    sending: '送信中',
    paused: '一時停止中',
    refused: '一時停止中（差出人の拒否）',
    policy: '一時停止中（送信元の拒否）',
    restored: DATA_MESSAGES.restored.state,
    putOff: '送信時間待ち',
    dayLimit: '上限待ち',
    limited: '送信上限で待機中',
    mailbox: 'メールボックス待ち',
    transport: '接続待ち',
    rewound: '送信停止中',
    undone: UNDO_MESSAGES.state,
    finished: '終了',
  },
  stopCauses: {
    rewound: 'データベースが過去の状態に戻っています',
    refused: '差出人の拒否',
    policy: '送信元の拒否',
    restored: DATA_MESSAGES.restored.state,
    limited: (until: string) => withNote('送信の上限に達しました', `${until}ごろまで`),
    mailbox: 'メールボックスから送れません',
    transport: 'メールサーバーに接続できません',
  },
  empty: '送信の履歴はまだありません',
  emptyHelp: '「アタックリスト」タブから送信すると、ここに表示されます。',
  notFound: 'この送信は見つかりません',
  notFoundHelp: 'アドレスが間違っている可能性があります。',
  noEstimate: '計算中',
  pausedBy: {
    user: '「再開」を押すと、残りのメールを送信します。',
    sender_refused:
      '差出人のメールアドレスがメールサーバーに拒否されたため、一時停止しました。原因を解消してから、「再開」を押してください。',
    policy_bounces:
      '宛先のメールサーバーが、送信元のドメインや内容を理由に、続けて受け取りを拒否したため、一時停止しました。迷惑メールと判断されています。原因を解消してから、「再開」を押してください。',
    dates_over:
      '送信時間を待つあいだに候補日が過ぎるため、一時停止しました。このまま送るなら「再開」を、送らないなら「中止」か「取り消し」を押してください。',
    restored: DATA_MESSAGES.restored.help,
  },
  /** Lead to the cause of a pause. */
  toSender: '差出人を開く',
  toDomains: 'ドメインの状態を開く',
  archived: (archived: number) =>
    `保存期間を過ぎた${mails(archived)}の宛先を消しました。内容の確認と書き出しはできますが、再送信とフォローアップはできません。`,
  transportPaused: (until: string) =>
    `メールサーバーに接続できないため、送信を待っています。${until}ごろに自動でもう一度試します。`,
  limited: (until: string) =>
    `メールサーバーの送信の上限に達したため、送信を待っています。遅くとも${until}ごろに、自動で再開する見込みです。それまでも15分ごとに1通ずつ試し、受け付けられるとすぐに再開します。`,
  databaseRewound:
    'データベースが過去の状態に戻っています。同じメールを二重に送らないように、すべての送信を止めています。このサーバーで送信記録の確認が終わると、残りのメールの送信が再開されます。',
  waitsUntil: (until: string) => `${until}まで待っています`,
  pause: {
    button: '一時停止',
    title: '送信の一時停止',
    question: '送信を一時停止しますか？',
    consequence: 'まだ送っていないメールは、再開するまで送信されません。',
    done: '送信を一時停止しました',
  },
  resume: {
    button: '再開',
    title: '送信の再開',
    question: '送信を再開しますか？',
    consequence: 'まだ送っていないメールの送信が始まります。',
    done: '送信を再開しました',
  },
  /** Replaces texts of `cancel` for a run that has not begun. */
  takeBack: {
    button: '取り消し',
    stay: '取り消さない',
    title: '送信の取り消し',
    question: '送信を取り消しますか？',
  },
  cancel: {
    button: '中止',
    title: '送信の中止',
    rest: (open: string) => `残り${open}を中止`,
    goOn: '送信を続ける',
    stayPaused: '中止しない',
    question: '本当に送信を中止しますか？',
    consequence: 'まだ送っていないメールは送信されなくなります。元に戻せません。',
  },
  retry: {
    button: '失敗したメールを再送信',
    title: '失敗したメールの再送信',
    question: (failed: number) => `失敗したメール${mails(failed)}を、もう一度送信しますか？`,
    consequence: 'ほかのメールは送信されません。宛先は、見込み客の現在のメールアドレスです。',
    done: (accepted: number) => `${mails(accepted)}を再送信します`,
    skipped: (skipped: number, reasons: string) => `${mails(skipped)}は送信の対象外です（${reasons}）`,
  },
} as const;

/** The texts of the history's filter. */
export const RUN_FILTER_MESSAGES = {
  period: '期間',
  periods: { today: '今日', week: '今週', month: '今月', last_month: '先月', custom: '期間を指定' },
  from: '開始日',
  to: '終了日',
  state: 'ステータス',
  states: { sending: '送信中', paused: '一時停止中', finished: '終了' },
  group: '送信者グループ',
  template: 'テンプレート',
  mode: '種別',
  modes: { real: '本番のみ', test: 'テストのみ', all: 'すべて' },
  search: '件名で探す',
  all: 'すべて',
  noMatch: '条件に合う送信がありません',
  noMatchHelp: '絞り込みの条件を変更してください。テスト送信は、種別を「すべて」にすると表示されます。',
  clear: '条件をクリア',
} as const;

/** The texts of the chip and the panel that show the progress of runs. */
export const RUN_CHIP_MESSAGES = {
  label: '送信の進み具合',
  count: (done: number, targets: number) => `${done.toLocaleString('ja-JP')} / ${targets.toLocaleString('ja-JP')}通`,
  minutesLeft: (minutes: number) => `残り約${minutes}分`,
  hoursLeft: (hours: number, minutes: number) => `残り約${hours}時間${minutes === 0 ? '' : `${minutes}分`}`,
  details: '送信の詳細',
  result: '送信結果を見る',
  close: '送信の進み具合を閉じる',
  progress: (done: number, targets: number) => `${done.toLocaleString('ja-JP')}/${targets.toLocaleString('ja-JP')}`,
  several: (runs: number) => `${runs.toLocaleString('ja-JP')}つの送信`,
  others: (runs: number) => `ほかに${runs.toLocaleString('ja-JP')}つの送信があります`,
  done: 'メールが送信されました',
  ended: '送信が終わりました',
  failed: 'メールを送信できませんでした',
  stopped: (sent: number) => `送信を中止しました（送信済み${sent.toLocaleString('ja-JP')}通）`,
  counts: (sent: number, failed: number, unknown: number) =>
    `送信 ${mails(sent)}・失敗 ${mails(failed)}・不明 ${mails(unknown)}`,
  cancelled: (cancelled: number) => `・取り消し ${mails(cancelled)}`,
} as const;
