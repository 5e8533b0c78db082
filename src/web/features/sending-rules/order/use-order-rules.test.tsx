import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { useOrderRules } from './use-order-rules.ts';

/** A Friday morning, outside of the group's hours. */
const NOW = Date.parse('2026-11-27T08:30:00+09:00');
const TEN = NOW + 90 * 60_000;
const HOURS = DEFAULT_PERIODS.map((period) => ({ ...period, opens: 600, closes: 1020 }));
const OPEN = DEFAULT_PERIODS;
const CLOSING = { first_day: '2026-11-27', last_day: '2026-11-27', name: '創立記念日', working: 0, yearly: 0 };
const limit = (profile_id: number, used: number) => ({ profile_id, limit: 50, used });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  logInAs();
});

/** Returns each check's text and whether it needs a tick, and the days over which the mails are spread. */
async function found(rules: object, sendAt: number | null = null, plan?: readonly (readonly [string, number])[]) {
  const stored = { periods: HOURS, on_holidays: 1, outside: 'warn', version: 1, closing_days: [], limits: [] };
  const days = plan?.map(([day, mails]) => ({ day, mails }));
  fakeApi({
    'GET /sending_rules/4': () => ok({ ...stored, now: { left_today: null }, ...rules }),
    'GET /attack_list/preview': ({ query }) => {
      const isOfOrder = query.get('send_at') === (sendAt === null ? null : formatSecond(sendAt));
      return ok({ rows: [], plan: isOfOrder ? days : undefined });
    },
  });
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const listQuery = { sender_group_id: 4, sender_id: 5, limit_count: 100 } as const;
  const order = { groupId: 4, profileId: 3, mails: 100, sendAt, listQuery };
  const { result } = renderHook(() => useOrderRules(order), { wrapper });
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  await waitFor(() => expect(queryClient.getQueryData(['holidays'])).toBeDefined());
  const { hasOwnHours, checks, days: shares } = result.current;
  return {
    told: [hasOwnHours, ...checks.map(({ text, ask }) => [text, ask?.rule])],
    shares: shares?.map(({ day, mails }) => [day, mails]) ?? shares,
  };
}

const reserve = '予約モードにすると、送信時間に送れます';
it.each<[string, object, number | null, readonly unknown[]]>([
  ['asks while it is closed', {}, null, [true, [`送信時間外です。${reserve}`, 'outside_hours']]],
  [
    'asks on its closing day',
    { periods: OPEN, version: 0, closing_days: [CLOSING] },
    null,
    [true, [`11/27（金）は創立記念日（休業日）です。${reserve}`, 'outside_hours']],
  ],
  [
    'holds while it is closed',
    { outside: 'hold' },
    null,
    [true, ['送信時間外です。11/27（金）10:00から送信します', undefined]],
  ],
  [
    'asks about a reserved time',
    {},
    NOW,
    [true, ['送信時間外です。予約日時を送信時間内に変えることもできます', 'outside_hours']],
  ],
  ['is open at the reserved time', {}, TEN, [true]],
  ['has chosen no hours', { version: 0 }, null, [false]],
])('a group that %s', async (_what, rules, sendAt, expected) => {
  expect((await found(rules, sendAt)).told).toEqual(expected);
});

const limited = (text: string) => [true, [text, undefined]];
it.each<[string, object, number | null, readonly unknown[]]>([
  [
    'the account has less left today',
    { limits: [limit(3, 10)], now: { left_today: 22 } },
    null,
    limited('今日送れるのはあと22通です。ほかの78通は次に送信できる日に送信します'),
  ],
  [
    'the sender has less left today, whatever others have',
    { limits: [limit(2, 45), limit(3, 20)], now: { left_today: 40 } },
    null,
    limited('今日送れるのはあと30通です。ほかの70通は次に送信できる日に送信します'),
  ],
  [
    'the sender has nothing left today',
    { limits: [limit(3, 60)] },
    null,
    limited('今日の上限まで送りました。次に送信できる日に送信します'),
  ],
  ['there is enough left', { limits: [limit(2, 50)], now: { left_today: 100 } }, null, [true]],
  ['it is for a later time', { now: { left_today: 0 } }, TEN, [true]],
])('an order says what leaves on another day, where %s', async (_what, rules, sendAt, expected) => {
  expect((await found({ periods: OPEN, ...rules }, sendAt)).told).toEqual(expected);
});

const [FRIDAY, MONDAY, TUESDAY] = ['2026-11-27', '2026-11-30', '2026-12-01'] as const;
const LIMITED = { periods: OPEN, limits: [limit(3, 28)] };
const DECEMBER = ['02', '03', '04', '07'].map((date) => [`2026-12-${date}`, 10] as const);
it.each<[string, object, readonly (readonly [string, number])[], readonly unknown[] | null]>([
  [
    'the rest leaves on one day',
    LIMITED,
    [
      [FRIDAY, 22],
      [MONDAY, 90],
    ],
    [
      ['今日', 22],
      ['11/30（月）', 78],
    ],
  ],
  [
    'the rest takes more days than are named',
    LIMITED,
    [[FRIDAY, 22], [MONDAY, 20], [TUESDAY, 20], ...DECEMBER],
    [
      ['今日', 22],
      ['11/30（月）', 20],
      ['12/1（火）', 20],
      ['12/2（水）〜12/7（月）', 38],
    ],
  ],
  [
    'its end is not known',
    LIMITED,
    [
      [FRIDAY, 22],
      [MONDAY, 50],
    ],
    [
      ['今日', 22],
      ['11/30（月）', 50],
      ['その後', 28],
    ],
  ],
  ['nothing is left today', LIMITED, [[MONDAY, 100]], [['11/30（月）', 100]]],
  ['all leave today', LIMITED, [[FRIDAY, 100]], null],
])('a plan shares the mails of an order among days, where %s', async (_what, rules, plan, expected) => {
  expect((await found(rules, null, plan)).shares).toEqual(expected);
});

it('a reservation is spread over the days from its time on', async () => {
  const plan = [
    [MONDAY, 60],
    [TUESDAY, 90],
  ] as const;
  const { shares } = await found(LIMITED, NOW + 3 * 24 * 60 * 60_000, plan);
  expect(shares).toEqual([
    ['11/30（月）', 60],
    ['12/1（火）', 40],
  ]);
});

it('a closed group is reported beside the days', async () => {
  const rules = { ...LIMITED, periods: HOURS, outside: 'hold', closing_days: [CLOSING] };
  const plan = [
    [MONDAY, 50],
    [TUESDAY, 50],
  ] as const;
  expect(await found(rules, null, plan)).toEqual({
    told: [true, ['11/27（金）は創立記念日（休業日）です。11/30（月）10:00から送信します', undefined]],
    shares: [
      ['11/30（月）', 50],
      ['12/1（火）', 50],
    ],
  });
});
