import { expect, it } from 'vitest';
import { DEFAULT_PERIODS, type Period } from '#domain/sending/sending-hours.ts';
import { rulesSentence } from './rules-sentence.ts';

const on = (weekdays: readonly number[], ...times: readonly (readonly [number, number])[]): Period[] =>
  weekdays.flatMap((weekday) => times.map(([opens, closes]) => ({ weekday, opens: opens * 60, closes: closes * 60 })));
const timesOf = (periods: readonly Period[]) =>
  rulesSentence({ periods: [...periods], on_holidays: 1, outside: 'warn' }, null).times;

it.each<[string, readonly Period[]]>([
  ['平日 8:00〜21:00', DEFAULT_PERIODS],
  ['毎日 0:00〜24:00', on([0, 1, 2, 3, 4, 5, 6], [0, 24])],
  ['平日 9:00〜12:00、13:00〜18:00', on([1, 2, 3, 4, 5], [9, 12], [13, 18])],
  ['月〜木 9:00〜18:00、金 9:00〜17:00', [...on([1, 2, 3, 4], [9, 18]), ...on([5], [9, 17])]],
  ['月・水・金 9:00〜18:00、土日 10:00〜12:00', [...on([1, 3, 5], [9, 18]), ...on([0, 6], [10, 12])]],
])('puts weekdays of one time together: %s', (text, periods) => {
  expect(timesOf(periods)).toBe(`${text}に送ります。`);
});

it('describes the effects of holidays, other times and the daily limit', () => {
  const rules = { periods: [...DEFAULT_PERIODS], on_holidays: 0 as const, outside: 'hold' as const };
  expect(rulesSentence(rules, 1500).rest).toBe(
    '祝日と会社の休業日は休みます。時間外のメールは、次の送信時間に送ります。アカウント全体で1日1,500通までです。',
  );
});
