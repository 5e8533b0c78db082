import { companies, count, mails } from '#web/lib/phrases.ts';

/** The texts of the calendar of reservations. */
export const CALENDAR_MESSAGES = {
  label: '予約のカレンダー',
  span: '期間',
  spans: { month: '月', week: '週' },
  previous: { month: '前の月', week: '前の週' },
  next: { month: '次の月', week: '次の週' },
  today: '今日',
  year: (day: string) => `${Number(day.slice(0, 4))}年`,
  monthAndDate: (day: string) => `${Number(day.slice(5, 7))}月${Number(day.slice(8))}日`,
  date: (day: string) => `${Number(day.slice(8))}日`,
  firstDay: (month: number) => `${month}/1`,
  help: '予約は、ドラッグか Shift+←→ で、別の日に移せます。本番の予約だけを表示しています。',
  phoneHelp: '本番の予約だけを表示しています。',
  closed: '休',
  short: (reservations: number) => count(reservations),
  sent: (sent: number) => `送信 ${mails(sent)}`,
  planned: (mailsOfDay: number) => mails(mailsOfDay),
  ofLimit: (mailsOfDay: number, limit: number) => `${mailsOfDay.toLocaleString('ja-JP')} / ${mails(limit)}`,
  over: '上限を超えています',
  reservations: (reservations: number) => `予約${count(reservations)}`,
  item: (time: string, subject: string, targets: number, state: string) =>
    `${time} ${subject} ${companies(targets)} ${state}`,
  companies,
  more: (more: number) => `ほか${count(more)}`,
  moreOf: (day: string, more: number) => `${day}の予約をすべて見る（ほか${count(more)}）`,
  noneOf: '予約はありません',
  noMove: 'この予約は、日を移せません',
} as const;
