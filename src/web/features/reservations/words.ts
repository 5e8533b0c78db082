import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, count, inBrackets } from '#web/lib/phrases.ts';

/** Why companies get no mail, in the tab and in the dialog. */
export const UNSENT_MESSAGES = {
  tooLateHelp: `予約日時から${LATEST_START_MINUTES}分以内に送信を始められませんでした。`,
  doubtedHelp: (doubted: number) =>
    `${companies(doubted)}は、返信の確認待ちです。会社の詳細で対応を選ぶまで、送信を保留します。`,
} as const;

/** The texts of the reservation tab. */
export const RESERVATION_MESSAGES = {
  list: '予約リスト',
  label: '予約',
  all: 'すべて表示',
  option: ({
    label,
    isTest,
    isMissed,
    isHeld,
  }: Record<'isTest' | 'isMissed' | 'isHeld', boolean> & { label: string }) =>
    [
      label,
      isTest ? '（テスト）' : '',
      isHeld ? inBrackets(DATA_MESSAGES.restored.state) : isMissed ? '（送信されませんでした）' : '',
    ].join(''),
  waits: (at: string, reason: string) =>
    `${at}の予約は、まだ送信できていません。${reason}原因が解消されると、予約日時から${LATEST_START_MINUTES}分以内に限り自動で送信します。`,
  missed: (at: string, reason: string | null) =>
    `${at}の予約は、送信されませんでした。${reason ?? UNSENT_MESSAGES.tooLateHelp}「予約」の画面で日時を変えるか、予約を削除してください。`,
  held: (at: string) =>
    `${at}の予約は、バックアップから復元した時点のものです。「予約」の画面で、予定どおり送信するか、送信しないかを選んでください。`,
  suppressedHelp: (at: string, companies: number) =>
    `${at}の予約のうち${companies.toLocaleString('ja-JP')}社は、配信停止のため送信しません。`,
  maybeRefusedHelp: (at: string, companies: number) => `${at}の予約のうち${UNSENT_MESSAGES.doubtedHelp(companies)}`,
  repliedHelp: (at: string, companies: number) =>
    `${at}の予約のうち${companies.toLocaleString('ja-JP')}社は、返信があったため送信しません。`,
  remove: '予約を削除',
  nothingChosen: '削除対象が選択されていません',
  removed: '予約が削除されました',
  title: '予約の削除',
  testTitle: 'テスト予約の削除',
  question: '本当に予約を削除しますか？',
  consequence: '予約したメールは送信されなくなります。元に戻せません。',
  subject: '件名',
  sendAt: '予約日時',
  companies: '対象の会社',
  companyCount: companies,
  counting: '…社',
  empty: 'このテンプレートの予約はありません',
  emptyHelp: '「アタックリスト」タブで予約モードをオンにすると、日時を決めて予約できます。',
  noMatch: '条件に合う予約中の見込み客がありません',
  noMatchHelp: '絞り込みの条件を変更してください。',
  noSender: 'テンプレートがないため、予約を表示できません',
} as const;

/** The texts of the screen of all reservations. */
export const ALL_RESERVATIONS_MESSAGES = {
  title: '予約',
  view: '表示',
  views: { list: '一覧', calendar: 'カレンダー' },
  ofDay: (day: string) => `${day}の予約`,
  endDay: 'この日だけの表示を終了',
  columns: {
    send_at: '予約日時',
    subject: '件名',
    group_name: '送信者グループ',
    targets: '会社',
    candidates: '候補日',
    member_name: '作成者',
    state: 'ステータス',
    acts: '操作',
  },
  states: {
    pending: '予約中',
    held: DATA_MESSAGES.restored.state,
    missed: '送信されませんでした',
    refused: '送信できていません',
    waiting: '送信時間待ち',
    sent: '送信開始済み',
    cancelled: '取り消し',
    deleted: '削除済み',
  },
  group: '送信者グループ',
  mode: '種別',
  countedHelp: 'メニューの「予約」の数は、本番だけを数えます。',
  modes: { real: '本番のみ', test: 'テストのみ', all: 'すべて' },
  state: 'ステータス',
  open: '予約中・送信されなかったもの',
  all: 'すべて',
  search: '件名・会社名で探す',
  otherFieldsOf: (subject: string) => `${subject}のほかの項目`,
  putOff: (at: string) => `${at}から送信します`,
  dates: (dates: number) => `候補日${count(dates)}`,
  noDates: 'なし',
  leaving: (left: number) => `−${left.toLocaleString('ja-JP')}`,
  leavingTitle: (left: number, reasons: string) => `送信日時に外れる会社 ${companies(left)}：${reasons}`,
  suppressed: (count: number) => `配信停止 ${companies(count)}`,
  replied: (count: number) => `返信あり ${companies(count)}`,
  /** The label of the link to a reservation, by state. */
  acts: { pending: '変更', refused: '変更', missed: '日時を変える', held: '確認する' } as Partial<
    Record<string, string>
  >,
  show: '見る',
  actOf: (act: string, subject: string, sendAt: string) => `${sendAt}「${subject}」を${act}`,
  remove: '削除',
  empty: '予約はありません',
  emptyHelp: 'アタックリストで日時を決めて予約できます。',
  openAttackList: 'アタックリストを開く',
  showOthers: '送信済み・テストの予約も見る',
  noMatch: '条件に合う予約がありません',
  noMatchHelp: '絞り込みの条件を変更してください。',
  clear: '条件をクリア',
  seeAll: 'すべての予約を見る',
  changeIt: '予約を変更',
} as const;
