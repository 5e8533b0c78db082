import { mails } from '#web/lib/phrases.ts';

/** The texts of a dialog before a real send. */
export const ORDER_RULE_MESSAGES = {
  closed: (note: string, isNow: boolean) =>
    `${note}。${isNow ? '予約モードにすると、送信時間に送れます' : '予約日時を送信時間内に変えることもできます'}`,
  tick: (isNow: boolean) => `送信時間外に${isNow ? '送信' : '予約'}する`,
  limited: (left: number, rest: number) =>
    left === 0
      ? '今日の上限まで送りました。次に送信できる日に送信します'
      : `今日送れるのはあと${mails(left)}です。ほかの${mails(rest)}は次に送信できる日に送信します`,
  today: '今日',
  between: (first: string, last: string) => `${first}〜${last}`,
  later: 'その後',
} as const;
