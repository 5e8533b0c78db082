import { CLOSING_DAYS_MAX } from '#domain/sending/rules/closing-days.ts';
import { WEEKDAYS, weekdayOf } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { count, DETAIL_SEPARATOR, inBrackets, mails, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { serverNow } from '#web/lib/server-clock.ts';

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

/** Returns `12/29（火）〜1/3（日）`, or the day alone; with the year if it begins in another year. */
export function shownDays(first: string, last: string): string {
  const year = first.slice(0, 4) === dayOf(serverNow()).slice(0, 4) ? '' : `${first.slice(0, 4)}/`;
  return year + shownDay(first) + (first === last ? '' : RANGE_SEPARATOR + shownDay(last));
}

function shownDay(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${month}/${date}${inBrackets(WEEKDAYS[weekdayOf(day)] ?? '')}`;
}

/** The texts of closing days. */
export const CLOSING_DAY_MESSAGES = {
  title: '会社の休業日',
  help: '休業日には、会社に送信しません。「時間外のとき」の設定に従います。追加すると、すぐに使われます。',
  add: '休業日を追加',
  presets: { new_year: '年末年始を追加', obon: 'お盆を追加' },
  csv: 'CSVで追加',
  none: '休業日はまだありません。',
  past: (past: number) => `過去の休業日${inBrackets(count(past))}`,
  yearly: '毎年くり返す',
  isWorking: '送信する日',
  working: '休業日や祝日と重なっていても、送信する日にする',
  workingHelp: '土曜日に出社する日などに使います。その曜日に時間がなければ、前の曜日の時間に送ります。',
  flags: ['いいえ', 'はい'],
  inactiveGroup: '無効のグループ',
  allGroups: 'すべてのグループ',
  editOf: (name: string) => `${name}を編集`,
  remove: '削除',
  removeOf: (name: string) => `${name}を削除`,
  removed: (name: string) => `「${name}」を削除しました`,
  restore: '元に戻す',
  added: (name: string, days: string) => `「${name}」を追加しました\n${days}`,
  there: (name: string, days: string) => `「${name}」はすでにあります\n${days}`,
  saved: (name: string) => `「${name}」を保存しました`,
  dialog: { add: '休業日の追加', edit: '休業日の編集' },
  addAct: '追加',
  fields: { first_day: '最初の日（必須）', last_day: '最後の日', name: '名称（必須）', group: '対象' },
  lastDayHelp: `空なら1日だけです。${CLOSING_DAYS_MAX}日まで続けられます。`,
  nameHelp: '入力例：創立記念日',
  dayMissing: '最初の日を選んでください',
  nameMissing: '名称が入力されていません',
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
  csvTitle: '休業日をCSVで追加',
  file: 'ファイル',
  fileHelp: '1列目に日付、2列目に名称を書きます。入力例：2026/12/1,創立記念日',
  fileMissing: 'ファイルを選んでください',
  fileTooLarge: 'ファイルが大きすぎます。日付と名称だけのCSVを選んでください',
  fileUnreadable: 'ファイルを読めませんでした。もう一度選んでください',
  fileEmpty: 'ファイルに休業日がありません',
  fileTooLong: (most: number) => `一度に追加できるのは${count(most)}までです`,
  found: (found: number) => `${count(found)}を追加します`,
  rowsWrong: '次の誤りがあるため、どの行も追加していません',
  atLine: (line: number, fault: string) => `${line}行目${DETAIL_SEPARATOR}${fault}`,
  more: (rest: number) => `ほか${count(rest)}`,
  imported: (added: number, skipped: number) =>
    `休業日${count(added)}を追加しました${skipped === 0 ? '' : `\n${count(skipped)}は、すでにあるため加えていません`}`,
} as const;

/** The texts of a dialog before a real send. */
export const ORDER_RULE_MESSAGES = {
  held: (reason: string, at: string) => `いまは送信時間外です${inBrackets(reason)}。${at}から送信します`,
  limited: (left: number, rest: number) =>
    left === 0
      ? 'グループの今日の上限まで送りました。次の日の送信時間から送信します'
      : `グループで今日送れるのは、あと${mails(left)}です。ほかの${mails(rest)}は、次の日の送信時間から送信します`,
} as const;
