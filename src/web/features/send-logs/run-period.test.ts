import { describe, expect, it } from 'vitest';
import { daysOf } from './run-period.ts';

const at = (text: string) => Date.parse(text);

describe('the days of a period', () => {
  it.each([
    ['today', '2026-11-20T15:00:00Z', { from: '2026-11-21', to: '2026-11-21' }],
    ['today', '2026-11-20T14:59:59Z', { from: '2026-11-20', to: '2026-11-20' }],
    ['week', '2026-11-23T00:00:00Z', { from: '2026-11-23', to: '2026-11-23' }],
    ['week', '2026-11-22T00:00:00Z', { from: '2026-11-16', to: '2026-11-22' }],
    ['month', '2026-11-23T00:00:00Z', { from: '2026-11-01', to: '2026-11-23' }],
    ['last_month', '2026-03-31T00:00:00Z', { from: '2026-02-01', to: '2026-02-28' }],
    ['last_month', '2026-01-10T00:00:00Z', { from: '2025-12-01', to: '2025-12-31' }],
  ] as const)('%s at %s', (period, now, days) => {
    expect(daysOf(period, at(now))).toEqual(days);
  });
});
