import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  dayOf,
  formatMinute,
  formatSecond,
  formatTimeOfDay,
  instantOf,
  minuteOfDay,
  parseDateTime,
  parseTimeOfDay,
} from './tokyo-time.ts';

const noon = Date.UTC(2026, 10, 20, 3, 4, 5, 678);

describe('reading', () => {
  test.each([
    ['2026/11/20 12:04:05', Date.UTC(2026, 10, 20, 3, 4, 5)],
    ['2026/11/20 12:04', Date.UTC(2026, 10, 20, 3, 4, 0)],
    ['2026/12/1 8:00', Date.UTC(2026, 10, 30, 23, 0, 0)],
    ['2026/12/01 08:00:00', Date.UTC(2026, 10, 30, 23, 0, 0)],
    ['2026-11-20T03:04:05Z', Date.UTC(2026, 10, 20, 3, 4, 5)],
    ['2026-11-20T12:04:05+09:00', Date.UTC(2026, 10, 20, 3, 4, 5)],
    ['2026-11-19T22:04:05-05:00', Date.UTC(2026, 10, 20, 3, 4, 5)],
    ['2026-11-20T08:34:05+05:30', Date.UTC(2026, 10, 20, 3, 4, 5)],
    ['2026-11-20T03:04:05.678Z', noon],
    ['2026-11-20T03:04:05.678999Z', noon],
    ['2026-11-20T03:04Z', Date.UTC(2026, 10, 20, 3, 4, 0)],
    ['2028/02/29 00:00:00', Date.UTC(2028, 1, 28, 15)],
  ])('%s', (text, instant) => {
    expect(parseDateTime(text)).toBe(instant);
  });

  test.each([
    '',
    'now',
    '2026/11/20',
    '2026-11-20',
    '2026-11-20 12:04:05',
    '2026-11-20T12:04:05',
    '2026/11/20T12:04:05Z',
    '2026/02/30 12:00:00',
    '2027/02/29 12:00:00',
    '2026-02-30T12:00:00Z',
    '2026/13/01 12:00:00',
    '0000/00/00 00:00:00',
    '2026/11/20 24:00:00',
    '2026/11/20 23:60:00',
    '2026/11/20 23:59:60',
    '2026-12-31T23:59:60Z',
    '2026-11-20T12:00:00+15:00',
    '2026-11-20T12:00:00-13:00',
    '2026-11-20T12:00:00+09:60',
    '10000/01/01 00:00:00',
    '26/11/20 12:00:00',
    ' 2026/11/20 12:00:00',
    '2026/11/20 12:00:00\n',
    '２０２６/11/20 12:00:00',
    '令和8年11月20日 12:00',
    '1795143845678',
    '1e12',
  ])('%j is refused', (text) => {
    expect(parseDateTime(text)).toBeNull();
  });
});

describe('writing', () => {
  test('the screen shows minutes, the wire seconds; the screen form is a label of the wire form', () => {
    expect(formatMinute(noon)).toBe('2026/11/20 12:04');
    expect(formatSecond(noon)).toBe('2026/11/20 12:04:05');
    expect(formatSecond(noon).slice(0, 16)).toBe(formatMinute(noon));
  });

  test.each([
    [Date.UTC(2026, 10, 20, 14, 59, 59, 999), '2026-11-20', 23 * 60 + 59],
    [Date.UTC(2026, 10, 20, 15, 0, 0, 0), '2026-11-21', 0],
    [Date.UTC(2026, 11, 31, 15), '2027-01-01', 0],
  ])('the day changes at midnight in Tokyo (%d)', (instant, day, minute) => {
    expect(dayOf(instant)).toBe(day);
    expect(minuteOfDay(instant)).toBe(minute);
  });

  test('what is written is read back', () => {
    const instant = fc.integer({ min: Date.UTC(1951, 0, 1), max: Date.UTC(9998, 0, 1) });
    fc.assert(
      fc.property(instant, (ms) => {
        expect(parseDateTime(formatSecond(ms))).toBe(Math.floor(ms / 1000) * 1000);
        expect(parseDateTime(formatMinute(ms))).toBe(Math.floor(ms / 60_000) * 60_000);
        expect(parseDateTime(new Date(ms).toISOString())).toBe(ms);
        expect(instantOf(dayOf(ms), minuteOfDay(ms))).toBe(Math.floor(ms / 60_000) * 60_000);
      }),
    );
  });
});

describe('the zone of the machine', () => {
  afterEach(() => vi.unstubAllEnvs());

  // A spring gap, an autumn repeat, the day Samoa skipped, the outermost zones and a half hour.
  test.each(['America/New_York', 'Pacific/Apia', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Calcutta'])(
    'bad-inputs 188, 189, 190, 191, 192: %s changes nothing',
    (zone) => {
      vi.stubEnv('TZ', zone);
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
      for (const text of ['2026/03/08 02:30:00', '2026/11/01 01:30:00', '2011/12/30 12:00:00', '2026/11/20 00:00:00']) {
        const instant = parseDateTime(text) ?? Number.NaN;
        expect(instant).toBe(Date.parse(`${text.replaceAll('/', '-').replace(' ', 'T')}+09:00`));
        expect(formatSecond(instant)).toBe(text);
        expect(dayOf(instant)).toBe(text.slice(0, 10).replaceAll('/', '-'));
      }
    },
  );

  test.each(['Foo/Bar', ':', ''])('bad-inputs 143: %j, which is none, changes nothing', (zone) => {
    vi.stubEnv('TZ', zone);
    expect(formatSecond(noon)).toBe('2026/11/20 12:04:05');
    expect(parseDateTime('2026/11/20 12:04:05')).toBe(noon - (noon % 1000));
    expect([dayOf(noon), minuteOfDay(noon)]).toStrictEqual(['2026-11-20', 12 * 60 + 4]);
  });
});

test.each([
  ['9:00', 540],
  ['09:00', 540],
  ['0:00', 0],
  ['23:59', 1439],
  ['24:00', null],
  ['9:60', null],
  ['9:0', null],
  ['9', null],
  ['900', null],
  ['９:00', null],
  ['-1:00', null],
  ['9:00:00', null],
  ['', null],
])('%j is minute %j of the day', (text, minute) => {
  expect(parseTimeOfDay(text)).toBe(minute);
  if (minute !== null) expect(formatTimeOfDay(minute)).toBe(text.replace(/^0(?=\d)/, ''));
});
