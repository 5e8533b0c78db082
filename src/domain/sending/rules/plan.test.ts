import { expect, test } from 'vitest';
import { DEFAULT_CALENDAR } from '../sending-hours.ts';
import type { DailyLimit } from './daily-limit.ts';
import { type PlanFacts, planOrder } from './plan.ts';

const at = (clock: string) => Date.parse(`${clock}+09:00`);
/** A Friday. */
const FRIDAY = at('2026-11-27T15:00:00');
const FACTS: PlanFacts = {
  mails: 100,
  now: FRIDAY,
  reservedFor: null,
  calendar: DEFAULT_CALENDAR,
  perMinute: null,
  profile: null,
  mailbox: null,
  account: null,
};
const LIMIT: DailyLimit = { perDay: 58, ramp: null, rampFrom: null, step: 0, rampDay: null, heldUntil: null };
const profile = { limit: LIMIT, used: 0, usedThen: 0, ahead: 0, reserved: [] };
const account = { perDay: 500, used: 0, ahead: 0, reserved: [] };
const RAMP = { ...LIMIT, perDay: 200, ramp: { start: 20, percent: 30 }, rampFrom: '2026-11-26' };
const closedOn = (...days: string[]) => ({
  ...DEFAULT_CALENDAR,
  closedBy: (day: string) => (days.includes(day) ? '休業日' : null),
});
const HOLD = { ...DEFAULT_CALENDAR, outside: 'hold' } as const;

test.each<[string, Partial<PlanFacts>, readonly (readonly [string, number])[] | null]>([
  ['without a limit nothing is known', {}, null],
  ['enough is left today', { account }, [['27', 100]]],
  [
    'what is left over goes on Monday',
    { profile: { ...profile, used: 36 }, account },
    [
      ['27', 22],
      ['30', 58],
      ['01', 20],
    ],
  ],
  [
    'the lower limit holds each day',
    { profile, account: { ...account, perDay: 60, used: 50 } },
    [
      ['27', 10],
      ['30', 58],
      ['01', 32],
    ],
  ],
  [
    'that of a mailbox, too, after what waits for it',
    { profile, mailbox: { perDay: 40, used: 30, ahead: 15, reserved: [] }, account },
    [
      ['30', 35],
      ['01', 40],
      ['02', 25],
    ],
  ],
  [
    'a used-up day has none, also after it was lowered',
    { profile: { ...profile, used: 60 } },
    [
      ['30', 58],
      ['01', 42],
    ],
  ],
  [
    'a reservation is followed from today on',
    { reservedFor: at('2026-11-30T09:00:00'), profile: { ...profile, used: 8, ahead: 70 } },
    [
      ['30', 38],
      ['01', 58],
      ['02', 4],
    ],
  ],
  [
    'reservations that begin before leave before, from closed days too',
    {
      mails: 70,
      reservedFor: at('2026-12-01T09:00:00'),
      profile: {
        ...profile,
        reserved: [
          { day: '2026-11-28', mails: 60 },
          { day: '2026-12-01', mails: 40 },
        ],
      },
    },
    [
      ['01', 16],
      ['02', 54],
    ],
  ],
  [
    'a reservation for a day on which its group only warns leaves on it',
    { mails: 20, reservedFor: at('2026-11-28T09:00:00'), account },
    [['28', 20]],
  ],
  ['nothing is followed for more than a year', { reservedFor: at('9999-12-01T09:00:00'), account }, []],
  [
    'what waits already leaves before',
    { mails: 60, profile: { ...profile, used: 18, ahead: 50 }, account },
    [
      ['30', 48],
      ['01', 12],
    ],
  ],
  [
    'so do mails of other profiles, by the limit of the account',
    { mails: 60, account: { perDay: 50, used: 20, ahead: 40, reserved: [] } },
    [
      ['30', 40],
      ['01', 20],
    ],
  ],
  [
    'closed days are skipped',
    { mails: 60, calendar: closedOn('2026-11-30', '2026-12-01'), profile },
    [
      ['27', 58],
      ['02', 2],
    ],
  ],
  [
    'a closed group that holds its mails begins when it opens',
    { now: at('2026-11-28T10:00:00'), mails: 60, calendar: HOLD, profile: { ...profile, used: 30 } },
    [
      ['30', 58],
      ['01', 2],
    ],
  ],
  [
    'one that warns begins at once, and goes on when it is open',
    { now: at('2026-11-28T10:00:00'), mails: 60, profile: { ...profile, used: 30 } },
    [
      ['28', 28],
      ['30', 32],
    ],
  ],
  [
    'a ramp grows with each day that uses half of it',
    { profile: { ...profile, limit: RAMP, used: 8 } },
    [
      ['27', 12],
      ['30', 26],
      ['01', 34],
      ['02', 28],
    ],
  ],
  [
    'but not while bounces hold it',
    { mails: 60, profile: { ...profile, limit: { ...RAMP, heldUntil: '2026-11-30' } } },
    [
      ['27', 20],
      ['30', 20],
      ['01', 20],
    ],
  ],
  [
    'a pace that cannot carry the mails of a day ends what is known',
    { now: at('2026-11-27T20:50:00'), calendar: HOLD, perMinute: 1, profile },
    [],
  ],
  [
    'so may one that other mails of the account take',
    {
      now: at('2026-11-27T16:00:00'),
      calendar: HOLD,
      perMinute: 1,
      mails: 60,
      account: { ...account, perDay: 500, used: 0, ahead: 400 },
    },
    [],
  ],
  [
    'a pace that can does not matter',
    { mails: 60, calendar: HOLD, perMinute: 1, profile },
    [
      ['27', 58],
      ['30', 2],
    ],
  ],
])('%s', (_what, facts, expected) => {
  const plan = planOrder({ ...FACTS, ...facts });
  expect(plan?.map(({ day, mails }) => [day.slice(8), mails]) ?? null).toStrictEqual(expected);
});

test('fourteen days are planned at most, and none where others fill them', () => {
  const one = { ...profile, limit: { ...LIMIT, perDay: 1 } };
  expect(planOrder({ ...FACTS, profile: one })?.map(({ mails }) => mails)).toStrictEqual(Array(14).fill(1));
  expect(planOrder({ ...FACTS, profile: { ...one, ahead: 14 } })).toStrictEqual([]);
});

test('the days of a part of the order are the first of its plan', () => {
  const facts = { ...FACTS, profile: { ...profile, limit: RAMP, ahead: 7 }, account: { ...account, perDay: 30 } };
  for (let mails = 1; mails < 100; mails += 7) {
    let left = mails;
    const cut = planOrder(facts)?.flatMap((planned) => {
      const part = Math.min(left, planned.mails);
      left -= part;
      return part === 0 ? [] : [{ ...planned, mails: part }];
    });
    expect(planOrder({ ...facts, mails })).toStrictEqual(cut);
  }
});
