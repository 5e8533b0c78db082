import { OUTSIDE_HOURS } from '#domain/sending/sending-hours.ts';
import { count, mails, withNote } from '#web/lib/phrases.ts';

/** The badge of a closed group; a reason follows where it says more. */
const CLOSED = 'いまは送信時間外です';

/** The texts of reservations that a change of rules affects. */
export const AFFECTED_MESSAGES = {
  title: (affected: number) => `予約${count(affected)}が送信ルールの時間外です`,
  keptHelp: '予約の日時は変わりません。',
  times: '時間外の予約',
  folded: (folded: number) => `ほか${count(folded)}を表示`,
  foldedTimes: 'ほかの時間外の予約',
  unnamed: (rest: number) => `ほか${count(rest)}`,
  unchecked: (rest: number) => `ほか${count(rest)}を確認できていません`,
  uncheckedAlone: (reservations: number) =>
    `予約${count(reservations)}が送信ルールの時間外かどうかを確認できていません`,
  move: '日時を変える',
  moveOf: (at: string) => `${at}の予約の日時を変える`,
  seeReservations: '予約を見る',
} as const;

/** The texts of the rules for an account's sending. */
export const SENDING_RULE_MESSAGES = {
  title: '送信ルール',
  help: '送信できる時間、休業日、1日の上限を決めます。テスト送信には適用しません。',
  group: '送信者グループ',
  noGroup: '送信者グループがまだありません',
  noGroupHelp: '送信者グループを追加すると、送信できる時間を決められます。',
  openGroups: '送信者グループを開く',
  holds: '送信ルールのまとめ',
  nowLabel: 'いまの状態',
  states: {
    open: (until: string) => `いまは送信できます（${until}まで）`,
    closed: (reason: string) => (reason === OUTSIDE_HOURS ? CLOSED : withNote(CLOSED, reason)),
    used: '今日の上限まで送りました',
  },
  now: {
    next: {
      warn: (at: string) => `次の送信時間は${at}からです。`,
      hold: (at: string) => `送信したメールは、${at}に送ります。`,
    },
    left: (left: number) => `今日はあと${mails(left)}送れます。`,
  },
  accountLimit: 'アカウントの上限',
  accountLimitHelp:
    '1日の上限は、すべてのグループを合わせて数えます。超える分は、次に送信できる日に送ります。空なら上限はありません。',
  limit: '1日の上限（通）',
  perDomain: '1回の送信で同じドメインに送る上限（通）',
  perDomainHelp:
    'リストの順に数え、超えた会社には送りません。フリーメール、プロバイダー、50社以上が使うドメインには適用しません。空なら上限はありません。',
  limitFault: '1以上の整数で入力してください',
  perDomainFault: (most: number) => `1〜${most.toLocaleString('ja-JP')}の整数で入力してください`,
  limitSaved: 'アカウントの上限を保存しました',
  saveLimit: 'アカウントの上限を保存',
  across: 'グループをまたぐ再送信間隔',
  acrossHelp: '再送信間隔（日）を、ほかの送信者グループのメールにも適用します。これから送るメールも数えます。',
  acrossTick: 'ほかのグループが送った会社も、間隔内なら外す',
  leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
  afterPress: '送信ボタンを押したあと',
  undoHelp:
    '会社への送信を、ここで選ぶ時間だけ待ちます。そのあいだは、1通も送らずに取り消せます。予約とテスト送信は待ちません。',
  undo: '送信の取り消し',
  never: 'しない',
  seconds: (seconds: number) => `${seconds}秒`,
} as const;
