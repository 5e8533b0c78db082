import { count, DETAIL_SEPARATOR, mails } from '#web/lib/phrases.ts';

/** The texts of the rules of an account's sending. */
export const SENDING_RULE_MESSAGES = {
  title: '送信ルール',
  help: '送信できる時間、休業日、1日の上限を決めます。テスト送信には使いません。',
  group: '送信者グループ',
  noGroup: '送信者グループがまだありません',
  noGroupHelp: '送信者グループを追加すると、送信できる時間を決められます。',
  openGroups: '送信者グループを開く',
  now: {
    label: 'いまの状態',
    open: (until: string) => `いまは送信できます（${until}まで）。`,
    closed: (reason: string) => `いまは送信時間外です（${reason}）。`,
    next: {
      warn: (at: string) => (at === '' ? '' : `次の送信時間は${at}からです。`),
      hold: (at: string) => (at === '' ? '' : `送信したメールは、${at}に送ります。`),
    },
    left: (left: number) => (left === 0 ? '今日の上限まで送りました。' : `今日はあと${mails(left)}送れます。`),
  },
  accountLimit: 'アカウントの1日の上限',
  accountLimitHelp:
    'すべてのグループを合わせて、1日に会社へ送る通数の上限です。超える分は、次の日に送ります。空なら上限はありません。',
  limit: '1日の上限（通）',
  limitFault: '1以上の整数で入力してください',
  limitSaved: 'アカウントの1日の上限を保存しました',
  saveLimit: '1日の上限を保存',
  leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
  afterPress: '送信ボタンを押したあと',
  undoHelp:
    '会社への送信を、ここで選ぶ時間だけ待ちます。そのあいだは、1通も送らずに取り消せます。予約とテスト送信は待ちません。選ぶと、すぐに保存されます。',
  undo: '送信の取り消し',
  never: 'しない',
  seconds: (seconds: number) => `${seconds}秒`,
  tick: (seconds: number) => `送信後${seconds}秒は取り消せるようにする`,
} as const;

/** The texts of the hours of a group. */
export const HOURS_MESSAGES = {
  title: '送信できる時間',
  help: '曜日ごとに、会社へ送信できる時間を選びます。終わりの時刻からは送りません。',
  week: '曜日ごとの時間',
  weekday: (day: string) => `${day}曜日`,
  ofDay: (day: string, act: string) => `${day}曜日の時間を${act}`,
  opens: (day: string, place: number) => `${day}曜日の${place === 0 ? '' : '2つ目の'}始まり`,
  closes: (day: string, place: number) => `${day}曜日の${place === 0 ? '' : '2つ目の'}終わり`,
  closed: '送らない',
  split: '2つに分ける',
  join: '1つにまとめる',
  sameForAll: 'すべての曜日を同じ時間にする',
  onHolidays: '祝日も送る',
  onHolidaysWords: ['送らない', '送る'],
  outside: '時間外のとき',
  outsides: { warn: '確認のうえ送信できる', hold: '次の送信時間になってから送る' },
  outsideHelp: {
    warn: '送信の前に、時間外であることを確かめます。予約した日時から1時間以上遅れたメールは、次の送信時間になってから送ります。',
    hold: '時間外に送信したメールと、時間内に終わらなかったメールは、次の送信時間まで待ってから送ります。',
  },
  faults: {
    none: '送信する曜日を1つ以上選んでください',
    order: '終わりの時刻は、始まりの時刻より後にしてください',
    overlap: '2つ目の時間は、1つ目の終わりより後にしてください',
  },
  saved: '送信ルールを保存しました',
  affected: (affected: number) => `予約${count(affected)}が送信ルールの時間外です`,
  affectedTimes: (times: string, rest: number) =>
    `予約の日時は変わりません。時間外の予約${DETAIL_SEPARATOR}${times}${rest === 0 ? '' : ` ほか${count(rest)}`}`,
  seeReservations: '予約を見る',
  discard: '変更を破棄',
  leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
} as const;
