import { beforeEach, expect, it, vi } from 'vitest';
import { noteServerTime } from './api/server-clock.ts';
import * as forms from './screen-time.ts';

const { sentenceTime, listTime } = forms;

/** The year ends by the server's clock in an hour; the browser's clock is a day wrong. */
const SERVER = Date.parse('2026-12-31T23:00:00+09:00');

beforeEach(() => () => vi.useRealTimers());

function withClocks({ browser, server }: { readonly browser: string; readonly server: number }): void {
  vi.setSystemTime(new Date(browser));
  noteServerTime(new Date(server).toUTCString(), Date.now());
}

it.each(['2027-01-01T23:00:00+09:00', '2026-12-30T23:00:00+09:00', '2025-12-31T23:00:00+09:00'])(
  "the year is the server's where the browser's clock is %s",
  (browser) => {
    withClocks({ browser, server: SERVER });
    expect([sentenceTime('2026/12/31 09:00:00'), listTime('2026/12/31 09:00')]).toEqual([
      '12/31（木）9:00',
      '12/31（木）09:00',
    ]);
    expect([sentenceTime('2027/01/04 09:00:00'), listTime(Date.parse('2027-01-04T09:00:00+09:00'))]).toEqual([
      '2027/1/4（月）9:00',
      '2027/1/4（月）09:00',
    ]);
    expect([forms.badgeDay('2026/12/31 09:00'), forms.badgeDay('2025/12/31 09:00')]).toEqual(['12/31', '2025/12/31']);
    expect(forms.sentenceDay('2027-01-04')).toBe('2027/1/4（月）');
    withClocks({ browser, server: SERVER + 3_600_000 });
    expect(sentenceTime('2026/12/31 09:00:00')).toBe('2026/12/31（木）9:00');
  },
);

it('what is no time stays as it is', () => {
  expect([sentenceTime(''), listTime('2026/02/30 09:00'), forms.specifiedTime('2026/11/24 09:00:59')]).toEqual([
    '',
    '2026/02/30 09:00',
    '2026/11/24 09:00',
  ]);
});
