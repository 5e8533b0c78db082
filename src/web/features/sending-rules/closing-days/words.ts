import { CLOSING_DAYS_MAX } from '#domain/sending/rules/closing-days.ts';
import { WEEKDAYS, weekdayOf } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { count, DETAIL_SEPARATOR, inBrackets, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { serverNow } from '#web/lib/server-clock.ts';

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
