import { mails } from '#web/lib/phrases.ts';

/** The texts of the hours of a group. */
export const HOURS_MESSAGES = {
  title: '送信できる時間',
  help: '曜日ごとに、会社へ送信できる時間を選びます。終了時刻になると送信を止めます。',
  week: '曜日ごとの時間',
  weekday: (day: string) => `${day}曜日`,
  workdays: '平日',
  byWeekday: '曜日ごとに変える',
  ofDay: (name: string, act: string) => `${name}：${act}`,
  opens: (name: string, place: number) => `${name}の${place === 0 ? '' : '2つ目の'}始まり`,
  closes: (name: string, place: number) => `${name}の${place === 0 ? '' : '2つ目の'}終わり`,
  closed: '送らない',
  split: '昼休みを入れる',
  /** Beside the times of a day on phones. */
  splitShort: '昼休み',
  join: '1つにまとめる',
  sameForAll: 'すべての曜日を同じ時間にする',
  onHolidays: '祝日も送る',
  onHolidaysWords: ['送らない', '送る'],
  outside: '時間外のとき',
  outsides: { warn: '確認のうえ送信できる', hold: '次の送信時間になってから送る' },
  outsideHelp: {
    warn: '送信や予約の前に、時間外であることを知らせます。確認して、そのまま送ることもできます。予約した日時から1時間以上遅れたメールは、次の送信時間になってから送ります。',
    hold: '時間外に送信したメールと、時間内に終わらなかったメールは、次の送信時間まで待ってから送ります。',
  },
  faults: {
    none: '送信する曜日を1つ以上選んでください',
    order: '終わりの時刻は、始まりの時刻より後にしてください',
    overlap: '2つ目の時間は、1つ目の終わりより後にしてください',
  },
  /** Sets of weekdays that have a name, from Monday. */
  named: { 月火水木金: '平日', 月火水木金土日: '毎日', 土日: '土日' },
  time: (weekdays: string, times: string) => `${weekdays} ${times}`,
  saved: '送信ルールを保存しました',
  wrong: '入力内容を確認してください',
  leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
} as const;

/** The sentences about the effects of a group's rules. */
export const RULES_SENTENCE_MESSAGES = {
  sends: (times: string) => `${times}に送ります。`,
  holidays: ['祝日と会社の休業日は休みます。', '祝日も送り、会社の休業日は休みます。'],
  outside: {
    warn: '時間外でも、確認のうえ送信できます。',
    hold: '時間外のメールは、次の送信時間に送ります。',
  },
  limit: (perDay: number) => `アカウント全体で1日${mails(perDay)}までです。`,
} as const;
